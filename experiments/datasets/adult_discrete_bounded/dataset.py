"""Adult in the finer codes of the paper's authors."""

from experiments.datasets.adult_discrete.dataset import AUTHORS, read_codes
from experiments.lib.datasets import Dataset


def read(files, schema):
    return read_codes(files[0], schema, first_age=17), None


DATASET = Dataset(files=(("adult_discrete/bounded.npy",),), read=read, source=AUTHORS)
