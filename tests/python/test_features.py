"""Tables to matrices: what classifiers see."""

import numpy as np
import pyarrow as pa
import pytest

from mehler.evaluation import EvaluationError
from mehler.evaluation.columns import code_column
from mehler.evaluation.features import CODES, ONE_HOT, RAW, encode
from mehler.evaluation.schema import Column, column_names, used_columns

NUMBER = Column("n", "numeric", bounds=(0.0, 10.0))
LABEL = Column("c", "categorical", labels=("x", "y", "z"))
RANK = Column("o", "ordinal", labels=("a", "b", "c"))


def coded(column, values):
    return code_column(column, pa.chunked_array([pa.array(values)]), "train")


def matrices(column, train, test, encoding, scaling="standardised"):
    tables = [{column.name: coded(column, values)} for values in (train, test)]
    features = encode([column], *tables, encoding, scaling)
    return features.train.tolist(), features.test.tolist()


def test_numbers_are_standardised_by_the_training_table():
    train, test = matrices(NUMBER, [1.0, 3.0], [2.0, 99.0], ONE_HOT)
    assert train == [[-1.0], [1.0]]
    assert test == [[0.0], [8.0]]  # beyond the bounds is at the bound


def test_missing_numbers_are_the_mean_and_have_an_indicator():
    train, test = matrices(NUMBER, [1.0, 3.0, None], [None, 3.0], ONE_HOT)
    assert train == [[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert test == [[0.0, 1.0], [1.0, 0.0]]


def test_bounds_scale_to_the_unit_interval():
    assert matrices(NUMBER, [0.0, 5.0], [10.0], CODES, "bounds") == ([[0.0], [0.5]], [[1.0]])
    assert matrices(RANK, ["a", "b"], ["c"], ONE_HOT, "bounds") == ([[0.0], [0.5]], [[1.0]])


def test_labels_are_one_hot_in_the_order_of_the_schema():
    train, test = matrices(LABEL, ["y", "x", None], ["z", "y"], ONE_HOT)
    assert train == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]  # x, y, missing; z is constant in the training table
    assert test == [[0, 0, 0], [0, 1, 0]]


def test_labels_are_places_for_trees_and_missing_is_one_more():
    for encoding in (CODES, RAW):
        assert matrices(LABEL, ["y", None], ["z", "x"], encoding) == ([[1], [3]], [[2], [0]])


def test_ordinal_labels_are_ranks():
    assert matrices(RANK, ["a", "c"], ["b"], ONE_HOT) == ([[-1.0], [1.0]], [[0.0]])


def test_the_published_encoding_is_raw_and_fills_the_median():
    assert matrices(NUMBER, [1.0, 2.0, 9.0, None], [4.0], RAW) == ([[1.0], [2.0], [9.0], [2.0]], [[4.0]])


@pytest.mark.parametrize("encoding", [ONE_HOT, CODES, RAW])
def test_constant_and_absent_columns_give_no_feature(encoding):
    assert matrices(NUMBER, [4.0, 4.0], [1.0], encoding) == ([[], []], [[]])
    assert matrices(NUMBER, [None, None], [1.0], encoding) == ([[], []], [[]])
    assert matrices(LABEL, [None, None], ["x"], encoding) == ([[], []], [[]])


def test_values_that_the_schema_does_not_allow_count_as_missing():
    assert coded(LABEL, ["x", "other", None]).refused == 1
    assert coded(NUMBER, [1.0, float("nan"), float("inf"), None]).refused == 2
    other = Column("c", "categorical", labels=("x", "rest"), other="rest")
    assert coded(other, ["x", "?"]).values.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("date", ["1970-01-02", "1970-01-11"], [1, 10]),
        ("date", np.array(["1970-01-02", "1970-01-11"], "datetime64[D]"), [1, 10]),
        ("datetime", ["1970-01-01T00:00:01", "1970-01-01 00:00:02"], [1e6, 2e6]),
        ("datetime", ["1970-01-01T01:00:01+01:00", "1970-01-01T00:00:02Z"], [1e6, 2e6]),
        ("numeric", ["1.5", "2"], [1.5, 2]),
        ("integer", [3, 4], [3, 4]),
    ],
)
def test_numbers_dates_and_times_are_read(kind, values, expected):
    assert coded(Column("n", kind, bounds=(0, 1e12)), values).values.tolist() == expected


def test_labels_may_be_whole_numbers_booleans_and_dictionaries():
    column = Column("c", "categorical", labels=("0", "1"))
    assert coded(column, [1, 0]).values.tolist() == [1, 0]
    assert coded(column, pa.array([1.0, None, 0.0])).values.tolist() == [1, -1, 0]
    assert coded(column, pa.array(["1", "0"]).dictionary_encode()).values.tolist() == [1, 0]
    boolean = Column("b", "boolean", labels=("false", "true"))
    assert coded(boolean, [True, False]).values.tolist() == [1, 0]
    assert coded(boolean, ["TRUE", "0", "maybe"]).values.tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (NUMBER, ["1", "secret"]),
        (NUMBER, [True]),
        (NUMBER, [b"1"]),
        (LABEL, [0.5]),
        (Column("d", "date", bounds=(0, 1)), [1, 2]),
        (Column("d", "date", bounds=(0, 1)), ["yesterday"]),
    ],
)
def test_another_kind_is_refused_without_its_values(column, values):
    with pytest.raises(EvaluationError, match=f"column '{column.name}' of the train table .* {column.kind}") as error:
        coded(column, values)
    assert "secret" not in str(error.value)


def test_a_column_of_the_schema_without_a_declaration_is_refused(schema):
    for key, place, word in (("bounds", 1, "bounds"), ("categories", 3, "categories"), ("bounds", 6, "bounds")):
        broken = {**schema, "columns": [dict(column) for column in schema["columns"]]}
        broken["columns"][place][key] = "undeclared"
        with pytest.raises(EvaluationError, match=f"no {word}; declare"):
            used_columns(broken)
    with pytest.raises(EvaluationError, match="version 1"):
        used_columns({"columns": []})
    schema["columns"][1]["kind"] = "real"
    with pytest.raises(EvaluationError, match="unknown kind 'real'"):
        used_columns(schema)


def test_columns_that_follow_from_others_are_not_asked_for():
    schema = {
        "mehler_schema": 1,
        "sums": [{"parts": ["a", "b"], "total": "t"}],
        "columns": [
            {"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [1, 5]}},
            {"name": "a", "kind": "integer", "bounds": [0, 10]},
            {"name": "end", "kind": "datetime", "after": {"column": "start", "bounds": [0, 60]}},
            {"name": "start", "kind": "datetime", "bounds": ["1970-01-01", "1970-01-02"], "parts": ["hour"]},
            {"name": "twice", "kind": "integer", "derived": "a * 2"},
            {"name": "sign", "kind": "boolean", "determined_by": {"column": "a", "map": {"0": False}}, "missing": True},
            {"name": "t", "kind": "integer"},
        ],
    }
    assert {column.name: column.bounds for column in used_columns(schema)} == {
        "b": (1, 15),
        "a": (0, 10),
        "end": (0, 86_460e6),
        "start": (0, 86_400e6),
    }
    assert column_names(schema) == ["b", "a", "end", "start", "start_hour", "twice", "sign", "t"]
    schema["columns"][1]["at_least"] = {"column": "b", "bounds": [0, 1]}
    del schema["columns"][1]["bounds"]
    with pytest.raises(EvaluationError, match="schema check"):
        used_columns(schema)
