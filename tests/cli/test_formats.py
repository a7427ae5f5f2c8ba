"""Every way of writing a table down that is read: schema check and release accept each."""

import csv
import gzip
import io
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def assert_accepted(run, release, study, assert_done):
    """assert_accepted(table, *options): the table fits its schema and is released."""

    def check(table, *options, schema="study.schema.json", stdin=None):
        tables = table if isinstance(table, list) else [table]
        result = run("schema", "check", schema, *tables, *options, stdin=stdin)
        assert_done(result)
        assert result.stdout.startswith("The table fits") and "will " not in result.stdout
        result = release("--quiet", *options, table=table, schema=schema, stdin=stdin)
        assert_done(result)
        assert result.new_files == {"out.release"}
        (study.folder / "out.release").unlink()

    return check


def arrow_table(study):
    """The study with the types that a database would give it."""
    columns = {name: [row[i] or None for row in study.rows] for i, name in enumerate(study.columns)}
    columns["income"] = pa.array([float(value) for value in columns["income"]])
    columns["age"] = pa.array([int(value) for value in columns["age"]], pa.int16())
    columns["region"] = pa.array(columns["region"]).dictionary_encode()
    columns["smoker"] = pa.array([value == "true" for value in columns["smoker"]])
    columns["visit"] = pa.array([date.fromisoformat(value) for value in columns["visit"]])
    return pa.table(columns)


def test_plain_csv(assert_accepted):
    assert_accepted("study.csv")


def test_csv_with_semicolons(study, assert_accepted):
    study.write_table("semicolon.csv", delimiter=";")
    assert_accepted("semicolon.csv", "--delimiter", ";")


def test_csv_with_tabs(study, assert_accepted):
    study.write_table("study.tsv", delimiter="\t")
    assert_accepted("study.tsv")
    study.write_table("tabs.txt", delimiter="\t")
    assert_accepted("tabs.txt", "--delimiter", "tab")


def test_csv_with_quotes_line_breaks_and_carriage_returns(study, assert_accepted):
    odd = 'the "far"\nwest, beyond'
    study.write_schema(schema=study.schema_with("region", categories=["north", "south", "west", odd]))
    rows = study.rows_with("region", odd)
    study.write_table("quotes.csv", rows=rows)
    assert_accepted("quotes.csv")
    study.write_table("all_quoted.csv", rows=[row for row in rows if row[3]], quoting=csv.QUOTE_ALL)
    assert_accepted("all_quoted.csv")
    text = (study.folder / "study.csv").read_bytes().replace(b"\n", b"\r\n")
    (study.folder / "dos.csv").write_bytes(b"\xef\xbb\xbf" + text)
    assert_accepted("dos.csv")


def test_csv_with_another_order_of_columns(study, assert_accepted):
    study.write_table("turned.csv", columns=study.columns[::-1], rows=[row[::-1] for row in study.rows])
    assert_accepted("turned.csv")


def test_csv_without_a_line_break_at_its_end(study, assert_accepted):
    text = (study.folder / "study.csv").read_text()
    (study.folder / "open_end.csv").write_text(text.rstrip("\n"))
    assert_accepted("open_end.csv")


def test_csv_compressed_by_gzip(study, assert_accepted):
    text = (study.folder / "study.csv").read_bytes()
    (study.folder / "study.csv.gz").write_bytes(gzip.compress(text))
    assert_accepted("study.csv.gz")
    half = text.index(b"\n", len(text) // 2) + 1
    (study.folder / "members.csv.gz").write_bytes(gzip.compress(text[:half]) + gzip.compress(text[half:]))
    assert_accepted("members.csv.gz")


def test_csv_without_a_header_takes_the_names_of_the_schema(study, assert_accepted):
    study.write_table("bare.csv", columns=())
    assert_accepted("bare.csv", "--no-header")


def test_csv_without_a_header_takes_the_names_given(study, assert_accepted):
    study.write_table("bare.csv", columns=(), rows=[row[::-1] for row in study.rows])
    assert_accepted("bare.csv", "--no-header", "--column-names", ",".join(study.columns[::-1]))


def test_csv_with_spelled_missing_values(study, assert_accepted):
    rows = [["?" if value == "" else value for value in row] for row in study.rows]
    rows[0][3] = "NA"
    study.write_table("spelled.csv", rows=rows)
    assert_accepted("spelled.csv", "--null", "?", "--null", "NA")


def test_csv_with_spaces_around_its_fields(study, assert_accepted):
    text = (study.folder / "study.csv").read_text().replace(",", " , ")
    (study.folder / "spaces.csv").write_text(text)
    assert_accepted("spaces.csv", "--trim-spaces")


def test_csv_below_lines_to_skip(study, assert_accepted):
    text = (study.folder / "study.csv").read_text()
    (study.folder / "below.csv").write_text('A "study"\nmade, somewhere\n' + text)
    assert_accepted("below.csv", "--skip-lines", "2")


def test_csv_from_standard_input(study, assert_accepted):
    assert_accepted("-", stdin=(study.folder / "study.csv").read_bytes())


def test_several_files(study, assert_accepted):
    study.write_table("one.csv", rows=study.rows[:50])
    study.write_table("two.csv", rows=study.rows[50:])
    assert_accepted(["one.csv", "two.csv"])


@pytest.mark.parametrize("format_name", ["csv", "parquet", "arrow"])
def test_a_folder_of_parts(study, assert_accepted, format_name):
    folder = study.folder / "parts"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    for number in range(4):
        rows = study.rows[number::4]
        if format_name == "csv":
            study.write_table(f"parts/part-{number}.csv", rows=rows)
        else:
            part = arrow_table(study).slice(50 * number, 50)
            write = pq.write_table if format_name == "parquet" else feather.write_feather
            write(part, str(folder / f"part-{number}.{format_name}"))
    assert_accepted("parts")


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd"])
def test_parquet(study, assert_accepted, compression):
    pq.write_table(
        arrow_table(study),
        study.folder / "study.parquet",
        compression=compression,
        row_group_size=64,
    )
    assert_accepted("study.parquet")


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_an_arrow_file(study, assert_accepted, compression):
    feather.write_feather(arrow_table(study), str(study.folder / "study.feather"), compression=compression)
    assert_accepted("study.feather")


def test_an_arrow_stream_from_standard_input(study, assert_accepted):
    table = arrow_table(study)
    sink = io.BytesIO()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=64)
    assert_accepted("-", stdin=sink.getvalue())
    assert_accepted("-", "--format", "arrow", stdin=sink.getvalue())


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_file_with_no_telling_ending_is_known_by_its_first_bytes(study, assert_accepted, ending):
    write = pq.write_table if ending == "parquet" else feather.write_feather
    write(arrow_table(study), str(study.folder / "study_of_unknown_ending"))
    assert_accepted("study_of_unknown_ending")


WHOLE = {"kind": "integer", "bounds": [0, 100]}
REAL = {"kind": "numeric", "bounds": [0, 100]}
WORD = {"kind": "categorical", "categories": ["red", "green"]}
DAY = {"kind": "date", "bounds": ["2020-01-01", "2021-12-31"]}
MOMENT = {"kind": "datetime", "bounds": ["2020-01-01T00:00:00", "2021-12-31T00:00:00"]}
NUMBERS = [1, 2, 100]
WORDS = ["red", "green", "red"]
DAYS = [date(2020, 1, 1), date(2020, 2, 29), date(2021, 12, 31)]
MOMENTS = [datetime(2020, 1, 1), datetime(2020, 2, 29, 23, 59, 59), datetime(2021, 12, 31)]

TYPES = [
    *[
        (WHOLE, pa.array(NUMBERS, kind))
        for kind in (
            pa.int8(),
            pa.int16(),
            pa.int32(),
            pa.int64(),
            pa.uint8(),
            pa.uint16(),
            pa.uint32(),
            pa.uint64(),
            pa.float32(),
            pa.float64(),
        )
    ],
    *[(REAL, pa.array(NUMBERS, kind)) for kind in (pa.int8(), pa.uint64(), pa.float32(), pa.float64())],
    (REAL, pa.array(np.array([0.5, 1.5, 99.0], np.float16))),
    (REAL, pa.array([Decimal("1.25"), Decimal("0.00"), Decimal("100.00")], pa.decimal128(9, 2))),
    (WHOLE, pa.array([Decimal(7), Decimal(0), Decimal(100)], pa.decimal128(9, 0))),
    *[(WORD, pa.array(WORDS, kind)) for kind in (pa.string(), pa.large_string(), pa.string_view())],
    (WORD, pa.array(WORDS).dictionary_encode()),
    (WORD, pa.array(WORDS, pa.large_string()).dictionary_encode()),
    (WORD, pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.uint8()), ["green", "red"])),
    ({"kind": "ordinal", "categories": [1, 2, 100]}, pa.array(NUMBERS, pa.int32())),
    ({"kind": "boolean"}, pa.array([True, False, True])),
    (DAY, pa.array(DAYS, pa.date32())),
    (DAY, pa.array(DAYS, pa.date64())),
    (DAY, pa.array([day.isoformat() for day in DAYS])),
    *[(MOMENT, pa.array(MOMENTS, pa.timestamp(unit))) for unit in ("s", "ms", "us", "ns")],
    (MOMENT, pa.array(MOMENTS, pa.timestamp("us", tz="UTC"))),
    (MOMENT, pa.array([moment.isoformat() for moment in MOMENTS])),
]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("column,values", TYPES, ids=[f"{column['kind']}-{values.type}" for column, values in TYPES])
def test_columns_of_every_type(study, assert_accepted, column, values, ending):
    study.write_schema("one.json", {"mehler_schema": 1, "columns": [{"name": "x", **column}]})
    write = pq.write_table if ending == "parquet" else feather.write_feather
    write(pa.table({"x": values}), str(study.folder / f"one.{ending}"))
    assert_accepted(f"one.{ending}", schema="one.json")
