"""Columns of a schema, and tables coded by them: both as the engine reads them."""

import json
from dataclasses import dataclass

import numpy as np

from mehler import Schema, TableError, _engine
from mehler._progress import watch
from mehler._tables import source_of
from mehler.evaluation.images import CodedImages

MISSING = -1
NUMBER_KINDS = ("numeric", "integer", "date", "datetime")


@dataclass(frozen=True)
class Column:
    """A column that is used. Numbers have bounds (dates in days, times in microseconds), images a shape (rows, columns,
    channels), the others labels."""

    name: str
    kind: str
    bounds: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()

    @property
    def is_number(self):
        return self.kind in NUMBER_KINDS

    @property
    def is_image(self):
        return self.kind == "image"


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


def as_schema(schema):
    """A Schema, of one or of what a schema file says as a dict. Raises SchemaError."""
    return schema if isinstance(schema, Schema) else Schema.from_json(json.dumps(schema))


def used_columns(schema):
    """The used columns of a schema in its order, without those that are computed from others. Raises SchemaError for one
    that is not declared."""
    return [
        Column(name, kind, bounds, tuple(labels), shape or ())
        for name, kind, bounds, labels, shape in schema._engine.plain_columns
    ]


def code_table(schema, columns, table, table_name):
    """All used columns of a table by name. Raises TableError if they are not those of the schema."""
    source = source_of(table, schema=schema._engine, name=table_name)
    try:
        with watch(None, "reading") as watching:
            rows, coded, pixels = _engine.read_coded(schema._engine, source.engine, f"the {table_name} table", watching)
    except TableError as error:
        raise TableError(f"in the {table_name} table: {error}") from None
    without_images = iter(coded)
    return {
        column.name: CodedImages(pixels.reshape(rows, -1)) if column.is_image else _coded(column, *next(without_images))
        for column in columns
    }


def _coded(column, codes, numbers, missing):
    if column.is_number:
        values = np.clip(numbers, *column.bounds)
    else:
        values = np.where(codes < len(column.labels), codes.astype(np.int64), MISSING)
    coded = CodedColumn(values, 0)
    return CodedColumn(values, int(coded.is_missing.sum()) - missing)
