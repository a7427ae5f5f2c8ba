"""Tables of codes 0, 1, 2, ...: numbers in bins of equal width between public constants, categories numbered."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def bins(values, low, high, count):
    """Bins of equal width; values beyond the ends fall into the outermost ones."""
    return np.clip(((np.asarray(values, float) - low) / (high - low) * count).astype(int), 0, count - 1)


def or_missing(values, low, high, count):
    """The same, with a code of its own (the last) for missing values."""
    missing = np.isnan(values)
    return np.where(missing, count, bins(np.where(missing, low, values), low, high, count))


def signed_log(values, small):
    """The logarithm of sums of either sign; below `small` nearly the sum itself, in its units. NaN stays."""
    return np.sign(values) * np.log1p(np.abs(values) / small)


def rounded(values, decimals):
    """Numbers as a column, NaN as missing values."""
    return pa.array(np.round(values, decimals), from_pandas=True)


def numbered(column, missing="N"):
    """Codes in the order of the texts."""
    return np.unique(pc.fill_null(column, missing).to_numpy(zero_copy_only=False), return_inverse=True)[1]


def listed(column, values):
    """Codes in the order of a list; after it, one code for whatever is missing."""
    codes = pc.index_in(column, pa.array(values))
    return pc.fill_null(codes, len(values)).to_numpy(zero_copy_only=False)


def code_table(names, codes):
    return pa.table({name: pa.array(np.asarray(values, np.int64)) for name, values in zip(names, codes)})
