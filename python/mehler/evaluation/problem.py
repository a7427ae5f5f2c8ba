"""Two tables of one schema to a classification problem."""

from dataclasses import dataclass, replace

import numpy as np

from mehler.evaluation.columns import CodedColumn, Column, as_schema, code_table, used_columns
from mehler.evaluation.errors import EvaluationError, require_known
from mehler.evaluation.images import CodedImages, balanced_order


@dataclass(frozen=True)
class Labels:
    """Classes as numbers from 0; with two classes 1 is the positive one."""

    train: np.ndarray
    test: np.ndarray
    is_binary: bool


@dataclass(frozen=True)
class Problem:
    """Coded columns without the target, and the target's classes."""

    columns: list[Column]
    train: dict[str, CodedColumn | CodedImages]
    test: dict[str, CodedColumn | CodedImages]
    labels: Labels
    positive: str | None
    notes: list[str]

    @property
    def has_images(self):
        return any(column.is_image for column in self.columns)

    def beginning(self, records):
        """With the first so many training records of an order in which classes take turns. Raises EvaluationError where
        there are fewer."""
        if records > len(self.labels.train):
            raise EvaluationError(
                f"the train table has {len(self.labels.train)} records with a known target, fewer than {records}; give "
                "more records, or a smaller number to train on"
            )
        chosen = balanced_order(self.labels.train)[:records]
        train = {name: column.rows(chosen) for name, column in self.train.items()}
        return replace(self, train=train, labels=replace(self.labels, train=self.labels.train[chosen]))


def _target_column(columns, target):
    require_known(target, [column.name for column in columns], "column for the target")
    column = next(column for column in columns if column.name == target)
    if column.is_number or column.is_image:
        raise EvaluationError(
            f"the target '{target}' is {column.kind} in the schema; classifiers need a categorical, ordinal "
            "or boolean one"
        )
    if len(column.labels) < 2:
        raise EvaluationError(f"the target '{target}' has one category in the schema; classifiers need at least two")
    if len(columns) < 2:
        raise EvaluationError(
            "the schema has no column beside the target; classifiers need at least one to predict from"
        )
    return column


def _with_known_target(coded, target, table_name, notes):
    """Leaves out records whose target is missing or not in the schema; notes these, and other values not allowed."""
    for name, column in coded.items():
        if column.refused:
            notes.append(
                f"column '{name}' of the {table_name} table: {column.refused} values that the schema does not allow "
                "count as missing"
            )
    known = ~coded[target.name].is_missing
    if not known.any():
        raise EvaluationError(f"the target '{target.name}' is missing in every record of the {table_name} table")
    if not known.all():
        notes.append(f"{int((~known).sum())} records of the {table_name} table without a known target are left out")
    return {name: column.rows(known) for name, column in coded.items()}


def _positive_code(column, positive, test):
    """The class that is looked for: the one named, else the rarer one of the test table (of equals, the second)."""
    if positive is not None:
        require_known(positive, column.labels, f"class of the target '{column.name}'")
        return column.labels.index(positive)
    counts = np.bincount(test, minlength=2)
    return 0 if counts[0] < counts[1] else 1


def _note_classes(column, train, test, notes):
    absent = sorted(set(test) - set(train))
    if len(set(train)) == 1:
        notes.append(
            "the train table has a single class: every classifier predicts it, and ranks no record above another"
        )
    elif absent:
        notes.append(
            f"classes of the test table that the train table has not, and that nothing can predict: "
            f"{', '.join(column.labels[code] for code in absent)}"
        )


def make_problem(train, test, schema, target, positive=None):
    """Raises mehler.Error for tables, a schema or a target that cannot be scored."""
    schema = as_schema(schema)
    columns = used_columns(schema)
    target_column = _target_column(columns, target)
    notes = []
    coded = {
        name: _with_known_target(code_table(schema, columns, table, name), target_column, name, notes)
        for name, table in (("train", train), ("test", test))
    }
    classes = {name: table.pop(target).values for name, table in coded.items()}
    if len(set(classes["test"])) == 1:
        raise EvaluationError(
            f"the target '{target}' has a single class in the test table; give one with records of two"
        )
    _note_classes(target_column, classes["train"], classes["test"], notes)
    is_binary = len(target_column.labels) == 2
    if not is_binary and positive is not None:
        raise EvaluationError(f"the target '{target}' has more than two classes; leave the positive class out")
    positive_code = _positive_code(target_column, positive, classes["test"]) if is_binary else None
    if is_binary:
        classes = {name: (codes == positive_code).astype(np.int64) for name, codes in classes.items()}
    return Problem(
        columns=[column for column in columns if column.name != target],
        train=coded["train"],
        test=coded["test"],
        labels=Labels(classes["train"], classes["test"], is_binary),
        positive=target_column.labels[positive_code] if is_binary else None,
        notes=notes,
    )
