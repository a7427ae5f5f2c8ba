"""A simulated table to try things with. Nothing in it is about anybody."""

from __future__ import annotations

from mehler import _engine
from mehler._arguments import whole_number
from mehler._model import Records, in_memory
from mehler._schema import Schema


def people_schema() -> Schema:
    """The schema of people(): every kind of column, missing values, a target."""
    return Schema._of(_engine.people_schema())


def people(rows: int = 30_000, *, seed: int = 1) -> Records:
    """Simulated patients of a made-up clinic, with an identifier, numbers, categories, dates and missing values."""
    batches = _engine.simulate_people(whole_number("rows", rows, smallest=1), whole_number("seed", seed))
    return in_memory(batches, people_schema())
