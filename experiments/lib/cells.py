"""Tables in cells, and total variation of their marginals, in numpy: what `mehler evaluate --bins 16 --marginals 1,2,3`
measures beside much else, in a fraction of a second."""

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from experiments.lib.coding import listed, or_missing

BINS = 16


def cells_of(column, values, bins):
    """Codes of a column's values and how many there are: numbers in bins of equal width between the public bounds,
    categories each in its own, missing values apart."""
    if "bounds" in column:
        numbers = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
        return or_missing(numbers, *column["bounds"], bins), bins + 1
    labels = column.get("categories", [False, True])
    return listed(values, labels), len(labels) + 1


class CellTable:
    """The codes of a table's columns, in the schema's order."""

    def __init__(self, table, schema, bins=BINS):
        coded = [cells_of(column, table[column["name"]], bins) for column in schema["columns"]]
        self.codes = [codes.astype(np.int64) for codes, _ in coded]
        self.sizes = [size for _, size in coded]

    def shares(self, subset):
        """Of the cells of some columns together."""
        together, size = 0, 1
        for place in subset:
            together = together * self.sizes[place] + self.codes[place]
            size *= self.sizes[place]
        return np.bincount(together, minlength=size) / len(together)


def subsets_of(columns, size, most=None, seed=0):
    """All subsets of so many columns, or as many of them as are wanted, always the same."""
    found = list(itertools.combinations(range(columns), size))
    if most is None or len(found) <= most:
        return found
    return [found[place] for place in np.random.default_rng(seed).choice(len(found), most, replace=False)]


def total_variation(real, synthetic, subset):
    return float(np.abs(real.shares(subset) - synthetic.shares(subset)).sum() / 2)


def mean_total_variation(real, synthetic, subsets):
    return float(np.mean([total_variation(real, synthetic, subset) for subset in subsets]))
