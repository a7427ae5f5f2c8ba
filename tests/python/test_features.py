"""Tables to matrices: what classifiers see."""

import numpy as np
import pyarrow as pa
import pytest

from mehler import SchemaError, TableError
from mehler.evaluation.columns import as_schema, code_table, used_columns
from mehler.evaluation.features import CODES, ONE_HOT, RAW, encode

NUMBER = {"name": "n", "kind": "numeric", "bounds": [0, 10], "missing": True}
LABEL = {"name": "c", "kind": "categorical", "categories": ["x", "y", "z"], "missing": True}
RANK = {"name": "o", "kind": "ordinal", "categories": ["a", "b", "c"]}
DATE = {"name": "d", "kind": "date", "bounds": ["1970-01-01", "1999-12-31"]}


def schema_of(*columns):
    return as_schema({"mehler_schema": 1, "columns": list(columns)})


def coded(column, values):
    schema = schema_of(column)
    table = pa.table({column["name"]: pa.chunked_array([pa.array(values)])})
    return code_table(schema, used_columns(schema), table, "train")[column["name"]]


def matrices(column, train, test, encoding, scaling="standardised"):
    tables = [{column["name"]: coded(column, values)} for values in (train, test)]
    features = encode(used_columns(schema_of(column)), *tables, encoding, scaling)
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
    assert coded(NUMBER, [1.0, float("nan"), float("inf"), None]).refused == 1  # NaN is a missing value
    assert coded(DATE, ["1970-01-02", "yesterday"]).refused == 1
    other = {**LABEL, "categories": ["x", "rest"], "other": "rest"}
    assert coded(other, ["x", "?"]).values.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("date", ["1970-01-02", "1970-01-11"], [1, 10]),
        ("date", np.array(["1970-01-02", "1970-01-11"], "datetime64[D]"), [1, 10]),
        ("datetime", ["1970-01-01T00:00:01", "1970-01-01 00:00:02"], [1e6, 2e6]),
        ("datetime", ["1970-01-01T01:00:01+01:00", "1970-01-01T00:00:02Z"], [1e6, 2e6]),
        ("integer", [3, 4], [3, 4]),
    ],
)
def test_numbers_dates_and_times_are_read(kind, values, expected):
    bounds = [0, 9] if kind == "integer" else DATE["bounds"]
    assert coded({"name": "n", "kind": kind, "bounds": bounds}, values).values.tolist() == expected


def test_labels_may_be_whole_numbers_booleans_and_dictionaries():
    column = {**LABEL, "categories": [0, 1]}
    assert coded(column, [1, 0]).values.tolist() == [1, 0]
    assert coded(column, pa.array([1, None, 0])).values.tolist() == [1, -1, 0]
    assert coded(column, pa.array(["1", "0"]).dictionary_encode()).values.tolist() == [1, 0]
    boolean = {"name": "b", "kind": "boolean"}
    assert coded(boolean, [True, False]).values.tolist() == [1, 0]
    assert coded(boolean, ["TRUE", "0", "maybe"]).values.tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("column", "values"),
    [(NUMBER, ["1", "secret"]), (NUMBER, [True]), (NUMBER, [b"1"]), (LABEL, [b"x"]), (DATE, [1.5, 2.5])],
)
def test_another_kind_is_refused_without_its_values(column, values):
    with pytest.raises(TableError, match=f"in the train table: column '{column['name']}'.* {column['kind']}") as error:
        coded(column, values)
    assert "secret" not in str(error.value)


def test_a_column_of_the_schema_without_a_declaration_is_refused(schema):
    for key, place in (("bounds", 1), ("categories", 3), ("bounds", 6)):
        broken = {**schema, "columns": [dict(column) for column in schema["columns"]]}
        broken["columns"][place][key] = "undeclared"
        with pytest.raises(SchemaError, match=f"'{schema['columns'][place]['name']}'"):
            used_columns(as_schema(broken))
    with pytest.raises(SchemaError, match="mehler_schema"):
        as_schema({"columns": []})


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
    known = as_schema(schema)
    assert {column.name: column.bounds for column in used_columns(known)} == {
        "b": (1, 15),
        "a": (0, 10),
        "end": (0, 86_460e6),
        "start": (0, 86_400e6),
    }
    table = pa.table({"b": [2], "a": [1], "end": ["1970-01-01T00:00:09"], "start": ["1970-01-01T00:00:01"]})
    assert list(code_table(known, used_columns(known), table, "train")) == ["b", "a", "end", "start"]
