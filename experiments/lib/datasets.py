"""The datasets of the experiments: a folder of experiments/datasets/ each, with schema.json and dataset.py.

dataset.py has DATASET, which says what raw files there are and how they become a training and a test table. Schemas
hold bounds and categories from the datasets' documentation (datasets/README.md says from where), never read off the
records.
"""

import dataclasses
import functools
import importlib
import json
from collections.abc import Callable

import pyarrow.parquet

from experiments.lib.places import EXPERIMENTS
from experiments.lib.raw import conform, data_folder, find

FOLDER = EXPERIMENTS / "datasets"
UCI = "https://archive.ics.uci.edu/dataset"


class MissingData(Exception):
    """A raw file is not there; the message says where to get it and where to put it."""


@dataclasses.dataclass(frozen=True)
class Dataset:
    """What dataset.py says; the name is that of its folder."""

    # For each raw file its names under $MEHLER_DATA: the whole dataset first, then parts of it that will do.
    files: tuple
    # From the paths of the raw files and the schema to (training rows, test rows or None), as texts or in their types.
    read: Callable
    source: str  # where the files are downloaded
    system_folder: str = ""  # where a package of the system puts the files, if there is one
    parts: dict = dataclasses.field(default_factory=dict)  # what a file that holds a part holds, by its name
    experiments: tuple = ()  # of the experiments that take any dataset with a target, those that have it by default
    quick: bool = False  # whether their quick runs have it too
    preset: str = ""  # the paper's settings of dp-hp, a name of experiments/presets
    # By class the share, or the number, of rows that the paper's authors keep in training and test rows.
    thinned: dict = dataclasses.field(default_factory=dict)
    name: str = ""

    @property
    def schema_path(self):
        return FOLDER / self.name / "schema.json"

    @property
    def schema(self):
        return schema_of(self.name)

    def missing(self):
        """Files that are not there, by the name that the whole dataset has."""
        return [names[0] for names, path in zip(self.files, self.found()) if path is None]

    def found(self):
        """The raw files, or None for those that are not there."""
        return [find(*names, system=self.system_folder) for names in self.files]

    def remark(self):
        """What a reader of figures must know about the files that are there, or nothing."""
        return "; ".join(
            words for path in self.found() if path for name, words in self.parts.items() if path.name.startswith(name)
        )

    def explanation(self):
        """What to download and where to put it."""
        folder = data_folder()
        where = f"in {folder}" if folder else "anywhere: MEHLER_DATA is not set"
        return (
            f"{self.name}: {', '.join(self.missing())} not found {where}.\n"
            f"Download from {self.source}.\n"
            "Put the files (packed with gzip or not) under $MEHLER_DATA with these names, "
            "and set MEHLER_DATA to that folder."
        )

    def prepare(self, folder):
        """Writes train.parquet and, where there are test rows, test.parquet to a folder; their paths by these names."""
        if self.missing():
            raise MissingData(self.explanation())
        folder.mkdir(parents=True, exist_ok=True)
        paths = {}
        for part, rows in zip(("train", "test"), self.read(self.found(), self.schema)):
            if rows is not None:
                paths[part] = folder / f"{part}.parquet"
                pyarrow.parquet.write_table(conform(rows, self.schema), paths[part])
        return paths


def names():
    """Of all datasets."""
    return sorted(path.parent.name for path in FOLDER.glob("*/dataset.py"))


@functools.cache
def dataset_named(name):
    module = importlib.import_module(f"experiments.datasets.{name}.dataset")
    return dataclasses.replace(module.DATASET, name=name)


def schema_of(name):
    return json.loads((FOLDER / name / "schema.json").read_text(encoding="utf-8"))


def available(settings, by_default, others=()):
    """Of the datasets that an experiment has by default, or of those that are asked for: which are there; and what is
    missing, in words. others: what may be asked for besides."""
    known = dict.fromkeys([*by_default, *others])
    wanted = [name for name in known if name in (settings.datasets or by_default)]
    if not wanted:
        raise MissingData(f"none of the datasets is one of this experiment: {', '.join(known)}")
    missing = [dataset_named(name).explanation() for name in wanted if dataset_named(name).missing()]
    if len(missing) == len(wanted):
        raise MissingData("\n".join(missing))
    return [name for name in wanted if not dataset_named(name).missing()], missing
