"""Conditions as people write them, and files of partial rows that are completed."""

import csv

import pytest
from test_sample import FAST, where


@pytest.fixture
def sample(run, model):
    """sample(*options): `mehler sample` from the study's model to out.csv."""

    def run_sample(*options, source="study.mehler", output="out.csv"):
        return run("sample", source, *options, "-o", output)

    return run_sample


@pytest.fixture
def records_of(sample, study, assert_done):
    """records_of(*options): the records as dictionaries of text."""

    def make(*options, source="study.mehler"):
        assert_done(sample(*options, source=source))
        return list(csv.DictReader((study.folder / "out.csv").read_text().splitlines()))

    return make


def values(records, column):
    return {record[column] for record in records}


@pytest.mark.method("marginals")
def test_ranges_lists_and_negations_hold_together(records_of):
    conditions = where(
        "age>=40",
        "age < 61",
        "age != 50",
        "region in north, south",
        "visit<2022-01-01",
        "smoker not in true",
    )
    records = records_of("--rows", 150, *conditions)
    assert len(records) == 150
    ages = {int(age) for age in values(records, "age")}
    assert ages <= set(range(40, 61)) - {50} and len(ages) > 10
    assert values(records, "region") == {"north", "south"}
    assert max(values(records, "visit")) < "2022-01-01"
    assert values(records, "smoker") == {"false"}


def test_missing_values_can_be_left_out(records_of):
    assert values(records_of("--rows", 300, *where("region is not missing")), "region") == {"north", "south", "west"}
    assert values(records_of("--rows", 30, *where("region IS MISSING")), "region") == {""}
    assert values(records_of("--rows", 300, *where("region!=north")), "region") == {"south", "west", ""}


def test_columns_of_any_name_can_be_asked_for(run, release, method, study, records_of, assert_done):
    names = {"region": "a in b", "smoker": "a"}
    schema = {
        **study.schema,
        "columns": [
            {**column, "name": names.get(column["name"], column["name"])} for column in study.schema["columns"]
        ],
    }
    study.write_schema(schema=schema)
    study.write_table(columns=[names.get(name, name) for name in study.columns])
    assert_done(release(epsilon="50"))
    assert_done(run("train", "out.release", *FAST[method], "-o", "new.mehler"))
    for condition in ["a in b in north,west", '"a in b" in "north","west"']:
        records = records_of("--rows", 99, *where(condition, "a=true"), source="new.mehler")
        assert values(records, "a in b") == {"north", "west"} and values(records, "a") == {"true"}


@pytest.mark.method("marginals")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_partial_rows_are_completed_in_their_order(run, study, records_of, assert_done, ending):
    given = [("40", "north"), ("", "south"), ("61", ""), ("40", "north"), ("", "")] * 3
    lines = ["age,region", *(",".join(row) for row in given)]
    (study.folder / "rows.csv").write_text("\n".join(lines) + "\n")
    if ending == "parquet":
        arrow_csv = pytest.importorskip("pyarrow.csv")
        parquet = pytest.importorskip("pyarrow.parquet")
        options = arrow_csv.ConvertOptions(strings_can_be_null=True)
        table = arrow_csv.read_csv(study.folder / "rows.csv", convert_options=options)
        parquet.write_table(table, study.folder / "rows.parquet")
    records = records_of("--where-file", f"rows.{ending}", *where("outcome=ill"))
    assert len(records) == len(given)
    for (age, region), record in zip(given, records, strict=True):
        assert record["age"] == (age or record["age"]) and record["age"] != ""
        assert record["region"] == (region or record["region"])
    assert values(records, "outcome") == {"ill"}


@pytest.mark.method("dp-hp")
def test_a_network_completes_categories_and_says_what_it_cannot_hold(study, sample, records_of, assert_refused):
    (study.folder / "rows.csv").write_text("outcome,region\nill,west\nwell,\nill,west\n")
    records = records_of("--where-file", "rows.csv")
    assert [record["outcome"] for record in records] == ["ill", "well", "ill"]
    assert records[0]["region"] == records[2]["region"] == "west"
    (study.folder / "rows.csv").write_text("outcome,age\nill,\nwell,40\n")
    (study.folder / "out.csv").unlink()
    assert_refused(
        sample("--where-file", "rows.csv"),
        "'rows.csv', row 2:",
        "'age', which is a column of numbers",
        "columns of categories: region, smoker, outcome",
        output="out.csv",
    )


@pytest.mark.method("marginals")
@pytest.mark.parametrize(
    "text,words",
    [
        ("age\n40\n41\n200\n", ["row 3:", "'age' holds a value that it cannot have"]),
        ("age\n40.5\n", ["row 1:", "whole numbers from"]),
        ("region\nwst\n", ["row 1:", "'region' holds a value", "west"]),
        ("regoin\nwest\n", ["'regoin'", "'region'"]),
        ("person\nPT-1\n", ["'person', which is of kind identifier", "leave it out"]),
        ("age,region\n", ["no rows"]),
        ("age\nold\n", ["'age'", "number"]),
    ],
)
def test_a_bad_file_of_partial_rows_is_refused(study, sample, assert_refused, text, words):
    (study.folder / "rows.csv").write_text(text)
    assert_refused(sample("--where-file", "rows.csv"), "rows.csv", *words, output="out.csv")


@pytest.mark.method("marginals")
def test_options_that_do_not_go_with_partial_rows_are_refused(study, sample, assert_refused):
    (study.folder / "rows.csv").write_text("age\n40\n")
    refused = sample("--where-file", "rows.csv", "--rows", 5)
    assert_refused(refused, "--rows", "--where-file", "leave --rows out", output="out.csv")
    assert_refused(sample("--where-file", "-"), "--where-file", "a file", output="out.csv")
    assert_refused(sample("--where-file", "none.csv"), "'none.csv'", "No such file", output="out.csv")
    assert_refused(sample("--where-file", "rows.csv", output="rows.csv"), "overwritten", output="out.csv")


@pytest.mark.method("marginals")
@pytest.mark.parametrize(
    "condition,words",
    [
        ("age>=", ["no value"]),
        ("age in", ["no value", "commas"]),
        ("age>90 years", ["'age'", "numbers"]),
        ("age>1000", ["no value of 'age'"]),
        ("region>north", ["'region'", "no order"]),
        ('region="north', ["not closed"]),
        ("age is missing", ["'age' is missing, but it never is"]),
    ],
)
def test_a_condition_that_cannot_be_is_refused(sample, assert_refused, condition, words):
    assert_refused(sample(*where(condition)), *words, output="out.csv")


@pytest.mark.method("marginals")
def test_conditions_on_one_column_that_nothing_meets_are_refused(sample, assert_refused):
    assert_refused(sample(*where("age>=60", "age<50")), "'age'", "contradict", output="out.csv")
