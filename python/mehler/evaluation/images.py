"""Columns of images as matrices, and which records a class-balanced sample begins with."""

import functools
from dataclasses import dataclass

import numpy as np


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


def balanced_order(classes):
    """Places of records in which classes take turns, each in its own order: of the first N there are as many of each
    class, as long as none runs out."""
    classes = np.asarray(classes)
    by_class = np.argsort(classes, kind="stable")
    counts = np.bincount(classes)
    turns = np.empty(len(classes), dtype=np.int64)
    turns[by_class] = np.concatenate([np.arange(count) for count in counts]) if len(classes) else []
    return np.lexsort((classes, turns))
