"""Census in codes: ages in tens, weeks as none, some or all, amounts as none or some; categories in the schema's order,
missing last."""

import numpy as np

from experiments.datasets.census.dataset import DATASET as CENSUS
from experiments.lib.coding import bins, code_table, listed
from experiments.lib.datasets import Dataset, schema_of
from experiments.lib.raw import column_names, numbers


def codes(rows, census_schema):
    for column in census_schema["columns"]:
        name = column["name"]
        if "categories" in column:
            yield listed(rows[name], [str(value) for value in column["categories"]])
        elif name == "age":
            yield bins(numbers(rows[name]), 0, 100, 10)
        elif name == "weeks worked in year":
            yield np.digitize(numbers(rows[name]), [1, 52])
        else:
            yield numbers(rows[name]) if name == "num persons worked for employer" else numbers(rows[name]) > 0


def read(files, schema):
    census = schema_of("census")
    return tuple(code_table(column_names(schema), codes(rows, census)) for rows in CENSUS.read(files, census))


DATASET = Dataset(files=CENSUS.files, read=read, source=CENSUS.source, parts=CENSUS.parts)
