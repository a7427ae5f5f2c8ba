"""The experiments: a module of experiments/tasks/ each, with run(settings) and TABLES; and what is expected of them."""

import importlib
import json

from experiments.lib import datasets
from experiments.lib.places import EXPERIMENTS

FOLDER = EXPERIMENTS / "tasks"


def names():
    """Of all experiments: those of the files, with dashes."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.py") if path.stem != "__init__")


def task_named(name):
    return importlib.import_module(f"experiments.tasks.{name.replace('-', '_')}")


def read_json(path):
    """What a file holds; nothing where it is not there."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def expectations(name):
    """Of the experiment itself, and of each dataset in it."""
    expected = read_json(FOLDER / f"{name.replace('-', '_')}.expected.json")
    for dataset in datasets.names():
        limits = read_json(datasets.FOLDER / dataset / "expected.json").get(name, {})
        expected.update({f"{dataset}, {finding}": bar for finding, bar in limits.items()})
    return expected
