"""Small image sets in the formats of others, written without the program that reads them."""

import gzip
import json
import struct
import zlib

import numpy as np

LABELS = [3, 0, 1, 3, 2, 0]
COUNT = len(LABELS)


def images(count=COUNT, rows=5, columns=4, channels=1):
    values = np.arange(count * rows * columns * channels, dtype=np.int64) * 37 % 251
    shape = (count, rows, columns) if channels == 1 else (count, rows, columns, channels)
    return values.astype(np.uint8).reshape(shape)


def idx(array, magic=None, shape=None):
    """The bytes of an IDX file of an array of bytes; a header of another shape or number on demand."""
    shape = array.shape if shape is None else shape
    magic = 0x800 | len(shape) if magic is None else magic
    return struct.pack(f">I{len(shape)}I", magic, *shape) + array.tobytes()


def png(array, colour_type=None, bits=8, palette=None, transparent=None, size=None):
    """The bytes of a PNG; colour_type as the format has it: 0 grey, 2 colour, 3 palette, 4 and 6 with transparency."""
    rows, columns = array.shape[:2]
    colour_type = (2 if array.ndim == 3 else 0) if colour_type is None else colour_type
    raw = b"".join(b"\x00" + array[row].tobytes() for row in range(rows))
    height, width = (rows, columns) if size is None else size

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    text = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour_type, 0, 0, 0))
    if palette is not None:
        text += chunk(b"PLTE", bytes(palette))
    if transparent is not None:
        text += chunk(b"tRNS", transparent)
    return text + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def write_idx(folder, array=None, labels=LABELS, compressed=False):
    array = images() if array is None else array
    ending = ".gz" if compressed else ""
    pack = gzip.compress if compressed else bytes
    path = folder / f"train-images-idx3-ubyte{ending}"
    path.write_bytes(pack(idx(array)))
    if labels is not None:
        (folder / f"train-labels-idx1-ubyte{ending}").write_bytes(pack(idx(np.array(labels, dtype=np.uint8))))
    return path.name


def write_png_folder(folder, array=None, labels=LABELS, name="digits"):
    array = images() if array is None else array
    for i, (image, label) in enumerate(zip(array, labels)):
        place = folder / name / str(label)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"Quill-{i}.png").write_bytes(png(image))
    return name


def write_schema(folder, shape=(5, 4, 1), categories=(0, 1, 2, 3), name="images.json", target=None):
    columns = [{"name": "image", "kind": "image", "shape": list(shape)}]
    if categories is not None:
        columns.append({"name": "label", "kind": "categorical", "categories": list(categories)})
    schema = {"mehler_schema": 1, "columns": columns}
    if target is not None:
        schema["target"] = target
    (folder / name).write_text(json.dumps(schema))
    return name
