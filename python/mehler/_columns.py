"""What a person declares of a column. Nothing here looks at records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mehler._arguments import whole_number

BUY = "buy"
UNDECLARED = "undeclared"


class Column(Mapping):
    """A declared column: what the schema file says of it, under the file's keys, and as attributes.

    Immutable. Made by integer(), numeric(), categorical() and the like, or read from a schema.
    """

    __slots__ = ("_entry",)

    def __init__(self, kind: str, /, **entry):
        self._entry = {"kind": kind, **{key: value for key, value in entry.items() if value is not None}}

    @property
    def kind(self) -> str:
        """numeric, integer, categorical, ordinal, boolean, date, datetime, image, identifier or ignored."""
        return self._entry["kind"]

    @property
    def is_undeclared(self) -> bool:
        """Whether bounds or categories are still to be declared by a person."""
        return UNDECLARED in (self._entry.get("bounds"), self._entry.get("categories"))

    def __getattr__(self, name):
        try:
            return object.__getattribute__(self, "_entry")[name]
        except KeyError:
            raise AttributeError(f"a column of kind {self.kind} says nothing of '{name}'") from None

    def __getitem__(self, key):
        return self._entry[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entry)

    def __len__(self) -> int:
        return len(self._entry)

    def __hash__(self):
        return hash(repr(self))

    def __getstate__(self):
        return self._entry

    def __setstate__(self, entry):
        self._entry = entry

    def __repr__(self):
        return f"{self.kind}({words_of(self)})"


def words_of(column: Mapping) -> str:
    """What a column declares, besides its kind: "17 to 90, may be missing"."""
    words = []
    for key in ("bounds", "categories"):
        declared = column.get(key)
        if declared in (BUY, UNDECLARED):
            words.append({BUY: f"{key} to be bought", UNDECLARED: f"{key} not declared yet"}[declared])
        elif declared is not None:
            listed = [str(one) for one in declared]
            few = ", ".join(listed[:8]) + (f", ... {len(listed)} in all" if len(listed) > 8 else "")
            words.append(" to ".join(listed) if key == "bounds" else few)
    if column.get("missing"):
        words.append("may be missing")
    shown = ("kind", "name", "bounds", "categories", "missing", "columns")
    return ", ".join([*words, *(f"{key} {value}" for key, value in column.items() if key not in shown)])


def _bounds(low, high):
    if low in (BUY, UNDECLARED) and high is None:
        return low
    return [_plain(low), _plain(high)]


def _plain(value):
    """A number or a text, as JSON has it: dates as they are written, numbers of numpy as Python's."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def integer(low, high=None, *, missing: bool = False, **more) -> Column:
    """Whole numbers from `low` to `high`. `low` alone may be mehler.BUY: the bounds are then found by the release, with
    a part of the budget. `more` are further keys of the schema file (docs/guide/schema.md): step, type, transform ..."""
    return Column("integer", bounds=_bounds(low, high), missing=missing or None, **more)


def numeric(low, high=None, *, decimals: int | None = None, missing: bool = False, **more) -> Column:
    """Numbers from `low` to `high`, with so many decimals; any real number if there are none."""
    return Column("numeric", bounds=_bounds(low, high), decimals=decimals, missing=missing or None, **more)


def date(first, last=None, *, missing: bool = False, **more) -> Column:
    """Days from `first` to `last`: datetime.date, or "2020-01-31"."""
    return Column("date", bounds=_bounds(first, last), missing=missing or None, **more)


def datetime(first, last=None, *, missing: bool = False, **more) -> Column:
    """Moments from `first` to `last`: datetime.datetime, or "2020-01-31T08:00:00"."""
    return Column("datetime", bounds=_bounds(first, last), missing=missing or None, **more)


def categorical(categories: Iterable | str, *, other: str | None = None, missing: bool = False, **more) -> Column:
    """One of a list of categories, in no order. With `other`, what is not listed goes there; else it is refused.

    Privacy: the list is published. Take it from what the column is, never from the records: that of a pandas
    categorical is."""
    return Column("categorical", categories=_listed(categories), other=other, missing=missing or None, **more)


def ordinal(categories: Iterable | str, *, other: str | None = None, missing: bool = False, **more) -> Column:
    """One of a list of categories, in their order, smallest first."""
    return Column("ordinal", categories=_listed(categories), other=other, missing=missing or None, **more)


def _listed(categories):
    return categories if isinstance(categories, str) else [_plain(category) for category in categories]


def boolean(*, missing: bool = False, **more) -> Column:
    """False or true."""
    return Column("boolean", missing=missing or None, **more)


def image(rows: int, columns: int, channels: int = 1) -> Column:
    """Small pictures: bytes, row by row."""
    sizes = {"rows": rows, "columns": columns, "channels": channels}
    return Column("image", shape=[whole_number(name, size, smallest=1) for name, size in sizes.items()])


def identifier(*, make: str | None = None) -> Column:
    """Names a person or a record: never learnt, and not synthesised, unless `make` is a pattern to make it up by
    ("P{6 digits}"). May be the privacy unit."""
    return Column("identifier", make=make)


def ignored() -> Column:
    """Not read and not synthesised."""
    return Column("ignored")
