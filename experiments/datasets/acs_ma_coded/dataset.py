"""acs_ma in codes."""

import numpy as np

from experiments.datasets.acs_ma.dataset import DATASET as ACS
from experiments.datasets.acs_ma.dataset import read_texts
from experiments.lib.coding import code_table, numbered, or_missing
from experiments.lib.datasets import Dataset
from experiments.lib.raw import column_names, numbers

BINNED = {
    "AGEP": lambda x: or_missing(x, 0, 100, 20),
    "DENSITY": lambda x: or_missing(np.log(np.maximum(x, 1)), 0, 11, 16),
    "POVPIP": lambda x: or_missing(x, 0, 502, 16),
}


def read(files, schema):
    rows = read_texts(files)

    def code(name):
        return BINNED[name](numbers(rows[name])) if name in BINNED else numbered(rows[name])

    names = column_names(schema)
    return code_table(names, map(code, names)), None


DATASET = Dataset(files=ACS.files, read=read, source=ACS.source)
