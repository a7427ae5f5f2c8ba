"""Schema: what may be known of a table."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mehler import _engine
from mehler._arguments import instance, whole_number
from mehler._columns import BUY, UNDECLARED, Column, words_of
from mehler._engine import ArgumentError, SchemaError
from mehler._files import write_whole
from mehler._html import escape, table_html
from mehler._tables import source_of

_GUESSED = "kinds-guessed-from-table"
# Libraries whose frames may have got their types by looking at values, as readers of CSV do.
_GUESSING = ("pandas", "polars")


class Schema:
    """What may be known of a table: its columns, with bounds and categories; the target; what is protected.

    All of it is published with a release, so all of it is declared, never read from the records. Immutable: declare()
    and the like return another schema.

    columns       by name: integer(), numeric(), date(), datetime(), categorical(), ordinal(), boolean(), image(),
                  identifier() or ignored()
    target        the column of classes that the table is mostly used to predict
    relation      what the guarantee hides: "add-remove-one" record, or "replace-one" (their number is public then)
    privacy_unit  (column, max_rows): several records belong to one person, and the guarantee covers all of them

    >>> schema = mehler.Schema({"age": mehler.integer(17, 90), "smoker": mehler.boolean()})
    """

    __slots__ = ("_engine", "_notes", "_guessed")

    def __init__(
        self,
        columns: Mapping[str, Column],
        *,
        target: str | None = None,
        relation: str = "add-remove-one",
        privacy_unit: tuple[str, int] | None = None,
    ):
        entry = {"mehler_schema": 1, "relation": relation, "columns": _entries(columns)}
        if target is not None:
            entry["target"] = target
        if privacy_unit is not None:
            if not (isinstance(privacy_unit, (tuple, list)) and len(privacy_unit) == 2):
                raise SchemaError("privacy_unit must be a column and a number of rows, as in ('patient_id', 5)")
            entry["privacy_unit"] = _unit(*privacy_unit)
        self._engine = _parsed(entry)
        self._notes = ()
        self._guessed = frozenset()

    # ---- where schemas come from

    @classmethod
    def draft(cls, table, *, target: str | None = None) -> Schema:
        """A draft from the names and types of a table's columns. Reads no values: bounds and categories stay
        undeclared, and `undeclared` names the columns that a person must say more of. `notes` says what to look at.

        What a frame of pandas or polars says of kinds may have been guessed from the records (read_csv does so): a
        release says so too, until every used column was declared, or confirm() was called.
        """
        source = source_of(table)
        is_guessed = source.library in _GUESSING
        engine, notes = _engine.Schema.draft(source.engine, target, is_guessed)
        kinds = {entry["name"]: entry["kind"] for entry in _read_json(engine.to_json())["columns"]}
        guessed = [name for name, kind in kinds.items() if kind not in ("ignored", "identifier")] if is_guessed else ()
        return cls._of(engine, notes, guessed)._with_columns(_declared_by_type(source))

    @classmethod
    def read_public(cls, table, *, target: str | None = None) -> Schema:
        """The schema of a table that its owner declares public: bounds and categories as they occur.

        Privacy: reads values. Only for tables that need no protection; every release says where its schema came from.
        """
        engine, notes = _engine.Schema.read_public(source_of(table).engine, target)
        return cls._of(engine, notes)

    @classmethod
    def load(cls, path) -> Schema:
        """The schema in a file; code books are files beside it."""
        return cls._of(_engine.Schema.from_file(os.fspath(path)))

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """The schema in the text of a schema file."""
        return cls._of(_engine.Schema.from_json(instance("text", text, str, "Schema.load(path) reads a file")))

    @classmethod
    def _of(cls, engine, notes=(), guessed=()):
        self = cls.__new__(cls)
        self._engine = engine
        self._notes = tuple(notes)
        self._guessed = frozenset(guessed)
        return self

    # ---- what it says

    @property
    def columns(self) -> dict[str, Column]:
        """The columns by name, in order."""
        return {entry.pop("name"): Column(entry.pop("kind"), **entry) for entry in self._entry()["columns"]}

    @property
    def undeclared(self) -> list[str]:
        """Columns whose bounds or categories a person must declare, or buy, before a release."""
        bought = set(self._engine.bought)
        return [name for name in self._engine.undeclared if name not in bought]

    @property
    def target(self) -> str | None:
        return self._engine.target

    @property
    def relation(self) -> str:
        return self._entry().get("relation", "add-remove-one")

    @property
    def privacy_unit(self) -> tuple[str, int] | None:
        unit = self._entry().get("privacy_unit")
        return None if unit is None else (unit["column"], unit["max_rows"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of a draft should look at."""
        return self._notes

    def to_json(self) -> str:
        """The text of a schema file."""
        return self._engine.to_json()

    def save(self, path) -> None:
        """Writes a schema file."""
        write_whole(path, self.to_json().encode())

    # ---- other schemas

    def declare(self, columns: Mapping[str, Column] | None = None, /, **by_name: Column) -> Schema:
        """The same with these columns declared: schema.declare(age=mehler.integer(17, 90)), or a dict where names are
        no Python names."""
        _entries({} if columns is None else columns)  # refuses what is no dict
        return self._with_columns({**(columns or {}), **by_name})

    def buy(self, *names: str) -> Schema:
        """The same with the bounds or categories of these columns to be found by the release, with a part of the
        budget; without names, of all undeclared ones."""
        entry = self._entry()
        wanted = set(names or self.undeclared)
        _require_names(wanted, entry)
        for column in entry["columns"]:
            if column["name"] in wanted:
                key = "bounds" if "bounds" in column else "categories"
                if column.get(key) not in (BUY, UNDECLARED):
                    raise SchemaError(f"column '{column['name']}' is declared already: there is nothing to buy of it")
                column[key] = BUY
        return self._changed(entry)

    def confirm(self) -> Schema:
        """The same without the mark that kinds were guessed: somebody has checked them by what the columns are."""
        entry = self._entry()
        if entry.get("provenance") == _GUESSED:
            del entry["provenance"]
        return self._changed(entry, ())

    def with_target(self, target: str | None) -> Schema:
        """The same with another target, or none."""
        entry = self._entry()
        entry.pop("target", None)
        return self._changed(entry if target is None else {**entry, "target": target})

    def with_unit(self, column: str, *, max_rows: int) -> Schema:
        """The same where several records belong to one person, named by an identifier column: the guarantee covers all
        of a person's records, of which at most `max_rows` are used."""
        return self._changed({**self._entry(), "privacy_unit": _unit(column, max_rows)})

    def with_relation(self, relation: str) -> Schema:
        """The same with another relation: "add-remove-one" or "replace-one"."""
        return self._changed({**self._entry(), "relation": relation})

    def ignore_others(self) -> Schema:
        """The same, but columns of a table that the schema does not have are ignored instead of refused."""
        return self._changed({**self._entry(), "others": "ignored"})

    def with_rules(self, *, never=None, sums=None) -> Schema:
        """The same with rules that synthetic records obey, as the schema file writes them (docs/guide/constraints.md)."""
        rules = {"never": never, "sums": sums}
        return self._changed({**self._entry(), **{key: rule for key, rule in rules.items() if rule is not None}})

    # ---- beside a table

    def check(self, table) -> Check:
        """Looks whether a table's records fit. Raises TableError, naming columns, if they do not.

        Privacy: what it finds is found without noise; it is for the owner of the records.
        """
        source = source_of(table, schema=self._engine)
        return Check(self._engine.check(source.engine))

    # ---- as a Python object

    def __eq__(self, other):
        return self._engine == other._engine if isinstance(other, Schema) else NotImplemented

    def __hash__(self):
        return hash(self.to_json())

    def __reduce__(self):
        return Schema.from_json, (self.to_json(),)

    def __repr__(self):
        lines = [f"Schema of {len(self._engine.names)} columns" + (f", target '{self.target}'" if self.target else "")]
        lines += [f"  {name}: {column!r}" for name, column in self.columns.items()]
        return "\n".join(lines)

    def _repr_html_(self):
        rows = [(name, column.kind, words_of(column)) for name, column in self.columns.items()]
        unit = self.privacy_unit
        facts = [f"relation {self.relation}"]
        facts += [f"target {self.target}"] if self.target else []
        facts += [f"privacy unit {unit[0]}, at most {unit[1]} records"] if unit else []
        facts += [f"not declared yet: {', '.join(self.undeclared)}"] if self.undeclared else []
        return f"<p>Schema: {escape('; '.join(facts))}</p>" + table_html(("column", "kind", "declared"), rows)

    def _entry(self):
        return _read_json(self.to_json())

    def _changed(self, entry, guessed=None):
        return Schema._of(_parsed(entry), self._notes, self._guessed if guessed is None else guessed)

    def _with_columns(self, columns):
        """With these columns in the place of those of their names, which nobody guessed then."""
        entry = self._entry()
        _require_names(columns, entry)
        declared = {new["name"]: new for new in _entries(columns)}
        entry["columns"] = [declared.get(old["name"], old) for old in entry["columns"]]
        guessed = self._guessed - declared.keys()
        if self._guessed and not guessed:
            entry.pop("provenance", None)
        return self._changed(entry, guessed)


def engine_schema_of(schema):
    """The engine's schema of an argument that must be one."""
    if not isinstance(schema, Schema):
        raise ArgumentError(
            f"schema must be a mehler.Schema, but is {type(schema).__name__}; Schema.load(path) reads one, "
            "Schema.draft(table) begins one"
        )
    return schema._engine


class Check:
    """What the records of a table were found to be beside a schema that they fit.

    clamped       columns with values outside their bounds, which will be moved to the nearest one
    grouped       columns with values that are not listed, which will go to "other"
    broken_rules  rules of "never", counted from 1, that some record breaks

    Privacy: found without noise. No guarantee covers it; it is for the owner of the records.
    """

    __slots__ = ("clamped", "grouped", "broken_rules")

    def __init__(self, engine):
        self.clamped = engine.clamped
        self.grouped = engine.grouped
        self.broken_rules = engine.broken_rules

    def __repr__(self):
        found = ["The table fits. Found in the records, without noise: for their owner only."]
        if self.clamped:
            found.append(f"Values outside the bounds will be moved to the nearest bound: {', '.join(self.clamped)}.")
        if self.grouped:
            found.append(f"Values that are not listed will go to 'other': {', '.join(self.grouped)}.")
        if self.broken_rules:
            numbers = ", ".join(map(str, self.broken_rules))
            found.append(f"Some records have a combination that never occurs, by rule {numbers} of 'never'.")
        return "\n".join(found)


def _unit(column, max_rows):
    return {"column": column, "max_rows": whole_number("max_rows", max_rows, smallest=1)}


def _entries(columns):
    if not isinstance(columns, Mapping):
        raise SchemaError(
            f"columns must be a dict of names and declarations, such as {{'age': mehler.integer(17, 90)}}, but are "
            f"{type(columns).__name__}"
        )
    for name, column in columns.items():
        if not isinstance(name, str):
            raise SchemaError(f"a column's name must be a text, but one is {type(name).__name__}")
        if not isinstance(column, Column):
            raise SchemaError(
                f"column '{name}' is declared by {type(column).__name__}; declare it with mehler.integer(17, 90), "
                "mehler.categorical([...]) and the like"
            )
    return [{"name": name, **column} for name, column in columns.items()]


def _require_names(names, entry):
    known = [column["name"] for column in entry["columns"]]
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(str(name), known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(known[:12])}"
            raise SchemaError(f"the schema has no column '{name}'; {hint}")


def _read_json(text):
    import json  # not with the package: it would be half of what that takes

    return json.loads(text)


def _parsed(entry):
    import json

    try:
        text = json.dumps(entry, allow_nan=False)
    except (TypeError, ValueError):
        raise SchemaError(
            "the schema holds something that is no text, finite number, list or date; declare columns with these alone"
        ) from None
    return _engine.Schema.from_json(text)


def _declared_by_type(source):
    """What a type says of values by itself: the list of an Enum of polars was written by somebody. That of a pandas
    categorical was taken from the records, and declares nothing."""
    if source.library != "polars":
        return {}
    enums = {name: kind for name, kind in source.table.schema.items() if type(kind).__name__ == "Enum"}
    return {
        name: Column("categorical", categories=list(kind.categories), missing=True, type="dictionary")
        for name, kind in enums.items()
    }
