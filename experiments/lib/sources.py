"""What is synthesised: the training rows of a dataset in a file."""

import dataclasses
import pathlib

import pyarrow.parquet

from experiments.lib.datasets import dataset_named


@dataclasses.dataclass(frozen=True)
class Source:
    """A table of so many rows with its schema."""

    table: pathlib.Path
    rows: int
    schema_path: pathlib.Path


def prepare(settings, name):
    """The training rows of a dataset."""
    dataset = dataset_named(name)
    path = dataset.prepare(settings.records)["train"]
    return Source(path, pyarrow.parquet.read_metadata(path).num_rows, dataset.schema_path)
