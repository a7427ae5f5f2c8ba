"""Columns of Arrow tables to numbers and codes, as the schema declares them."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mehler.evaluation.errors import EvaluationError
from mehler.evaluation.images import code_images

MISSING = -1
_BOOLEAN_LABELS = {"true": 1, "True": 1, "TRUE": 1, "1": 1, "false": 0, "False": 0, "FALSE": 0, "0": 0}


@dataclass(frozen=True)
class CodedColumn:
    """Numbers, NaN where missing, or codes of the labels, MISSING where missing.

    What the schema does not allow (an unknown label, a number that is not finite) counts as missing; `refused` is how
    many.
    """

    values: np.ndarray
    refused: int

    @property
    def is_missing(self):
        return np.isnan(self.values) if self.values.dtype == np.float64 else self.values == MISSING

    def rows(self, chosen):
        return CodedColumn(self.values[chosen], self.refused)


def _decoded(array):
    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array


def _is_text(type_):
    return pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_)


def _is_number(type_):
    return pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_)


def _is_moment(type_):
    return pa.types.is_date(type_) or pa.types.is_timestamp(type_)


def _moments(array):
    """Microseconds since 1970. Text with an offset from UTC is read as well."""
    if not _is_text(array.type):
        return array.cast(pa.timestamp("us"), safe=False)
    try:
        return array.cast(pa.timestamp("us"))
    except pa.ArrowInvalid:
        return array.cast(pa.timestamp("us", "UTC"))


def _numbers(column, array):
    """As float64, dates in days, times in microseconds; nothing where the type does not fit the kind."""
    if column.kind in ("numeric", "integer"):
        fits = _is_text(array.type) or _is_number(array.type)
        return array.cast(pa.float64(), safe=False) if fits else None
    if not (_is_text(array.type) or _is_moment(array.type)):
        return None
    if column.kind == "date":
        return array.cast(pa.date32(), safe=False).cast(pa.int32()).cast(pa.float64())
    return _moments(array).cast(pa.int64()).cast(pa.float64(), safe=False)


def _labels(array):
    """As text; nothing for a type that holds no labels."""
    if pa.types.is_floating(array.type):  # whole numbers that had missing values among them
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array).cast(pa.int64())
    if pa.types.is_boolean(array.type) or pa.types.is_integer(array.type) or _is_text(array.type):
        return array.cast(pa.string())
    return None


def _code_numbers(column, numbers):
    values = np.array(numbers.to_numpy(), dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    return np.clip(values, *column.bounds)


def _code_labels(column, labels):
    if column.kind == "boolean":
        codes = _BOOLEAN_LABELS
    else:
        codes = {label: code for code, label in enumerate(column.labels)}
    # Codes of the distinct labels, spread over the records.
    distinct = labels.combine_chunks().dictionary_encode()
    unknown = codes.get(column.other, MISSING)
    meanings = np.array([codes.get(label, unknown) for label in distinct.dictionary.to_pylist()] + [MISSING])
    return meanings[np.asarray(pc.fill_null(distinct.indices, len(meanings) - 1))]


def code_column(column, array, table_name):
    """A column of a table, coded. Raises EvaluationError where the table's type does not fit the schema's kind."""
    if column.is_image:
        return code_images(column, array, table_name)
    array = _decoded(array)
    if pa.types.is_null(array.type):
        array = array.cast(pa.string())
    try:
        readable = _numbers(column, array) if column.is_number else _labels(array)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        readable = None  # Arrow's own words quote the value
    if readable is None:
        raise EvaluationError(
            f"column '{column.name}' of the {table_name} table holds values that do not fit its kind in the schema, "
            f"{column.kind}; mend the table or the schema ('mehler schema check SCHEMA TABLE' says more)"
        )
    values = (_code_numbers if column.is_number else _code_labels)(column, readable)
    coded = CodedColumn(values, 0)
    return CodedColumn(values, int(coded.is_missing.sum()) - array.null_count)


def code_table(columns, schema_names, table, table_name):
    """All used columns of a table by name. Raises EvaluationError if the columns are not those of the schema."""
    if len(set(table.column_names)) != len(table.column_names):
        raise EvaluationError(f"the {table_name} table has two columns of one name; give every column its own")
    for column in columns:
        if column.name not in table.column_names:
            raise EvaluationError(
                f"the {table_name} table has no column '{column.name}', which the schema has; give tables of one schema"
            )
    for name in table.column_names:
        if name not in schema_names:
            raise EvaluationError(
                f"the {table_name} table has a column '{name}', which the schema has not; drop it or declare it"
            )
    if table.num_rows == 0:
        raise EvaluationError(f"the {table_name} table has no records; give one with records of every class")
    return {column.name: code_column(column, table[column.name], table_name) for column in columns}
