"""What sampled records must be like, as Python writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mehler._engine import ArgumentError


def engine_conditions(where):
    """None, a text ("age>=65"), a mapping of columns to values, or several of these."""
    if where is None:
        return []
    if isinstance(where, str):
        return [(where, ("", []))]
    if isinstance(where, Mapping):
        return [(None, (str(column), _allowed(value))) for column, value in where.items()]
    if isinstance(where, Iterable):
        return [condition for one in where for condition in engine_conditions(one)]
    raise ArgumentError(
        f"where must be a dict such as {{'smoker': True}}, a text such as 'age>=65', or a list of them, but is "
        f"{type(where).__name__}"
    )


def _allowed(value):
    if isinstance(value, (list, tuple, set, frozenset, range)):
        if not value:
            raise ArgumentError("where: a list of values is empty, so that no record could meet it; name one or more")
        return [_text(one) for one in value]
    return [_text(value)]


def _text(value):
    """As conditions write it; an empty text stands for a missing value, and two quotes for the empty text."""
    item = getattr(value, "item", None)
    if callable(item) and not hasattr(value, "isoformat"):
        value = item()
    if value is None or value != value:  # NaN and NaT are not equal to themselves
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value or '""'
    if hasattr(value, "isoformat"):
        if getattr(value, "tzinfo", None) is not None:  # moments are those of UTC
            from datetime import timezone

            value = value.astimezone(timezone.utc).replace(tzinfo=None)
        return value.isoformat()
    return str(value)
