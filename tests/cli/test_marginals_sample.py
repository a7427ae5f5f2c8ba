"""Samples of fitted tables: of any size, under conditions on any columns, the same for a seed."""

import csv

import pytest
from test_sample import where


@pytest.fixture
def sample(run, model):
    """sample(*options): `mehler sample` from the study's fitted table to out.csv."""

    def run_sample(*options):
        return run("sample", "study.mehler", *options, "-o", "out.csv")

    return run_sample


@pytest.fixture
def bytes_of(sample, model, assert_done):
    """bytes_of(*options): the CSV that these options give."""

    def make(*options):
        assert_done(sample(*options))
        return (model.parent / "out.csv").read_bytes()

    return make


@pytest.fixture
def records_of(bytes_of):
    """records_of(*options): the records as dictionaries of text."""

    def make(*options):
        return list(csv.DictReader(bytes_of(*options).decode().splitlines()))

    return make


def values(records, column):
    return {record[column] for record in records}


def share(records, column, value):
    return sum(record[column] == value for record in records) / len(records)


@pytest.mark.parametrize("rows", [1, 137, 1900, 2100, 9000])
def test_samples_of_any_size_are_like_the_table(records_of, rows):
    records = records_of("--rows", rows)
    assert len(records) == rows
    if rows > 1000:
        # Of 2,000 records a quarter each, then moved to their counts; 8 deviations of free draws.
        for region in ("north", "south", "west", ""):
            assert share(records, "region", region) == pytest.approx(0.25, abs=0.08)
        assert len(values(records, "age")) == 78
        assert len(values(records, "visit")) > 600


def test_a_large_sample_does_not_repeat_the_table(records_of):
    records = records_of("--rows", 9000)
    assert len({tuple(record.values()) for record in records}) > 8990


@pytest.mark.parametrize("options", [["--rows", 100], [], ["--rows", 40_000], where("age=40")])
def test_a_seed_gives_the_same_bytes_for_any_number_of_threads(bytes_of, options):
    first = bytes_of(*options, "--seed", 3, "--threads", 1)
    assert bytes_of(*options, "--seed", 3, "--threads", 2) == first
    assert bytes_of(*options, "--seed", 3, "--threads", 5) == first


@pytest.mark.parametrize("options", [["--rows", 100], [], ["--rows", 5000], where("age=40")])
def test_another_seed_gives_other_records(bytes_of, options):
    first = set(bytes_of(*options, "--seed", 3).splitlines()[1:])
    second = set(bytes_of(*options, "--seed", 4).splitlines()[1:])
    assert len(first & second) < 0.01 * len(first)


def test_a_fit_is_the_same_for_any_number_of_threads(run, model, assert_done):
    for threads in ("1", "2", "3"):
        assert_done(run("train", "study.release", "--threads", threads, "-o", f"{threads}.mehler"))
    first, *others = ((model.parent / f"{name}.mehler").read_bytes() for name in "123")
    assert others == [first, first]


@pytest.mark.parametrize(
    "conditions",
    [
        ["age=37"],
        ["income=50000"],
        ["income=50000.25"],
        ["visit=2022-02-28"],
        ["region=west"],
        ["region="],
        ["smoker=true"],
        ["outcome=ill", "age=95", "region=south"],
        ["visit=2020-01-01", "income=0", "smoker=false"],
    ],
)
@pytest.mark.parametrize("rows", [1, 300])
def test_a_condition_on_any_column_holds_exactly(records_of, conditions, rows):
    records = records_of("--rows", rows, *where(*conditions))
    assert len(records) == rows
    for condition in conditions:
        column, value = condition.split("=")
        assert values(records, column) == {value}
    free = "age" if not any("age" in condition for condition in conditions) else "income"
    assert len(values(records, free)) > (1 if rows > 1 else 0)


def test_what_goes_with_a_condition_comes_with_it(run, release, study, assert_done, model):
    """The region of the young is north, that of the old is south."""
    rows = study.simulate(2000)
    for row in rows:
        row[3] = "north" if int(row[2]) < 50 else "south"
    study.write_table(rows=rows)
    assert_done(release(epsilon="50"))
    assert_done(run("train", "out.release", "-o", "new.mehler"))
    for age, region in ((30, "north"), (80, "south")):
        assert_done(run("sample", "new.mehler", "--rows", 500, *where(f"age={age}"), "-o", "a.csv"))
        with open(study.folder / "a.csv", newline="") as file:
            # Seeded, and with hardly any noise.
            assert share(list(csv.DictReader(file)), "region", region) > 0.95


@pytest.mark.parametrize(
    "condition,words",
    [
        ("age=17", ["'age' = 17", "out of the column's bounds", "18 to 95"]),
        ("age=37.5", ["'age' = 37.5", "between two values"]),
        ("age=old", ["'age' = 'old'", "has numbers", "18 to 95"]),
        ("age=nan", ["'age'", "18 to 95"]),
        ("age=", ["'age' is never missing", "18 to 95"]),
        ("visit=2019-12-31", ["'visit' = 2019-12-31", "2020-01-01 to 2024-12-31"]),
        ("visit=soon", ["'visit' = 'soon'", "has dates"]),
        ("income=1.005", ["'income' = 1.005", "between two values"]),
        ("person=PT-1", ["'person'", "of kind identifier"]),
    ],
)
def test_a_value_that_a_column_cannot_have_is_refused(sample, assert_refused, condition, words):
    assert_refused(sample(*where(condition)), *words, output="out.csv")


def test_two_values_of_one_number_contradict_each_other(sample, assert_refused):
    assert_refused(sample(*where("age=40", "age=41")), "'age'", "contradict each other", output="out.csv")
