"""Columns of images: from Arrow lists of bytes to matrices, and which records a class-balanced sample begins with."""

import functools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mehler.evaluation.errors import EvaluationError


@dataclass(frozen=True)
class CodedImages:
    """Images as [records][bytes], row by row. Every record has its image, so that nothing is missing or refused."""

    values: np.ndarray
    refused: int = 0

    @property
    def is_missing(self):
        return np.zeros(len(self.values), dtype=bool)

    @functools.cached_property
    def pixels(self):
        """In [0, 1]; made once for all classifiers, since it may be hundreds of megabytes."""
        return self.values / 255.0

    def rows(self, chosen):
        """chosen: a mask, or places."""
        return CodedImages(self.values[chosen])


def _unpacked(array):
    """The sizes of nested lists that are all of one size, and what is in them; None where there is anything else."""
    sizes = []
    while pa.types.is_fixed_size_list(array.type) or pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        lengths = pc.unique(pc.list_value_length(array)).to_pylist()
        if len(lengths) != 1 or lengths[0] is None:
            return None
        sizes.append(lengths[0])
        array = array.flatten()
    return None if array.null_count or array.type != pa.uint8() else (sizes, array)


def code_images(column, array, table_name):
    """A column of images of a table. Raises EvaluationError where they are not of the schema's shape."""
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    shape = list(column.shape)
    unpacked = _unpacked(whole) if len(whole) else ([int(np.prod(shape))], pa.array([], pa.uint8()))
    grey = [shape[:2]] if shape[2] == 1 else []
    if unpacked is None or unpacked[0] not in ([int(np.prod(shape))], shape, *grey):
        raise EvaluationError(
            f"column '{column.name}' of the {table_name} table does not hold, in every record, the bytes of an image of "
            f"{shape[0]} x {shape[1]} pixels and {shape[2]} channels, which the schema declares; images are lists of "
            "bytes here, as mehler writes them to Parquet, Arrow, IDX and .npz"
        )
    return CodedImages(unpacked[1].to_numpy().reshape(len(whole), -1))


def balanced_order(classes):
    """Places of records in which classes take turns, each in its own order: of the first N there are as many of each
    class, as long as none runs out."""
    classes = np.asarray(classes)
    by_class = np.argsort(classes, kind="stable")
    counts = np.bincount(classes)
    turns = np.empty(len(classes), dtype=np.int64)
    turns[by_class] = np.concatenate([np.arange(count) for count in counts]) if len(classes) else []
    return np.lexsort((classes, turns))
