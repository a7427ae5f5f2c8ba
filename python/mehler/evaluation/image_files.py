"""Image sets in IDX and .npz files, as the mehler program reads and writes them, as tables of lists of bytes."""

import gzip
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa

from mehler.evaluation.errors import EvaluationError

_IDX_ENDINGS = ("ubyte", ".idx")
# The second of a magic number of IDX is 8 for bytes without a sign; the last, the number of dimensions.
_BYTES = b"\x00\x00\x08"


def is_idx(path):
    name = path.name.removesuffix(".gz")
    return name.endswith(_IDX_ENDINGS)


def _damaged(path, format):
    return EvaluationError(f"the table '{path}' is damaged, empty or not {format}; give one as mehler writes it")


def _images(array):
    """An array of bytes [records][rows][columns] or with channels behind, as a column of lists."""
    length = int(np.prod(array.shape[1:]))
    return pa.FixedSizeListArray.from_arrays(pa.array(array.reshape(-1)), length)


def _read_array(path):
    content = path.read_bytes()
    try:
        content = gzip.decompress(content) if path.name.endswith(".gz") else content
    except (EOFError, OSError, zlib.error):
        raise _damaged(path, "idx") from None
    dimensions = content[3] if content[:3] == _BYTES and len(content) > 3 else 0
    shape = np.frombuffer(content[4 : 4 + 4 * dimensions], dtype=">u4").astype(np.int64)
    values = np.frombuffer(content, dtype=np.uint8)[4 + 4 * dimensions :]
    if dimensions == 0 or len(shape) != dimensions or int(np.prod(shape)) != len(values) or len(values) == 0:
        raise _damaged(path, "idx")
    return values.reshape(shape)


def _labels_beside(path):
    """The file whose name has "labels" for "images" and, where it has idx3, idx1 for that."""
    name = path.name.replace("images", "labels").replace("idx3", "idx1").replace("idx4", "idx1")
    return path.with_name(name)


def read_idx(path):
    """The columns image and label; the labels are in the file beside it."""
    path = Path(path)
    images, beside = _read_array(path), _labels_beside(path)
    if images.ndim not in (3, 4):
        raise EvaluationError(f"the table '{path}' holds no images; give the file of images, the labels lie beside it")
    if beside == path or not beside.is_file():
        raise EvaluationError(
            f"the labels of '{path}' are not beside it; images lie in a file with 'images' in its name, labels in one "
            "with 'labels' there"
        )
    labels = _read_array(beside)
    if labels.shape != images.shape[:1]:
        raise EvaluationError(f"'{beside}' does not hold one label for each image of '{path}'; give files of one set")
    return pa.table({"image": _images(images), "label": pa.array(labels.astype(np.int64))})


def read_npz(path):
    """An array each, under its name: one of images, others with one entry an image."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, EOFError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error):
        raise _damaged(path, "npz") from None
    if not arrays or len({array.shape[:1] for array in arrays.values()}) != 1:
        raise EvaluationError(f"the arrays of '{path}' are not of one length; give one of images and others beside it")
    return pa.table({name: _images(array) if array.ndim > 1 else pa.array(array) for name, array in arrays.items()})
