"""Tables that cannot be read or do not match their schema: each is refused by name."""

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


def test_a_table_without_rows_is_refused_where_their_number_is_public(release, study, assert_refused):
    study.write_schema(schema={**study.schema, "relation": "replace-one"})
    study.write_table("header.csv", rows=[])
    assert_refused(release(table="header.csv"), "no rows", "at least one record")


def test_schema_check_refuses_a_header_without_rows(run, study, assert_refused):
    study.write_table("header.csv", rows=[])
    assert_refused(run("schema", "check", "study.schema.json", "header.csv"), "no rows")


@pytest.mark.parametrize("threads", ["1", "4"])
def test_ragged_rows_are_refused_without_quoting_them(release, study, assert_refused, threads):
    rows = study.rows_with("outcome", "ill,pneumonia-of-Ms-Quill")
    text = "\n".join(",".join(row) for row in [study.columns, *rows]) + "\n"
    (study.folder / "ragged.csv").write_text(text)
    assert_refused(
        release("--threads", threads, table="ragged.csv"),
        "'ragged.csv'",
        "7 columns",
        "8 fields",
        "delimiter",
        secrets=["pneumonia", "Quill"],
    )


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
    study.write_table("narrow.csv", columns=study.columns[:-1], rows=[row[:-1] for row in study.rows])
    assert_refused(release(table="narrow.csv"), "'narrow.csv'", "lacks the column 'outcome'", "schema")


def test_a_record_in_the_header_line_is_not_quoted(release, study, assert_refused):
    study.write_table("bare.csv", columns=())
    assert_refused(release(table="bare.csv"), "'bare.csv'", "--no-header", secrets=study.rows[0][:3])


def test_bytes_that_are_not_utf8_are_refused(release, study, assert_refused):
    text = study.write_table("latin.csv", rows=study.rows_with("region", "nörd")).read_text()
    (study.folder / "latin.csv").write_bytes(text.encode("latin-1"))
    assert_refused(release(table="latin.csv"), "'region'", "not UTF-8", "--encoding", secrets=["rd,"])


def test_a_column_name_that_is_not_utf8_is_refused(release, study, assert_refused):
    columns = [*study.columns[:-1], "größe"]
    text = study.write_table("latin.csv", columns=columns).read_text()
    (study.folder / "latin.csv").write_bytes(text.encode("latin-1"))
    assert_refused(release(table="latin.csv"), "column name", "not UTF-8", "--encoding")


def test_utf16_is_refused_by_name_unless_the_encoding_is_named(release, study, assert_refused):
    text = (study.folder / "study.csv").read_text()
    (study.folder / "wide.csv").write_bytes(text.encode("utf-16"))
    assert_refused(release(table="wide.csv"), "UTF-16", "--encoding")


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


def test_a_first_line_that_may_be_a_record_is_not_quoted(run, release, study, assert_refused):
    """Names that occur twice, or of which the schema knows few, may be a record's values."""
    text = "John Smith,positive,positive\nJane Roe,negative,negative\n"
    (study.folder / "bare.csv").write_text(text)
    secrets = ["John", "positive"]
    refused = run("schema", "init", "bare.csv")
    assert_refused(refused, "number 2 and 3", "--no-header", secrets=secrets)
    (study.folder / "one.csv").write_text("age,John Smith positive\n33,Jane Roe negative\n")
    assert_refused(release(table="one.csv"), "number 2", "--no-header", secrets=secrets)


@pytest.mark.parametrize("name", ["HIV " * 60, "John\nSmith"])
@pytest.mark.parametrize("command", ["init", "public", "release"])
def test_a_column_name_that_may_be_records_is_refused_and_not_quoted(
    run, release, study, assert_refused, name, command
):
    text = f'age,"{name}"\n33,Jane Roe\n'
    (study.folder / "broken.csv").write_text(text)
    refused = {
        "init": lambda: run("schema", "init", "broken.csv"),
        "public": lambda: run("schema", "init", "broken.csv", "--public"),
        "release": lambda: release(table="broken.csv"),
    }[command]()
    assert_refused(refused, "column name, number 2", "200 bytes", "quote", secrets=["HIV", "John", "Smith"])


def test_text_of_parquet_that_is_not_utf8_is_refused(run, study, assert_refused):
    """Written by another program, or damaged: it cannot become a category of a schema."""
    texts = pa.array([b"north", b"s\xff\xfeuth"] * 50, pa.binary())
    pq.write_table(pa.table({"region": texts.view(pa.string())}), study.folder / "bytes.parquet")
    refused = run("schema", "init", "bytes.parquet", "--public")
    assert_refused(refused, "'bytes.parquet'", "Parquet", "damaged")
