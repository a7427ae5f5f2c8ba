"""Correlations of all pairs of numbers of a table, and how far those of another table are from them."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

KINDS = ("Spearman", "Pearson")


def number_names(schema):
    return [column["name"] for column in schema["columns"] if "bounds" in column]


def numbers_of(table, names):
    """Rows x columns; rows without a value in one of them are left out."""
    columns = [pc.cast(table[name], pa.float64()).to_numpy(zero_copy_only=False) for name in names]
    matrix = np.stack(columns, axis=1)
    return matrix[~np.isnan(matrix).any(axis=1)]


def ranks(values):
    """From 0 to the number of values less one; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts + 1) / 2)[places]


def pearson(matrix):
    """Of every pair of columns. With a column of one value it is 0: such a column tells nothing."""
    centred = matrix - matrix.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    scaled = np.divide(centred, norms, out=np.zeros_like(centred), where=norms > 0)
    return (scaled.T @ scaled)[np.triu_indices(matrix.shape[1], 1)]


def correlations(table, names):
    """{kind: one a pair of columns}"""
    matrix = numbers_of(table, names)
    by_rank = np.stack([ranks(column) for column in matrix.T], axis=1)
    return {"Spearman": pearson(by_rank), "Pearson": pearson(matrix)}


def mean_errors(real, synthetic):
    """{kind: mean absolute difference}; of what correlations() gives."""
    return {kind: float(np.abs(real[kind] - synthetic[kind]).mean()) for kind in KINDS}
