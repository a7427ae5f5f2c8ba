"""A small table, of which tests change a column, and its schema."""

import pandas
import polars
import pyarrow

import mehler

COLUMNS = {"age": [30, 40, 50] * 10, "sex": ["f", "m", "f"] * 10, "height": [1.5, 1.6, 1.7] * 10}
SCHEMA = mehler.Schema(
    {"age": mehler.integer(0, 99), "sex": mehler.categorical(["f", "m"]), "height": mehler.numeric(1, 2, decimals=2)}
)
MAKERS = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}
BUDGET = {"epsilon": 5, "delta": 1e-6}
SECRET = "Smith-4711"


def table(library, **changed):
    return MAKERS[library]({**COLUMNS, **changed})


def synthesized(given, schema=SCHEMA, **more):
    return mehler.synthesize(given, schema=schema, **BUDGET, **{"rows": 40, **more})
