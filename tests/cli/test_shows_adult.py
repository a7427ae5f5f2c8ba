"""The whole path on the Adult census table: draft, declare, check, release, inspect."""

import json
import os
from pathlib import Path

import pytest

WORKCLASS = ("Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked").split()
EDUCATION = (
    "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th "
    "Masters 1st-4th 10th Doctorate 5th-6th Preschool"
).split()
MARITAL = (
    "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse"
).split()
OCCUPATION = (
    "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty "
    "Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving "
    "Priv-house-serv Protective-serv Armed-Forces"
).split()
RELATIONSHIP = "Wife Own-child Husband Not-in-family Other-relative Unmarried".split()
RACE = "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black".split()
COUNTRY = (
    "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India "
    "Japan Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico "
    "Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary "
    "Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong "
    "Holand-Netherlands"
).split()

# Bounds and categories as the table's public documentation gives them, in the order of its columns.
DECLARED = {
    "age": {"bounds": [17, 90]},
    "workclass": {"categories": WORKCLASS, "missing": True},
    "fnlwgt": {"bounds": [0, 1_500_000]},
    "education": {"categories": EDUCATION},
    "education_num": {"bounds": [1, 16]},
    "marital_status": {"categories": MARITAL},
    "occupation": {"categories": OCCUPATION, "missing": True},
    "relationship": {"categories": RELATIONSHIP},
    "race": {"categories": RACE},
    "sex": {"categories": ["Female", "Male"]},
    "capital_gain": {"bounds": [0, 99_999]},
    "capital_loss": {"bounds": [0, 5_000]},
    "hours_per_week": {"bounds": [1, 99]},
    "native_country": {"categories": COUNTRY, "missing": True},
    "income": {"categories": ["<=50K", ">50K"]},
}
AS_WRITTEN = ["--no-header", "--trim-spaces", "--null", "?"]
RECORDS = 32_561


@pytest.fixture
def adult():
    folder = os.environ.get("MEHLER_DATA", Path(os.environ["MEHLER_SOURCE"], "..", "shared", "data"))
    path = Path(folder, "adult", "adult.data.gz").resolve()
    if not path.exists():
        pytest.skip("the Adult table is not here; put adult/adult.data.gz below the folder $MEHLER_DATA")
    return path


def test_adult_from_draft_to_release(run, study, adult, assert_done):
    result = run(
        "schema",
        "init",
        adult,
        *AS_WRITTEN,
        "--column-names",
        ",".join(DECLARED),
        "--target",
        "income",
        "-o",
        "adult.json",
    )
    assert result.returncode == 0 and "Names and kinds only" in result.stderr
    schema = json.loads((study.folder / "adult.json").read_text())
    assert [column["name"] for column in schema["columns"]] == list(DECLARED)
    for column in schema["columns"]:
        assert column["kind"] == ("integer" if "bounds" in DECLARED[column["name"]] else "categorical")
        assert "undeclared" in (column.get("bounds"), column.get("categories"))
        column.update({"missing": False, **DECLARED[column["name"]]})
    study.write_schema("adult.json", schema)

    assert_done(run("schema", "check", "adult.json"))
    result = run("schema", "check", "adult.json", adult, *AS_WRITTEN)
    assert_done(result)
    assert "The table fits adult.json: 15 columns, 15 of them used." in result.stdout
    assert "nearest bound" not in result.stdout

    result = run(
        "release",
        adult,
        *AS_WRITTEN,
        "--schema",
        "adult.json",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "-o",
        "adult.release",
    )
    assert_done(result)
    assert result.new_files == {"adult.release"}

    text = run("inspect", "adult.release")
    assert_done(text)
    assert "It matches" in text.stdout and "pairs of columns, round 2" in text.stdout
    result = run("inspect", "adult.release", "--json")
    assert_done(result)
    told = json.loads(result.stdout)
    assert told["privacy"]["rederived_epsilon"] == pytest.approx(1, rel=1e-9)
    # The noisy count is off by more than six standard errors with probability below 1e-8.
    assert told["records"]["count"] == pytest.approx(RECORDS, abs=6 * told["records"]["standard_error"])
    assert told["records"]["standard_error"] < 0.01 * RECORDS


def test_adult_is_declared_ignored_where_it_cannot_be_declared(run, study, adult, assert_done):
    columns = [{"name": name, "kind": "ignored"} for name in DECLARED]
    columns[0] = {"name": "age", "kind": "integer", "bounds": [17, 90]}
    study.write_schema("age.json", {"mehler_schema": 1, "columns": columns})
    assert_done(
        run(
            "release",
            adult,
            *AS_WRITTEN,
            "--schema",
            "age.json",
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
            "-o",
            "age.release",
        )
    )
