"""Drafting and checking schemas without giving a record away."""

import json

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
    assert schema["relation"] == "add-remove-one" and "provenance" not in schema
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
    assert "Names and types only" in result.stderr and "undeclared" in result.stderr


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
        "study.schema.json is complete: 7 columns, 6 of them used, "
        "target 'outcome', relation add-remove-one.\n"
    )


def test_a_table_that_fits_is_said_to_fit(run, study, assert_done):
    result = run("schema", "check", study.write_schema().name, "study.csv")
    assert_done(result)
    assert result.stdout.startswith(
        "The table fits study.schema.json: 7 columns, 6 of them used.\n"
    )


def test_check_names_the_columns_that_will_be_changed_but_no_value(run, study, assert_done):
    study.write_schema(schema=study.schema_with("region", other="elsewhere"))
    study.write_table(
        "odd.csv",
        rows=study.rows_with("income", "987654.32", row=3)
        + study.rows_with("region", "Atlantis", row=5),
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


def test_values_out_of_range_and_unknown_categories_are_released_where_the_schema_allows(
    release, study, assert_done
):
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
def test_a_column_that_is_set_aside_keeps_what_was_declared(
    run, release, study, assert_done, kind, column
):
    study.write_schema(schema=study.schema_with(column, kind=kind))
    assert_done(run("schema", "check", "study.schema.json", "study.csv"))
    assert_done(release())
    assert_done(run("inspect", "out.release"))
