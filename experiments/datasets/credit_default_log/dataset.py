"""credit_default with amounts on a logarithmic scale: numbers that spread over their bounds."""

from experiments.datasets.credit_default.dataset import DATASET as DEFAULT
from experiments.lib.coding import rounded, signed_log
from experiments.lib.datasets import Dataset
from experiments.lib.raw import numbers, plain, replace

# Sums of which the logarithm is nearly the sum itself.
SMALL = {"BILL_AMT": 1000, "PAY_AMT": 100}


def with_logarithms(table):
    for name in table.column_names:
        for beginning, small in SMALL.items():
            if name.startswith(beginning):
                table = replace(table, name, rounded(signed_log(numbers(table[name]), small), 4))
    return table


def read(files, schema):
    return tuple(map(with_logarithms, plain(files, schema)))


DATASET = Dataset(files=DEFAULT.files, read=read, source=DEFAULT.source)
