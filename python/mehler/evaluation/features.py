"""Coded columns to the matrices that classifiers take.

Three encodings; what is estimated (means, medians, which features are constant) comes from the training table alone.

one-hot   for classifiers that are linear or work feature by feature: a 0/1 feature per label of a categorical or
          boolean column, in the schema's order, and one for missing; numbers and the rank of an ordinal column
          standardised; where these are missing they are the mean, and a further 0/1 feature says so.
codes     for trees: labels as their place in the schema, missing as one place more; numbers as above.
raw       the published protocol's: labels as their place in the schema, missing as one place more; numbers as they
          are, a missing one as the median.

Features that are constant in the training table are left out: no classifier learns from them, and some fail on them.

Images are their pixels over 255 in all three, every one of them: some settings choose among pixels by their number.
"""

from dataclasses import dataclass

import numpy as np

ONE_HOT, CODES, RAW = "one-hot", "codes", "raw"


@dataclass(frozen=True)
class Features:
    """Matrices [records][features], float64."""

    train: np.ndarray
    test: np.ndarray


def _scale_of(column, present, scaling):
    """(centre, width) of a number or rank; (x - centre) / width is the feature."""
    if scaling == "bounds":
        low, high = (0.0, max(len(column.labels) - 1.0, 1.0)) if column.bounds is None else column.bounds
        return low, (high - low) or 1.0
    return present.mean(), present.std() or 1.0


def _number_features(column, train, test, encoding, scaling):
    """The number itself and, where values are missing, an indicator of that."""
    is_missing = [coded.is_missing for coded in (train, test)]
    values = [coded.values.astype(np.float64) for coded in (train, test)]
    present = values[0][~is_missing[0]]
    if len(present) == 0:
        present = np.zeros(1)
    if encoding == RAW:
        return [[np.where(missing, np.median(present), value)] for value, missing in zip(values, is_missing)]
    centre, width = _scale_of(column, present, scaling)
    fill = (present.mean() - centre) / width
    return [
        [np.where(missing, fill, (value - centre) / width), missing.astype(np.float64)]
        for value, missing in zip(values, is_missing)
    ]


def _label_features(column, train, test, encoding):
    places = [np.where(coded.is_missing, len(column.labels), coded.values) for coded in (train, test)]
    if encoding == ONE_HOT:
        return [[(place == code).astype(np.float64) for code in range(len(column.labels) + 1)] for place in places]
    return [[place.astype(np.float64)] for place in places]


def _matrix(parts, rows):
    """Features and blocks of features beside each other; images alone are not copied."""
    if not parts:
        return np.zeros((rows, 0))
    return parts[0] if len(parts) == 1 and parts[0].ndim == 2 else np.column_stack(parts)


def encode(columns, train, test, encoding, scaling):
    """Features of the coded tables `train` and `test` (column name -> CodedColumn)."""
    sides = [[], []]
    for column in columns:
        coded = train[column.name], test[column.name]
        if column.is_image:
            for side, images in zip(sides, coded):
                side.append(images.pixels)
            continue
        if column.is_number or (column.kind == "ordinal" and encoding == ONE_HOT):
            parts = _number_features(column, *coded, encoding, scaling)
        else:
            parts = _label_features(column, *coded, encoding)
        # What is constant is left out here, before it takes memory.
        for train_feature, test_feature in zip(*parts):
            if train_feature.min() != train_feature.max():
                sides[0].append(train_feature)
                sides[1].append(test_feature)
    rows = [len(next(iter(table.values())).values) for table in (train, test)]
    return Features(*(_matrix(side, count) for side, count in zip(sides, rows)))
