"""credit_default in codes."""

import numpy as np

from experiments.datasets.credit_default.dataset import DATASET as DEFAULT
from experiments.lib.coding import bins, code_table, signed_log
from experiments.lib.datasets import Dataset
from experiments.lib.raw import column_names, numbers, strings


def read(files, schema):
    rows = strings(files[0])

    def code(name):
        x = numbers(rows[name])
        if name == "LIMIT_BAL":
            return bins(x, 0, 1e6, 20)
        if name == "AGE":
            return bins(x, 20, 80, 20)
        if name.startswith("BILL_AMT"):
            return bins(signed_log(x, 1000), -4, 7, 16)
        if name.startswith("PAY_AMT"):
            return bins(signed_log(x, 100), 0, 10, 16)
        if name.startswith("PAY_"):
            return np.clip(x, -2, 8) + 2
        return np.unique(x, return_inverse=True)[1]

    names = column_names(schema)
    return code_table(names, map(code, names)), None


DATASET = Dataset(files=DEFAULT.files, read=read, source=DEFAULT.source)
