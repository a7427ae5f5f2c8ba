"""The columns of a mehler schema (docs/guide/schema.md), as far as encoding needs them."""

import datetime
from dataclasses import dataclass

from mehler.evaluation.errors import EvaluationError

NUMBER_KINDS = ("numeric", "integer", "date", "datetime")
LABEL_KINDS = ("categorical", "ordinal", "boolean")
IMAGE = "image"
UNUSED_KINDS = ("identifier", "ignored")


@dataclass(frozen=True)
class Column:
    """A column that is used. Numbers have bounds (dates in days, times in microseconds), images a shape (rows, columns,
    channels), the others labels."""

    name: str
    kind: str
    bounds: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    other: str | None = None
    shape: tuple[int, ...] = ()

    @property
    def is_number(self):
        return self.kind in NUMBER_KINDS

    @property
    def is_image(self):
        return self.kind == IMAGE


def _bound(value, kind, name):
    try:
        if kind == "date":
            return float((datetime.date.fromisoformat(value) - datetime.date(1970, 1, 1)).days)
        if kind == "datetime":
            moment = datetime.datetime.fromisoformat(value)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=datetime.UTC)
            return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) / datetime.timedelta(microseconds=1)
        return float(value)
    except (TypeError, ValueError):
        raise EvaluationError(
            f"in the schema, column '{name}' has a bound that does not fit its kind {kind}; "
            "'mehler schema check' says more"
        ) from None


def _is_computed(entry, totals):
    """Whether a column follows from others (docs/guide/constraints.md): tables need not have it."""
    return "derived" in entry or "determined_by" in entry or entry["name"] in totals


def _totals(schema):
    return {rule.get("total") for rule in schema.get("sums", [])}


def _following_bounds(entry, entries):
    """The bounds of a number that is at least another one, from those of the other."""
    rule = entry.get("at_least", entry.get("after"))
    if "bounds" in entry or not isinstance(rule, dict):
        return None
    other = next((known for known in entries if known.get("name") == rule.get("column")), None)
    if other is None or other is entry or len(rule.get("bounds", ())) != 2:
        raise EvaluationError(
            f"in the schema, column '{entry['name']}' is at least a column that there is not; "
            "'mehler schema check' says more"
        )
    start = _column(other, [known for known in entries if known is not entry]).bounds
    unit = 1e6 if entry["kind"] == "datetime" else 1.0
    return tuple(bound + unit * float(more) for bound, more in zip(start, rule["bounds"]))


def _image(entry):
    shape = entry.get("shape")
    if not isinstance(shape, (list, tuple)) or len(shape) != 3 or not all(type(s) is int and s > 0 for s in shape):
        raise EvaluationError(
            f"in the schema, column '{entry['name']}' has no shape of images; write [rows, columns, channels]"
        )
    return Column(entry["name"], IMAGE, shape=tuple(shape))


def _column(entry, entries):
    name, kind = entry["name"], entry["kind"]
    if kind in NUMBER_KINDS:
        following = _following_bounds(entry, entries)
        if following is not None:
            return Column(name, kind, bounds=following)
        bounds = entry.get("bounds", "undeclared")
        if bounds == "undeclared":
            raise EvaluationError(f"in the schema, column '{name}' has no bounds; declare them from public knowledge")
        if not isinstance(bounds, (list, tuple)) or len(bounds) != 2:
            raise EvaluationError(
                f"in the schema, column '{name}' has bounds that are not a pair; write [smallest, largest]"
            )
        return Column(name, kind, bounds=tuple(_bound(value, kind, name) for value in bounds))
    if kind == IMAGE:
        return _image(entry)
    if kind == "boolean":
        return Column(name, kind, labels=("false", "true"))
    if kind not in LABEL_KINDS:
        known = ", ".join((*NUMBER_KINDS, *LABEL_KINDS, IMAGE, *UNUSED_KINDS))
        raise EvaluationError(f"in the schema, column '{name}' has the unknown kind '{kind}'; known are: {known}")
    labels = entry.get("categories", "undeclared")
    if labels == "undeclared" or not labels:
        raise EvaluationError(f"in the schema, column '{name}' has no categories; declare them from public knowledge")
    labels = [str(label).lower() if isinstance(label, bool) else str(label) for label in labels]
    other = entry.get("other")
    if other is not None and other not in labels:
        labels.append(other)
    return Column(name, kind, labels=tuple(labels), other=other)


def used_columns(schema):
    """The used columns of a schema in its order, without those that are computed from others. Raises EvaluationError
    for one that is not declared."""
    if not isinstance(schema, dict) or schema.get("mehler_schema") != 1 or not isinstance(schema.get("columns"), list):
        raise EvaluationError(
            'the schema is not a mehler schema of version 1: an object with "mehler_schema": 1 and a list "columns"; '
            "'mehler schema init TABLE' drafts one"
        )
    columns = []
    for number, entry in enumerate(schema["columns"], start=1):
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or "kind" not in entry:
            raise EvaluationError(f"in the schema, column {number} has no name or no kind; give both")
        if entry["kind"] not in UNUSED_KINDS and not _is_computed(entry, _totals(schema)):
            columns.append(_column(entry, schema["columns"]))
    return columns


def column_names(schema):
    """The names of all columns, the unused ones too, in the schema's order, each with those of its parts behind it."""
    used_columns(schema)
    names = []
    for entry in schema["columns"]:
        names += [entry["name"]] + [f"{entry['name']}_{part}" for part in entry.get("parts", ())]
    return list(dict.fromkeys(names))
