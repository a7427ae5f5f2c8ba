"""Raw files of $MEHLER_DATA: found, unpacked, and their texts turned into the columns of a schema."""

import csv
import gzip
import os
import pathlib
import tarfile
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from experiments.lib.places import ROOT

# The files of an image set as MNIST's are called, those of images and of labels in turn; training first.
IDX_NAMES = tuple(f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1"))


def data_folder():
    """$MEHLER_DATA, or ../shared/data beside the project where that exists, or None."""
    if os.environ.get("MEHLER_DATA"):
        return pathlib.Path(os.environ["MEHLER_DATA"])
    beside = ROOT.parent / "shared" / "data"
    return beside if beside.is_dir() else None


def system_folder(name):
    """Where a package of the system puts a dataset; MEHLER_SYSTEM_DATA stands for /usr/share/datasets."""
    return pathlib.Path(os.environ.get("MEHLER_SYSTEM_DATA", "/usr/share/datasets")) / name


def find(*names, system=""):
    """The first of these files that exists, packed with gzip or not; None where none does. system: a folder of the
    system's datasets, which has them too, under the last part of their names."""
    folder = data_folder()
    places = [folder / name for name in names] if folder else []
    places += [system_folder(system) / pathlib.Path(name).name for name in names] if system else []
    for place in places:
        for path in (place.with_name(f"{place.name}.gz"), place):
            if path.is_file():
                return path
    return None


def content(path):
    """The bytes of a file, or of the only or first CSV file in an archive."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return archive.read(archive.namelist()[0])
    if path.suffix == ".tgz":
        with tarfile.open(path) as archive:
            member = next(member for member in archive.getmembers() if member.name.endswith(".csv"))
            return archive.extractfile(member).read()
    return path.read_bytes()


def strings(path, names=None, skip=0, null=("?",)):
    """A CSV file as columns of trimmed texts; names: of a file without a header; null: spellings of missing values
    besides nothing."""
    text = content(path)
    if names is None:
        names = next(csv.reader([text[: text.index(b"\n")].decode()]))
        skip += 1
    table = pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=skip),
        convert_options=pyarrow.csv.ConvertOptions(column_types={name: pa.string() for name in names}),
    )
    trimmed = {name: pc.utf8_trim_whitespace(table[name]) for name in names}
    absent = pa.array([*null, ""])
    return pa.table({name: pc.if_else(pc.is_in(column, absent), None, column) for name, column in trimmed.items()})


def numbers(column):
    """Texts as a numpy array of numbers, NaN where they are missing."""
    return pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False)


def conform(table, schema):
    """The schema's columns, in its order and in the types of their kinds."""
    columns = {}
    for column in schema["columns"]:
        values = table[column["name"]]
        if column["kind"] == "image":
            columns[column["name"]] = values
            continue
        if column["kind"] == "numeric":
            values = pc.cast(values, pa.float64())
        elif column["kind"] == "boolean":
            values = pc.cast(pc.cast(values, pa.float64()), pa.bool_())
        elif column["kind"] == "integer" or isinstance(column["categories"][0], int):
            values = pc.cast(pc.cast(values, pa.float64()), pa.int64())
        columns[column["name"]] = values
    return pa.table(columns)


def idx_array(path):
    """The bytes of an IDX file in their shape, which its header says: big-endian, after the number of dimensions."""
    bytes_ = np.frombuffer(content(path), dtype=np.uint8)
    shape = bytes_[4 : 4 + 4 * bytes_[3]].view(">u4")
    return bytes_[4 + 4 * bytes_[3] :].reshape(shape)


def image_sets(files, schema):
    """Training and test images of the files IDX_NAMES, each with its label."""
    arrays = [idx_array(path) for path in files]
    images, label = (column["name"] for column in schema["columns"])
    return [
        pa.table(
            {
                images: pa.FixedSizeListArray.from_arrays(pa.array(pixels.reshape(-1)), int(pixels[0].size)),
                label: pa.array(labels.astype(np.int64)),
            }
        )
        for pixels, labels in zip(arrays[::2], arrays[1::2])
    ]


def column_names(schema):
    return [column["name"] for column in schema["columns"]]


def replace(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


def without_dot(table, name):
    """Labels of UCI test files end in a dot."""
    return replace(table, name, pc.utf8_rtrim(table[name], "."))


def split(table, test_rows):
    """Training and test rows after a shuffle that is always the same."""
    shuffled = table.take(pa.array(np.random.default_rng(1).permutation(table.num_rows)))
    return shuffled.slice(test_rows), shuffled.slice(0, test_rows)


def fifth_held_out(table):
    return split(table, table.num_rows // 5)


def plain(files, schema):
    """A file with a header, of which a fifth is held out."""
    return fifth_held_out(strings(files[0]))
