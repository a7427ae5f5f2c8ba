"""Tables that cannot be released: each is refused by name, and no record is quoted."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def test_a_missing_table_is_refused(release, assert_refused):
    assert_refused(release(table="nowhere.csv"), "the table 'nowhere.csv'", "No such file", "check")


def test_an_empty_file_is_refused(release, study, assert_refused):
    (study.folder / "empty.csv").touch()
    assert_refused(release(table="empty.csv"), "'empty.csv' is empty", "check")


def test_an_empty_standard_input_is_refused(release, assert_refused):
    assert_refused(release(table="-", stdin=""), "standard input", "is empty")


def test_a_header_without_rows_is_refused(release, study, assert_refused):
    study.write_table("header.csv", rows=[])
    assert_refused(release(table="header.csv"), "no rows", "at least one record")


def test_schema_check_refuses_a_header_without_rows(run, study, assert_refused):
    study.write_table("header.csv", rows=[])
    assert_refused(run("schema", "check", "study.schema.json", "header.csv"), "no rows")


def test_a_parquet_table_without_rows_is_refused(release, study, assert_refused):
    fields = [("income", pa.float64()), ("age", pa.int64()), ("region", pa.string()),
              ("smoker", pa.bool_()), ("visit", pa.date32()), ("outcome", pa.string())]
    pq.write_table(pa.schema(fields).empty_table(), study.folder / "none.parquet")
    assert_refused(release(table="none.parquet"), "no rows", "at least one record")


@pytest.mark.parametrize("threads", ["1", "4"])
def test_ragged_rows_are_refused_without_quoting_them(release, study, assert_refused, threads):
    rows = study.rows_with("outcome", "ill,pneumonia-of-Ms-Quill")
    text = "\n".join(",".join(row) for row in [study.columns, *rows]) + "\n"
    (study.folder / "ragged.csv").write_text(text)
    assert_refused(release("--threads", threads, table="ragged.csv"), "'ragged.csv'", "7 columns",
                   "8 fields", "delimiter", secrets=["pneumonia", "Quill"])


def test_a_row_that_is_too_short_is_refused(release, study, assert_refused):
    rows = [*study.rows, study.rows[0][:4]]
    study.write_table("short.csv", rows=rows)
    assert_refused(release(table="short.csv"), "'short.csv'", "7 columns", "4 fields", "quotes")


def test_a_quote_that_is_never_closed_is_refused(release, study, assert_refused):
    rows = study.rows_with("region", '"north')
    text = "\n".join(",".join(row) for row in [study.columns, *rows]) + "\n"
    (study.folder / "open.csv").write_text(text)
    assert_refused(release(table="open.csv"), "'open.csv'", "quote")


def test_duplicate_column_names_are_refused(release, study, assert_refused):
    columns = [*study.columns, "age"]
    study.write_table("twice.csv", columns=columns, rows=[[*row, "33"] for row in study.rows])
    assert_refused(release(table="twice.csv"), "'twice.csv'", "'age'", "twice", "rename")


def test_a_column_that_the_schema_lacks_is_refused_with_the_near_name(release, study, assert_refused):
    columns = ["incomes" if name == "income" else name for name in study.columns]
    study.write_table("renamed.csv", columns=columns)
    assert_refused(release(table="renamed.csv"), "'incomes'", "did you mean 'income'?", "ignored")


def test_a_column_that_the_table_lacks_is_refused(release, study, assert_refused):
    study.write_table("narrow.csv", columns=study.columns[:-1],
                      rows=[row[:-1] for row in study.rows])
    assert_refused(release(table="narrow.csv"), "'narrow.csv'", "lacks the column 'outcome'", "schema")


def test_a_record_in_the_header_line_is_not_quoted(release, study, assert_refused):
    study.write_table("bare.csv", columns=())
    assert_refused(release(table="bare.csv"), "'bare.csv'", "--no-header", secrets=study.rows[0][:3])


def test_text_in_a_numeric_column_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("income", "wealthy-Ms-Quill"))
    assert_refused(release(table="text.csv"), "'income'", "declared numeric", "not a number", "--null",
                   secrets=["wealthy", "Quill"])


def test_text_in_an_integer_column_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("age", "forty-four"))
    assert_refused(release(table="text.csv"), "'age'", "declared integer", "whole number", "--null",
                   secrets=["forty"])


def test_a_text_column_of_parquet_that_is_declared_numeric_is_refused(release, study, assert_refused):
    columns = {name: [row[i] for row in study.rows] for i, name in enumerate(study.columns)}
    columns["income"] = ["wealthy-Ms-Quill"] * len(study.rows)
    pq.write_table(pa.table(columns), study.folder / "text.parquet")
    assert_refused(release(table="text.parquet"), "'income'", "numeric", secrets=["wealthy"])


def test_text_in_a_boolean_column_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("smoker", "only-on-Sundays"))
    assert_refused(release(table="text.csv"), "'smoker'", "true", "false", "categorical",
                   secrets=["Sundays"])


def test_a_value_that_is_no_date_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("text.csv", rows=study.rows_with("visit", "2021-02-30"))
    assert_refused(release(table="text.csv"), "'visit'", "YYYY-MM-DD", secrets=["2021-02-30"])


@pytest.mark.parametrize("spelling", ["NaN", "nan", "-nan", "-NaN"])
def test_nan_is_refused(release, study, assert_refused, spelling):
    study.write_table("nan.csv", rows=study.rows_with("income", spelling))
    assert_refused(release(table="nan.csv"), "'income'", "NaN", "--null")


@pytest.mark.parametrize("spelling", ["inf", "-inf", "Infinity", "1e999"])
def test_infinity_is_refused(release, study, assert_refused, spelling):
    study.write_table("infinity.csv", rows=study.rows_with("income", spelling))
    assert_refused(release(table="infinity.csv"), "'income'", "infinity", "missing")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_nan_and_infinity_in_parquet_are_refused(release, run, study, assert_refused, value):
    schema = {"mehler_schema": 1, "columns": [{"name": "x", "kind": "numeric", "bounds": [0, 1]}]}
    study.write_schema("x.json", schema)
    pq.write_table(pa.table({"x": [0.5, value, 0.25]}), study.folder / "x.parquet")
    assert_refused(release(table="x.parquet", schema="x.json"), "'x'", "NaN or infinity")
    assert_refused(run("schema", "check", "x.json", "x.parquet"), "'x'", "NaN or infinity")


def test_bytes_that_are_not_utf8_are_refused(release, study, assert_refused):
    text = study.write_table("latin.csv", rows=study.rows_with("region", "nörd")).read_text()
    (study.folder / "latin.csv").write_bytes(text.encode("latin-1"))
    assert_refused(release(table="latin.csv"), "'region'", "not UTF-8", "iconv", secrets=["rd,"])


def test_a_column_name_that_is_not_utf8_is_refused(release, study, assert_refused):
    columns = [*study.columns[:-1], "größe"]
    text = study.write_table("latin.csv", columns=columns).read_text()
    (study.folder / "latin.csv").write_bytes(text.encode("latin-1"))
    assert_refused(release(table="latin.csv"), "column name", "not UTF-8", "iconv")


def test_utf16_is_refused_by_name(release, study, assert_refused):
    text = (study.folder / "study.csv").read_text()
    (study.folder / "wide.csv").write_bytes(text.encode("utf-16"))
    assert_refused(release(table="wide.csv"), "UTF-16", "UTF-8")


def test_missing_values_are_refused_where_none_are_declared(release, study, assert_refused):
    study.write_table("gaps.csv", rows=study.rows_with("age", ""))
    assert_refused(release(table="gaps.csv"), "'age'", "missing values", '"missing": true')


def test_an_unknown_category_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("other.csv", rows=study.rows_with("region", "Atlantis"))
    assert_refused(release(table="other.csv"), "'region'", "categories", '"other"',
                   secrets=["Atlantis"])


def test_an_unknown_class_of_the_target_is_refused_without_quoting_it(release, study, assert_refused):
    study.write_table("other.csv", rows=study.rows_with("outcome", "deceased"))
    assert_refused(release(table="other.csv"), "'outcome'", "categories", secrets=["deceased"])


def test_a_value_out_of_range_is_refused_where_the_schema_says_so(release, study, assert_refused):
    study.write_schema(schema=study.schema_with("income", out_of_range="refuse"))
    study.write_table("far.csv", rows=study.rows_with("income", "987654.32"))
    assert_refused(release(table="far.csv"), "'income'", "outside its bounds", "widen", "clamp",
                   secrets=["987654"])


def test_a_damaged_gzip_file_is_refused(release, study, assert_refused):
    (study.folder / "study.csv.gz").write_bytes(b"\x1f\x8b\x08\x00 this is no gzip stream")
    assert_refused(release(table="study.csv.gz"), "'study.csv.gz'")


def test_a_truncated_parquet_file_is_refused(release, study, assert_refused):
    pq.write_table(pa.table({"income": [1.0, 2.0]}), study.folder / "cut.parquet")
    whole = (study.folder / "cut.parquet").read_bytes()
    (study.folder / "cut.parquet").write_bytes(whole[:-20])
    assert_refused(release(table="cut.parquet"), "'cut.parquet'")


def test_a_table_given_twice_is_refused(release, assert_refused):
    assert_refused(release(table=["study.csv", "./study.csv"]), "twice", "once")


def test_a_folder_without_parts_is_refused(release, study, assert_refused):
    (study.folder / "parts").mkdir()
    assert_refused(release(table="parts"), "'parts'", "without parts")
