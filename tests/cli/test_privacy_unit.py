"""A table in which several records belong to one person, from its schema to the evaluation."""

import json

import pyarrow.csv
import pytest
from conftest import study_rows

pytestmark = pytest.mark.method("marginals", "dp-hp")

FAST = {
    "marginals": [],
    "dp-hp": ["--epochs", "1", "--batch", "64"],
}
UNIT = {"column": "person", "max_rows": 2}


@pytest.fixture
def unit(study):
    """The study, ten times as long so that its classes stand out of the noise, with two records a person."""
    study.rows = study_rows(2_000, seed=1)
    study.write_table()
    study.schema["privacy_unit"] = UNIT
    study.write_schema()
    return study


def synthetic_columns(folder, name="out.csv"):
    return pyarrow.csv.read_csv(folder / name).column_names


def test_every_command_goes_on_from_a_release_of_a_privacy_unit(run, release, unit, method, assert_done):
    assert_done(release())
    assert_done(run("train", "out.release", *FAST[method], "--threads", "1", "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "out.csv"))
    assert synthetic_columns(unit.folder) == unit.columns[1:]
    assert_done(run("evaluate", "--release", "out.release", "--synthetic", "out.csv"))
    real = ["--real", "study.csv", "--schema", "study.schema.json"]
    result = run("evaluate", *real, "--synthetic", "out.csv", "--train", "study.csv", "--json")
    assert_done(result)
    assert json.loads(result.stdout)["synthetic_records"] == 50
    assert_done(run("kernel", "mmd", "study.csv", "out.csv", "--schema", "study.schema.json"))


def test_synth_of_a_privacy_unit_says_what_it_covers_and_how_close_it_is(run, unit, method, assert_done):
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6"]
    chosen = [] if method == "marginals" else ["--method", method]
    result = run("synth", "study.csv", *given, *chosen, *FAST[method], "-o", "out.csv")
    assert_done(result)
    words = " ".join(result.stdout.split())
    assert "all records of one 'person'" in words
    assert "single records" not in words
    assert ("How close" in words) == (method == "marginals")
    assert synthetic_columns(unit.folder) == unit.columns[1:]


def test_a_private_table_without_the_units_column_is_refused(run, release, unit, assert_refused):
    unit.write_table("bare.csv", rows=[row[1:] for row in unit.rows], columns=unit.columns[1:])
    assert_refused(release(table="bare.csv"), "'person'", "lacks")
    assert_refused(run("schema", "check", "study.schema.json", "bare.csv"), "'person'", "lacks")


def test_an_identifier_without_a_unit_is_hinted_at(run, release, study, assert_done):
    for result in (
        release(),
        run("schema", "check", "study.schema.json"),
        run("schema", "check", "study.schema.json", "study.csv"),
    ):
        assert_done(result)
        words = " ".join(result.stdout.split())
        assert "The guarantee covers single records" in words
        assert '"privacy_unit": {"column": "person", "max_rows": 5}' in words
    study.schema["columns"][0]["kind"] = "ignored"
    study.write_schema()
    assert "single records" not in release().stdout
    study.schema["columns"][0]["kind"] = "identifier"
    study.schema["relation"] = "replace-one"
    study.write_schema()
    words = " ".join(run("schema", "check", "study.schema.json").stdout.split())
    assert '"relation": "add-remove-one", "privacy_unit"' in words
