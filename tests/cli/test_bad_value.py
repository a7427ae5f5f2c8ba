"""Values that do not fit their column: the column is named, and the value is never quoted."""

from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def test_text_in_a_numeric_column_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("income", "wealthy-Ms-Quill"))
    assert_refused(
        release(table="text.csv"),
        "'income'",
        "declared numeric",
        "not a number",
        "--null",
        secrets=["wealthy", "Quill"],
    )


def test_text_in_an_integer_column_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("age", "forty-four"))
    assert_refused(
        release(table="text.csv"),
        "'age'",
        "declared integer",
        "not a number",
        "--null",
        secrets=["forty"],
    )


@pytest.mark.parametrize(
    "values",
    [
        ["wealthy-Ms-Quill"] * 3,
        [True] * 3,
        [[1.5]] * 3,
        [b"Quill"] * 3,
        [{"per_year": 1.5}] * 3,
        [datetime(2020, 1, 1)] * 3,
    ],
    ids=["text", "boolean", "list", "binary", "struct", "timestamp"],
)
@pytest.mark.parametrize("kind", ["numeric", "integer"])
def test_a_typed_column_that_holds_no_numbers_is_refused(release, run, study, assert_refused, values, kind):
    study.write_schema(
        "x.json",
        {"mehler_schema": 1, "columns": [{"name": "income", "kind": kind, "bounds": [0, 100]}]},
    )
    pq.write_table(pa.table({"income": values}), study.folder / "x.parquet")
    for result in (
        release("--threads", "1", table="x.parquet", schema="x.json"),
        release("--threads", "2", table="x.parquet", schema="x.json"),
        run("schema", "check", "x.json", "x.parquet"),
    ):
        assert_refused(result, "'income'", kind, secrets=["wealthy", "Quill", "per_year"])


def test_text_in_a_boolean_column_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("smoker", "only-on-Sundays"))
    assert_refused(release(table="text.csv"), "'smoker'", "true", "false", "categorical", secrets=["Sundays"])


def test_a_value_that_is_no_date_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("visit", "2021-02-30"))
    assert_refused(release(table="text.csv"), "'visit'", "YYYY-MM-DD", secrets=["2021-02-30"])


@pytest.mark.parametrize("spelling", ["NaN", "nan", "-nan", "-NaN"])
def test_nan_is_refused(release, study, assert_refused, spelling):
    study.write_table("nan.csv", rows=study.rows_with("income", spelling))
    assert_refused(release(table="nan.csv"), "'income'", "NaN", '"missing": true')


@pytest.mark.parametrize("spelling", ["inf", "-inf", "Infinity", "1e999"])
def test_infinity_is_refused(release, study, assert_refused, spelling):
    study.write_table("infinity.csv", rows=study.rows_with("income", spelling))
    assert_refused(release(table="infinity.csv"), "'income'", "infinity", "missing")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_nan_and_infinity_in_parquet_are_refused(release, run, study, assert_refused, value):
    schema = {"mehler_schema": 1, "columns": [{"name": "x", "kind": "numeric", "bounds": [0, 1]}]}
    study.write_schema("x.json", schema)
    pq.write_table(pa.table({"x": [0.5, value, 0.25]}), study.folder / "x.parquet")
    holds = "holds NaN" if value != value else "holds infinity"
    assert_refused(release(table="x.parquet", schema="x.json"), "'x'", holds)
    assert_refused(run("schema", "check", "x.json", "x.parquet"), "'x'", holds)


def test_missing_values_are_refused_where_none_are_declared(release, study, assert_refused):
    study.write_table("gaps.csv", rows=study.rows_with("age", ""))
    assert_refused(release(table="gaps.csv"), "'age'", "missing values", '"missing": true')


def test_an_unknown_category_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("other.csv", rows=study.rows_with("region", "Atlantis"))
    assert_refused(release(table="other.csv"), "'region'", "categories", '"other"', secrets=["Atlantis"])


def test_an_unknown_class_of_the_target_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("other.csv", rows=study.rows_with("outcome", "deceased"))
    assert_refused(release(table="other.csv"), "'outcome'", "categories", secrets=["deceased"])


def test_a_value_out_of_range_is_refused_where_the_schema_says_so(release, study, assert_refused):
    study.write_schema(schema=study.schema_with("income", out_of_range="refuse"))
    study.write_table("far.csv", rows=study.rows_with("income", "987654.32"))
    assert_refused(
        release(table="far.csv"),
        "'income'",
        "outside its bounds",
        "widen",
        "clamp",
        secrets=["987654"],
    )
