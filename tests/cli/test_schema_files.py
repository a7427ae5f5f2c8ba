"""Schemas beside other files: code books, sheets for Excel, and drafts of tables as people have them."""

import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest


def init(run, study, *options, table):
    """The columns that `schema init` drafts, by name, and its notes as one line."""
    result = run("schema", "init", table, "-o", "draft.json", "--force", *options)
    assert result.returncode == 0, result.stderr
    schema = json.loads((study.folder / "draft.json").read_text())
    return {column["name"]: column for column in schema["columns"]}, " ".join(result.stderr.split())


def test_a_code_book_beside_the_schema_reaches_the_release_written_out(run, study, release, assert_done):
    books = study.folder / "books"
    books.mkdir()
    (books / "region.csv").write_text("name;code\nNord;north\nSüd;south\nWest;west\n", encoding="utf-8")
    schema = study.schema_with("region", categories={"file": "region.csv", "column": "code"})
    schema["lists"] = {"outcomes": ["well", "ill"]}
    schema["columns"][-1]["categories"] = {"list": "outcomes"}
    study.write_schema("books/schema.json", schema)
    assert_done(run("schema", "check", "books/schema.json", "study.csv"))
    assert_done(release(schema="books/schema.json"))
    stated = json.loads(run("inspect", "out.release", "--json").stdout)["schema"]
    assert stated["columns"][3]["categories"] == ["north", "south", "west"]
    assert stated["columns"][-1]["categories"] == ["well", "ill"] and "lists" not in stated


def test_a_code_book_with_duplicates_is_refused_with_its_lines(run, study, release, assert_refused):
    (study.folder / "region.txt").write_text("north\nsouth\nnorth\n")
    study.write_schema(schema=study.schema_with("region", categories={"file": "region.txt"}))
    assert_refused(release(), "'region.txt'", "'north' twice", "lines 1 and 3")


def test_others_are_ignored_in_every_command(run, study, release, assert_done, assert_refused):
    study.schema["columns"] = [c for c in study.schema["columns"] if c["name"] not in ("person", "visit")]
    study.write_schema()
    refused = run("schema", "check", "study.schema.json", "study.csv")
    assert_refused(refused, "the columns 'person', 'visit'", '"others": "ignored"')
    study.schema["others"] = "ignored"
    study.write_schema()
    assert_done(run("schema", "check", "study.schema.json", "study.csv"))
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6", "--threads", "1"]
    assert_done(run("synth", "study.csv", *given, "--quiet", "-o", "out.csv"))
    words = ["--real", "study.csv", "--synthetic", "out.csv", "--schema", "study.schema.json"]
    assert_done(run("evaluate", *words))


def test_check_names_every_column_that_is_of_another_kind(run, study, assert_refused):
    schema = study.schema
    kinds = {"region": "numeric", "smoker": "integer", "visit": "boolean"}
    for column in schema["columns"]:
        if column["name"] in kinds:
            bounds = {} if kinds[column["name"]] == "boolean" else {"bounds": [0, 9]}
            column.clear()
            column.update({"name": list(kinds)[len(schema.setdefault("seen", []))], **bounds})
            column["kind"] = kinds[column["name"]]
            schema["seen"].append(column["name"])
    del schema["seen"]
    schema["columns"][-1]["categories"] = ["well"]
    study.write_schema()
    result = run("schema", "check", "study.schema.json", "study.csv")
    assert_refused(result, "'region'", "'smoker'", "'visit'", "'outcome' holds a value that is not among")


@pytest.fixture
def odd(study):
    """A CSV whose columns are easily taken for what they are not."""
    rows = [[i, f"{501 + i:05}", i % 2, "NA" if i % 5 == 4 else i * 1000, f"08:{i:02}:00"] for i in range(40)]
    study.write_table("odd.csv", columns=["patient_id", "zip", "left", "income", "at"], rows=rows)
    return study


def test_drafts_of_a_csv_see_codes_flags_identifiers_and_spellings(run, odd, assert_done):
    columns, notes = init(run, odd, table="odd.csv")
    assert columns["patient_id"] == {"name": "patient_id", "kind": "identifier"}
    assert columns["zip"]["kind"] == "categorical" and "'zip' has whole numbers with leading zeros" in notes
    assert (columns["left"]["kind"], columns["left"]["type"]) == ("boolean", "int64")
    assert "'income' would be a number if 'NA' were missing: add --null 'NA'" in notes
    assert (columns["at"]["bounds"], columns["at"]["type"]) == ([0, 86399], "time[s]")
    assert '"privacy_unit": {"column": "patient_id", "max_rows": 5}' in notes
    columns, notes = init(run, odd, "--null", "NA", table="odd.csv")
    assert columns["income"]["kind"] == "integer"


def test_a_public_draft_of_a_csv_keeps_codes_and_times(run, odd, assert_done):
    columns, notes = init(run, odd, "--public", "--null", "NA", table="odd.csv")
    assert columns["zip"]["categories"][0] == "00501"
    assert columns["patient_id"]["kind"] == "identifier"
    assert "'income' has bounds that span powers of ten" in notes
    given = ["--schema", "draft.json", "--epsilon", "5", "--delta", "1e-6", "--threads", "1", "--null", "NA"]
    assert_done(run("synth", "odd.csv", *given, "--quiet", "-o", "out.csv"))
    lines = (odd.folder / "out.csv").read_text().splitlines()
    assert all(line.split(",")[0].startswith("00") and line.split(",")[3].startswith("08:") for line in lines[1:])


def test_unlike_parts_are_said_to_be_unlike_without_quoting_them(run, study, assert_refused):
    parts = study.folder / "parts"
    parts.mkdir()
    (parts / "a.csv").write_text("x,y\n1,2\n")
    (parts / "b.csv").write_text("x,hidden\n1,2\n")
    for options in ([], ["--public"]):
        result = run("schema", "init", "parts", *options)
        assert_refused(result, "b.csv'", "a.csv'", "lacks the column 'y' and has 1 other", secrets=["hidden"])


def test_keys_of_folders_are_columns_whose_kind_was_guessed(run, study, assert_done):
    rows = {"n": list(range(40)), "year": [2020, 2021] * 20, "month": ["01", "12", "12", "01"] * 10}
    pq.write_to_dataset(pa.table(rows), study.folder / "parts", partition_cols=["year", "month"])
    columns, notes = init(run, study, table="parts")
    assert [columns[name]["kind"] for name in ("n", "year", "month")] == ["integer", "integer", "categorical"]
    assert "kinds of the columns 'year', 'month' were guessed from the names of folders" in notes
    assert json.loads((study.folder / "draft.json").read_text())["provenance"] == "kinds-guessed-from-table"
    columns, _ = init(run, study, "--public", table="parts")
    assert columns["month"]["categories"] == ["01", "12"] and columns["year"]["bounds"] == [2020, 2021]
    assert_done(run("schema", "check", "draft.json", "parts"))


def test_check_notes_wide_bounds_and_numbers_without_a_step(run, study, assert_done):
    study.write_schema(schema=study.schema_with("income", decimals=None))
    for table in ([], ["study.csv"]):
        result = run("schema", "check", "study.schema.json", *table)
        assert_done(result)
        words = " ".join(result.stdout.split())
        assert "Note: column 'income' has bounds that span powers of ten" in words
        assert "Note: the column 'income' has neither a step nor decimals" in words


def test_a_schema_goes_to_a_sheet_and_back(run, study, release, assert_done, assert_refused):
    (study.folder / "region.txt").write_text("north\nsouth\nwest\n")
    schema = study.schema_with("region", categories={"file": "region.txt"})
    study.write_schema(schema=schema)
    assert_done(run("schema", "convert", "study.schema.json", "columns.csv"))
    assert_refused(run("schema", "convert", "study.schema.json", "columns.csv"), "'columns.csv' exists", "--force")
    sheet = (study.folder / "columns.csv").read_bytes()
    assert sheet.startswith(b"\xef\xbb\xbf#mehler_schema,1\r\n") and b"file:region.txt" in sheet
    european = sheet.replace(b",", b";")
    (study.folder / "saved.csv").write_bytes(european)
    for name in ("columns.csv", "saved.csv"):
        assert_done(run("schema", "convert", name, "back.json", "--force"))
        assert json.loads((study.folder / "back.json").read_text()) == schema
    assert_done(release(schema="back.json"))


def test_cells_that_excel_would_cut_are_noted(run, study):
    for length, noted in ((32_000, False), (33_000, True)):
        schema = study.schema_with("region", categories=["north", "south", "west", "x" * length])
        study.write_schema("long.json", schema)
        result = run("schema", "convert", "long.json", "long.csv", "--force")
        assert result.returncode == 0 and ("32767 characters" in result.stderr) == noted
        assert ("code book" in result.stderr) == noted


def test_a_draft_from_a_pipe_says_what_was_not_looked_for(run, study):
    drafted = run("schema", "init", "-", stdin="zip,x\n00501,1.5\n")
    assert drafted.returncode == 0 and json.loads(drafted.stdout)["columns"][0]["kind"] == "integer"
    words = " ".join(drafted.stderr.split())
    assert "through a pipe, so leading zeros" in words and "give the name of a file" in words


def test_what_cannot_be_converted_is_refused(run, study, assert_refused):
    assert_refused(run("schema", "convert", "study.schema.json", "columns.xlsx"), "'columns.xlsx'", ".csv")
    assert_refused(run("schema", "convert", "study.schema.json", "other.json"), "of one kind")
    assert_refused(run("schema", "convert", "nowhere.csv", "other.json"), "nowhere.csv", "No such file")
    (study.folder / "bad.csv").write_text("name,kind,low,high\nage,integer,9,1\n")
    assert_refused(run("schema", "convert", "bad.csv", "other.json"), "'age'", "[9, 1]", "swap")
    (study.folder / "worse.csv").write_text("name,kind,low\nage,integer,9\n")
    assert_refused(run("schema", "convert", "worse.csv", "other.json"), "'worse.csv', line 2", "'low' without")


def test_identifiers_are_made_up_anew(run, study, assert_done, assert_refused):
    schema = study.schema_with("person", make="P{3 digits}")
    study.write_schema(schema=schema)
    given = ["study.csv", "--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6", "--threads", "1"]
    too_many = run("synth", *given, "--rows", "1001", "-o", "out.csv")
    assert_refused(too_many, "'person'", "'P{3 digits}'", "1000 different", "1001 records")
    assert_done(run("synth", *given, "--rows", "900", "--quiet", "-o", "out.csv"))
    made = pa.csv.read_csv(study.folder / "out.csv")
    assert made.column_names == study.columns
    people = made["person"].to_pylist()
    assert len(set(people)) == 900 and all(len(person) == 4 and person[0] == "P" for person in people)
    assert_done(run("sample", "out.mehler", "--rows", "50", "--quiet", "-o", "again.parquet"))
    assert pq.read_table(study.folder / "again.parquet")["person"].to_pylist() == people[:50]
    words = ["--real", "study.csv", "--schema", "study.schema.json", "--synthetic"]
    with_it = run("evaluate", *words, "out.csv", "--json")
    assert_done(with_it)
    study.write_table("bare.csv", columns=made.column_names[1:], rows=zip(*made.drop(["person"]).to_pydict().values()))
    without = run("evaluate", *words, "bare.csv", "--json")
    assert without.returncode == 0, without.stderr


TYPED = {
    "price": pa.array([None, *(f"{i}.25" for i in range(99))]).cast(pa.decimal128(9, 2)),
    "at": pa.array([i * 60_001 for i in range(100)], pa.time32("ms")),
    "fine": pa.array([i * 864_000_001 for i in range(100)], pa.time64("us")),
    "took": pa.array([i * 1_500 - 9_000 for i in range(100)], pa.duration("ms")),
    "seen": pa.array([i * 10**9 for i in range(100)], pa.timestamp("ns", "UTC")),
    "shown": pa.array([i * 1000 for i in range(100)], pa.timestamp("ms")),
}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_decimals_times_and_units_come_back(run, study, assert_done, ending):
    table = pa.table(TYPED)
    pq.write_table(table, study.folder / "typed.parquet")
    columns, _ = init(run, study, "--public", table="typed.parquet")
    assert columns["price"]["type"] == "decimal(9,2)" and columns["shown"]["type"] == "timestamp[ms]"
    given = ["--schema", "draft.json", "--epsilon", "5", "--delta", "1e-6", "--threads", "1"]
    assert_done(run("synth", "typed.parquet", *given, "--quiet", "-o", f"out.{ending}"))
    if ending == "parquet":
        made = pq.read_table(study.folder / "out.parquet")
        assert made.schema.types == table.schema.types
    words = ["--real", "typed.parquet", "--schema", "draft.json", "--synthetic", f"out.{ending}"]
    result = run("evaluate", *words)
    assert_done(result)
