"""california_housing in codes."""

import numpy as np

from experiments.datasets.california_housing.dataset import DATASET as HOUSING
from experiments.lib.coding import bins, code_table, numbered
from experiments.lib.datasets import Dataset
from experiments.lib.raw import column_names, numbers, strings

BINNED = {
    "longitude": (-125, -114, 20),
    "latitude": (32, 42, 20),
    "housing_median_age": (0, 52.01, 16),
    "median_income": (0, 15.01, 20),
    "median_house_value": (0, 500002, 20),
}
# Counts, on a logarithmic scale up to so many.
MOST = {"total_rooms": 40000, "total_bedrooms": 6500, "population": 36000, "households": 6100}


def read(files, schema):
    rows = strings(files[0])

    def code(name):
        if name == "ocean_proximity":
            return numbered(rows[name])
        value = np.nan_to_num(numbers(rows[name]))
        if name in MOST:
            return bins(np.log1p(value), 0, np.log1p(MOST[name]), 20)
        return bins(value, *BINNED[name])

    names = column_names(schema)
    return code_table(names, map(code, names)), None


DATASET = Dataset(files=HOUSING.files, read=read, source=HOUSING.source)
