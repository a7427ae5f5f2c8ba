"""law_school in codes."""

from experiments.datasets.law_school.dataset import DATASET as LAW
from experiments.lib.coding import bins, code_table, numbered
from experiments.lib.datasets import Dataset
from experiments.lib.raw import column_names, numbers, strings

BINNED = {
    "decile1b": (1, 11, 10),
    "decile3": (1, 11, 10),
    "lsat": (10, 50, 20),
    "ugpa": (1, 4.01, 16),
    "zfygpa": (-4, 4, 16),
    "zgpa": (-7, 5, 24),
}


def read(files, schema):
    rows = strings(files[0])

    def code(name):
        return bins(numbers(rows[name]), *BINNED[name]) if name in BINNED else numbered(rows[name])

    names = column_names(schema)
    return code_table(names, map(code, names)), None


DATASET = Dataset(files=LAW.files, read=read, source=LAW.source)
