"""california_housing with counts on a logarithmic scale: numbers that spread over their bounds."""

from experiments.datasets.california_housing.dataset import DATASET as HOUSING
from experiments.lib.coding import rounded, signed_log
from experiments.lib.datasets import Dataset
from experiments.lib.raw import numbers, plain, replace

COUNTS = ("total_rooms", "total_bedrooms", "population", "households")


def with_logarithms(table):
    for name in COUNTS:
        table = replace(table, name, rounded(signed_log(numbers(table[name]), 1), 4))
    return table


def read(files, schema):
    return tuple(map(with_logarithms, plain(files, schema)))


DATASET = Dataset(files=HOUSING.files, read=read, source=HOUSING.source)
