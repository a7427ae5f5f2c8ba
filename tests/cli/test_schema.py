"""Drafting and checking schemas without giving a record away."""

import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def draft(run, study):
    """draft(*options): the schema that `schema init` writes, and what it printed."""

    def make(*options, table="study.csv"):
        result = run("schema", "init", table, "-o", "draft.json", *options)
        assert result.returncode == 0, result.stderr
        return json.loads((study.folder / "draft.json").read_text()), result

    return make


def test_a_draft_marks_what_is_undeclared(draft):
    schema, result = draft("--target", "outcome")
    columns = {column["name"]: column for column in schema["columns"]}
    assert schema["mehler_schema"] == 1 and schema["target"] == "outcome"
    assert schema["relation"] == "add-remove-one"
    assert {name: column["kind"] for name, column in columns.items()} == {
        "person": "categorical",
        "income": "numeric",
        "age": "integer",
        "region": "categorical",
        "smoker": "boolean",
        "visit": "date",
        "outcome": "categorical",
    }
    for name in ("income", "age", "visit"):
        assert columns[name]["bounds"] == "undeclared"
    for name in ("region", "outcome"):
        assert columns[name]["categories"] == "undeclared"
    assert "Wrote draft.json with 7 columns" in result.stdout
    assert "Names and kinds only" in result.stderr and "undeclared" in result.stderr


def test_a_draft_holds_no_value_of_the_table(draft, study):
    _, result = draft()
    text = (study.folder / "draft.json").read_text() + result.stdout + result.stderr
    for row in study.rows:
        assert not any(value and f'"{value}"' in text for value in row)
    assert not any(secret in text for secret in study.secrets())


def test_a_record_in_the_header_line_is_not_drafted_silently(run, study):
    study.write_table("bare.csv", columns=())
    result = run("schema", "init", "bare.csv", "-o", "draft.json")
    assert "--no-header" in result.stderr
    assert not any(secret in result.stdout + result.stderr for secret in study.secrets())


def test_a_draft_is_refused_until_it_is_declared(run, draft, release, assert_refused):
    draft()
    assert_refused(run("schema", "check", "draft.json"), "undeclared", "'income'", "'region'")
    assert_refused(release(schema="draft.json"), "undeclared", "'income'", "'region'")


def test_a_draft_goes_to_the_screen_by_default(run, study):
    result = run("schema", "init", "study.csv")
    assert result.returncode == 0
    assert [column["name"] for column in json.loads(result.stdout)["columns"]] == study.columns


def test_a_public_draft_is_complete_and_stamped(run, draft, assert_done):
    schema, result = draft("--public", "--target", "outcome")
    columns = {column["name"]: column for column in schema["columns"]}
    assert schema["provenance"] == "read-from-public-data"
    assert sorted(columns["region"]["categories"]) == ["north", "south", "west"]
    assert columns["region"]["missing"] is True and columns["age"]["missing"] is False
    assert 18 <= columns["age"]["bounds"][0] < columns["age"]["bounds"][1] <= 95
    assert "--public" in result.stderr
    assert_done(run("schema", "check", "draft.json", "study.csv"))


def test_a_release_says_that_its_schema_was_read_from_public_data(run, draft, release, assert_done):
    draft("--public", "--target", "outcome")
    result = release(schema="draft.json")
    assert_done(result)
    stated = json.loads(run("inspect", "out.release", "--json").stdout)
    assert stated["schema"]["provenance"] == "read-from-public-data"
    for text in (
        result.stdout,
        run("inspect", "out.release").stdout,
        stated["privacy"]["in_words"],
    ):
        words = " ".join(text.split())
        assert "read from" in words and "public" in words
        assert "were declared by the data's owner" not in words


def test_a_complete_schema_is_said_to_be_complete(run, study, assert_done):
    result = run("schema", "check", study.write_schema().name)
    assert_done(result)
    assert result.stdout.startswith(
        "study.schema.json is complete: 7 columns, 6 of them used, target 'outcome', relation add-remove-one.\n"
    )


def test_a_table_that_fits_is_said_to_fit(run, study, assert_done):
    result = run("schema", "check", study.write_schema().name, "study.csv")
    assert_done(result)
    assert result.stdout.startswith("The table fits study.schema.json: 7 columns, 6 of them used.\n")


def test_check_names_the_columns_that_will_be_changed_but_no_value(run, study, assert_done):
    study.write_schema(schema=study.schema_with("region", other="elsewhere"))
    study.write_table(
        "odd.csv",
        rows=study.rows_with("income", "987654.32", row=3) + study.rows_with("region", "Atlantis", row=5),
    )
    result = run("schema", "check", "study.schema.json", "odd.csv")
    assert_done(result)
    assert "nearest bound: 'income'" in result.stdout and "\"other\": 'region'" in result.stdout
    for secret in [*study.secrets(), "987654", "Atlantis"]:
        assert secret not in result.stdout


def test_check_names_every_column_that_does_not_fit_but_no_value(run, study, assert_refused):
    rows = study.rows_with("region", "Atlantis")
    rows[7][study.columns.index("age")] = ""
    rows[8][study.columns.index("income")] = "NaN"
    rows[9][study.columns.index("visit")] = "31.12.2021"
    study.write_table("odd.csv", rows=rows)
    assert_refused(
        run("schema", "check", "study.schema.json", "odd.csv"),
        "'region'",
        "'age'",
        "'income'",
        "'visit'",
        secrets=["Atlantis", "31.12"],
    )


def test_values_out_of_range_and_unknown_categories_are_released_where_the_schema_allows(release, study, assert_done):
    study.write_schema(schema=study.schema_with("region", other="elsewhere"))
    study.write_table(
        "odd.csv",
        rows=study.rows_with("income", "987654.32") + study.rows_with("region", "Atlantis"),
    )
    result = release(table="odd.csv")
    assert_done(result)
    data = (study.folder / "out.release").read_bytes()
    assert b"Atlantis" not in data and b"987654" not in data
    assert "Atlantis" not in result.stdout and "987654" not in result.stdout


@pytest.mark.parametrize("kind", ["ignored", "identifier"])
@pytest.mark.parametrize("column", ["income", "visit", "region"])
def test_a_column_that_is_set_aside_keeps_what_was_declared(run, release, study, assert_done, kind, column):
    study.write_schema(schema=study.schema_with(column, kind=kind))
    assert_done(run("schema", "check", "study.schema.json", "study.csv"))
    assert_done(release())
    assert_done(run("inspect", "out.release"))


def test_kinds_of_a_csv_are_said_to_be_guessed_until_somebody_confirms_them(run, draft, release, study, assert_done):
    """One record changes a guess, so a release says that its guarantee does not cover kinds."""
    schema, result = draft()
    assert schema["provenance"] == "kinds-guessed-from-table"
    words = " ".join(result.stderr.split())
    assert "guessed from the first rows" in words and "mehler schema confirm" in words
    study.schema["provenance"] = schema["provenance"]
    study.write_schema()
    checked = run("schema", "check", "study.schema.json")
    assert_done(checked)
    assert "guessed from the table" in " ".join(checked.stdout.split())
    assert_done(release())
    stated = json.loads(run("inspect", "out.release", "--json").stdout)
    assert "kinds of columns were guessed" in stated["privacy"]["in_words"]
    assert "the guarantee does not cover them" in stated["privacy"]["in_words"]
    confirmed = run("schema", "confirm", "study.schema.json")
    assert_done(confirmed)
    assert "confirmed" in confirmed.stdout
    del study.schema["provenance"]
    assert json.loads((study.folder / "study.schema.json").read_text()) == study.schema
    assert "guessed" not in release().stdout + run("schema", "check", "study.schema.json").stdout
    assert "nothing to confirm" in run("schema", "confirm", "study.schema.json").stdout


def test_types_of_parquet_are_not_guessed(draft, study):
    pq.write_table(pyarrow.csv.read_csv(study.folder / "study.csv"), study.folder / "study.parquet")
    schema, result = draft(table="study.parquet")
    assert "provenance" not in schema
    assert "no record was read" in result.stderr and "guessed" not in result.stderr


def test_help_says_that_types_are_guessed_from_rows(run):
    words = " ".join(run("schema", "init", "--help").stdout.split())
    assert "guessed from its first rows" in words and "not read" not in words


def test_a_first_line_of_texts_is_not_taken_for_names_without_a_note(draft, study):
    (study.folder / "texts.csv").write_text("John Smith,ill\nJane Roe,well\n")
    for options, noted in (((), True), (["--header", "--force"], False)):
        _, result = draft(*options, table="texts.csv")
        assert ("the first line was taken for the names" in result.stderr) == noted
        assert not noted or "--no-header" in result.stderr


def test_a_parquet_table_has_no_header_line_to_doubt(draft, run, study):
    table = pa.table({"country": ["a", "b"], "2019": [1, 2], "nan": [1.5, 2.5]})
    pq.write_table(table, study.folder / "years.parquet")
    feather.write_feather(table, study.folder / "years.arrow")
    for name in ("years.parquet", "years.arrow"):
        schema, result = draft("--force", table=name)
        assert [column["name"] for column in schema["columns"]] == table.column_names
        assert "first line" not in result.stderr


def test_nan_is_a_missing_value(draft, run, release, study, assert_done, assert_refused):
    values = [float("nan"), *(0.5 * i for i in range(50))]
    pq.write_table(pa.table({"x": values, "c": ["a"] * 51}), study.folder / "nan.parquet")
    schema, _ = draft("--public", table="nan.parquet")
    assert schema["columns"][0]["missing"] is True
    assert_done(run("schema", "check", "draft.json", "nan.parquet"))
    assert_done(release(table="nan.parquet", schema="draft.json"))
    schema["columns"][0]["missing"] = False
    study.write_schema("strict.json", schema)
    refused = run("schema", "check", "strict.json", "nan.parquet")
    words = ["'x'", "NaN", "counts as a missing value", '"missing": true']
    assert_refused(refused, *words, output="none")


def test_whole_numbers_beyond_2_to_the_53_are_drafted_as_an_identifier(draft, run, study, assert_done):
    wide = pa.array([2**63 + 5, 7, 2**64 - 1], pa.uint64())
    near = pa.array([-(2**53) - 1, 7, 8], pa.int64())
    table = pa.table({"id": wide, "low": near, "n": [1, 2, 3]})
    pq.write_table(table, study.folder / "wide.parquet")
    schema, result = draft("--public", table="wide.parquet")
    kinds = {column["name"]: column["kind"] for column in schema["columns"]}
    assert kinds == {"id": "identifier", "low": "identifier", "n": "integer"}
    assert "'id'" in result.stderr and "2^53" in result.stderr
    assert_done(run("schema", "check", "draft.json", "wide.parquet"))


def test_the_index_of_a_data_frame_is_ignored(draft, run, release, study, assert_done):
    """pandas writes it as a first CSV column without a name, or as __index_level_0__ of Parquet."""
    rows = [[number, *row] for number, row in enumerate(study.rows)]
    study.write_table("frame.csv", columns=["", *study.columns], rows=rows)
    schema, result = draft("--public", table="frame.csv")
    assert schema["columns"][0] == {"name": "Unnamed: 0", "kind": "ignored"}
    assert "row index" in result.stderr
    assert_done(run("schema", "check", "draft.json", "frame.csv"))
    assert_done(release(table="frame.csv"))  # the schema need not list it
    frame = pa.table({"n": [1, 2], "__index_level_0__": [5, 6]})
    pq.write_table(frame, study.folder / "frame.parquet")
    schema, result = draft("--force", table="frame.parquet")
    assert schema["columns"][1] == {"name": "__index_level_0__", "kind": "ignored"}
    assert "row index" in result.stderr


def test_what_check_finds_in_records_is_labelled(run, study, assert_done):
    label = "No privacy guarantee covers it"
    found = run("schema", "check", "study.schema.json", "study.csv")
    assert_done(found)
    assert label in " ".join(found.stdout.split())
    assert label not in " ".join(run("schema", "check", "study.schema.json").stdout.split())


def test_durations_and_times_of_day_are_drafted_as_numbers_of_seconds(draft, run, study, assert_done):
    table = pa.table(
        {
            "n": [1, 2],
            "took": pa.array([1, 2], pa.duration("s")),
            "at": pa.array([1, 2], pa.time32("ms")),
        }
    )
    pq.write_table(table, study.folder / "times.parquet")
    schema, result = draft(table="times.parquet")
    took, at = schema["columns"][1:]
    assert took == {"name": "took", "kind": "integer", "bounds": "undeclared", "type": "duration[s]", "missing": True}
    assert (at["kind"], at["bounds"], at["type"]) == ("numeric", [0, 86399.999], "time[ms]")
    schema["columns"][0]["bounds"] = schema["columns"][1]["bounds"] = [0, 5]
    study.write_schema("times.json", schema)
    assert_done(run("schema", "check", "times.json", "times.parquet"))


def test_bounds_must_have_the_declared_decimals(run, study, assert_refused, assert_done):
    for bounds, decimals, words in (
        ([0, 0.999999999999], 1, ["0.9 or 1"]),
        ([0, 122.456], 2, ["122.456", "122.45 or 122.46"]),
        ([-0.5, 3], 0, ["-0.5", "-1 or 0"]),
    ):
        schema = study.schema_with("income", bounds=bounds, decimals=decimals)
        study.write_schema("off.json", schema)
        assert_refused(run("schema", "check", "off.json"), "'income'", "decimals", *words)
    study.write_schema("on.json", study.schema_with("income", bounds=[-0.3, 1e9 + 0.1], decimals=1))
    assert_done(run("schema", "check", "on.json"))
