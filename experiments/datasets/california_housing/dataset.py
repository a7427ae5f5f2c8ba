"""Blocks of houses in California, 1990."""

from experiments.lib.datasets import Dataset
from experiments.lib.raw import plain

DATASET = Dataset(
    files=(("california_housing/housing.tgz", "california_housing/housing.csv"),),
    read=plain,
    source="https://github.com/ageron/handson-ml2 (datasets/housing)",
)
