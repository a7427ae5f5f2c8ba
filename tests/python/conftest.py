"""A small table that classifiers can learn from, and its schema."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ["MEHLER_SOURCE"])
sys.path.insert(0, str(SOURCE / "python"))

if importlib.util.find_spec("sklearn") is None:  # ctest lists the tests as skipped, with these words
    pytest.exit("Skipped: scikit-learn is missing: scripts/install-python-packages python/requirements.txt", 0)

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402


def make_schema(classes=("lo", "hi")):
    return {
        "mehler_schema": 1,
        "target": "income",
        "columns": [
            {"name": "id", "kind": "identifier"},
            {"name": "age", "kind": "integer", "bounds": [17, 90]},
            {"name": "wage", "kind": "numeric", "bounds": [0, 1000], "missing": True},
            {"name": "region", "kind": "categorical", "categories": ["north", "south", "west"], "missing": True},
            {"name": "school", "kind": "ordinal", "categories": ["none", "some", "all"]},
            {"name": "married", "kind": "boolean"},
            {"name": "since", "kind": "date", "bounds": ["1990-01-01", "2020-12-31"]},
            {"name": "income", "kind": "categorical", "categories": list(classes)},
        ],
    }


def make_table(rows, seed, classes=("lo", "hi")):
    """Records of make_schema(): income depends on age, wage, region, school and married."""
    chance = np.random.default_rng(seed)
    age = chance.integers(18, 80, rows)
    wage = chance.gamma(2.0, 100.0, rows).clip(0, 1000).round(2)
    region = chance.integers(0, 3, rows)
    school = chance.integers(0, 3, rows)
    married = chance.random(rows) < 0.5
    value = age / 30 + wage / 150 + region + school + married + chance.normal(0, 0.7, rows)
    limits = np.linspace(4.5, 6.5, len(classes) - 1) if len(classes) > 2 else [6.5]
    return pa.table(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": age,
            "wage": pa.array(wage, mask=chance.random(rows) < 0.1),
            "region": pa.array([["north", "south", "west"][i] for i in region], mask=chance.random(rows) < 0.05),
            "school": [["none", "some", "all"][i] for i in school],
            "married": married,
            "since": pa.array((np.datetime64("1995-03-01") + chance.integers(0, 9000, rows)).astype("datetime64[D]")),
            "income": [classes[i] for i in np.digitize(value, limits)],
        }
    )


def replaced(table, name, values):
    """The table with another column in the place of `name`."""
    return table.set_column(
        table.column_names.index(name), name, values if isinstance(values, pa.Array) else pa.array(values)
    )


@pytest.fixture
def schema():
    return make_schema()


@pytest.fixture
def train():
    return make_table(300, seed=1)


@pytest.fixture
def test():
    return make_table(400, seed=2)
