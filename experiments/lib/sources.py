"""What is synthesised: the training rows of a dataset in a file."""

import dataclasses
import pathlib

import pyarrow.parquet

from experiments.lib.datasets import dataset_named


@dataclasses.dataclass(frozen=True)
class Source:
    """A table of so many rows with its schema, and the rows that were held out for tests, where there are some."""

    table: pathlib.Path
    rows: int
    schema_path: pathlib.Path
    test: pathlib.Path | None = None


def prepare(settings, name):
    """The rows of a dataset."""
    dataset = dataset_named(name)
    paths = dataset.prepare(settings.records)
    rows = pyarrow.parquet.read_metadata(paths["train"]).num_rows
    return Source(paths["train"], rows, dataset.schema_path, paths.get("test"))
