"""Sampling: any number of records, the same for a seed, and only such as a condition asks for."""

import os
import signal
import subprocess
import sys
import time

import pyarrow.csv
import pytest

pytestmark = pytest.mark.method("marginals", "dp-hp")

FAST = {
    "marginals": ["--threads", "1"],
    "dp-hp": ["--epochs", "1", "--batch", "64", "--threads", "1"],
}

# Runs a command and prints its peak memory in KiB. In a process of its own, as the peak of a forked
# child counts what its parent held.
WATCH = (
    "import os, sys; pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]);"
    "_, status, used = os.wait4(pid, 0); print(used.ru_maxrss); sys.exit(status != 0)"
)


@pytest.fixture
def sample(run, model):
    """sample(*options, output="out.csv", ...): `mehler sample` on the trained model."""

    def run_sample(*options, source="study.mehler", output="out.csv", **more):
        return run("sample", source, *options, "-o", output, **more)

    return run_sample


@pytest.fixture
def rows_of(sample, model, assert_done):
    """rows_of(*options): the lines of the CSV that these options give, without its header."""

    def make(*options, **more):
        assert_done(sample(*options, **more))
        return (model.parent / "out.csv").read_text().splitlines()[1:]

    return make


@pytest.fixture
def table_of(sample, model, assert_done):
    """table_of(*options): the records as dictionaries of text."""

    def make(*options, **more):
        assert_done(sample(*options, **more))
        text = pyarrow.csv.ConvertOptions(column_types={"smoker": pyarrow.string(), "region": pyarrow.string()})
        return pyarrow.csv.read_csv(model.parent / "out.csv", convert_options=text).to_pylist()

    return make


def values(records, column):
    return {record[column] for record in records}


def where(*conditions):
    return [word for condition in conditions for word in ("--where", condition)]


def test_sampling_says_what_it_wrote_and_the_guarantee(sample, assert_done):
    result = sample("--rows", "1234")
    assert_done(result)
    assert result.new_files == {"out.csv"}
    assert "Wrote out.csv with 1,234 synthetic records" in result.stdout
    assert "(50, 1e-06)-differentially private" in result.stdout


def test_quiet_sampling_prints_nothing(sample):
    result = sample("--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("rows", [1, 8192, 8193])
def test_as_many_records_as_asked_for(rows_of, rows):
    assert len(rows_of("--rows", rows)) == rows


def test_as_many_records_as_the_release_counts_by_default(rows_of):
    assert abs(len(rows_of()) - 2000) < 20  # the count's standard error is below 1


def test_one_seed_gives_the_same_records(rows_of):
    assert rows_of("--rows", 9000, "--seed", 4) == rows_of("--rows", 9000, "--seed", 4)


def test_another_seed_gives_other_records(rows_of):
    first, second = (rows_of("--rows", 100, "--seed", seed) for seed in (4, 5))
    assert not set(first) & set(second)


def test_the_default_seed_is_one(rows_of):
    assert rows_of("--rows", 100) == rows_of("--rows", 100, "--seed", 1)


def test_no_record_repeats_from_one_part_of_a_long_sample_to_the_next(rows_of):
    rows = rows_of("--rows", 20_000)
    assert len(set(rows)) > 19_900


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("short,long", [(10, 200), (10, 10_000), (9000, 20_000)])
def test_a_longer_sample_begins_with_the_shorter_one(rows_of, short, long):
    assert rows_of("--rows", long)[:short] == rows_of("--rows", short)


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("condition", ["outcome=ill", "region=west"])
def test_a_longer_conditional_sample_begins_with_the_shorter_one(rows_of, condition):
    longer = rows_of("--rows", 4000, *where(condition))
    assert longer[:100] == rows_of("--rows", 100, *where(condition))


@pytest.mark.parametrize("label", ["well", "ill"])
def test_a_condition_on_the_label_holds_exactly(table_of, label):
    records = table_of("--rows", 3000, *where(f"outcome={label}"))
    assert len(records) == 3000
    assert values(records, "outcome") == {label}
    assert len(values(records, "region")) == 4  # missing is one of them


@pytest.mark.parametrize("condition", ["region=north", "smoker=true"])
def test_a_condition_on_another_column_holds_exactly(table_of, condition):
    column, value = condition.split("=")
    records = table_of("--rows", 9000, *where(condition))
    assert len(records) == 9000
    assert values(records, column) == {value}
    assert values(records, "outcome") == {"well", "ill"}


def test_an_empty_value_asks_for_missing_ones(table_of, rows_of):
    records = table_of("--rows", 300, *where("region=", "outcome=ill"))
    assert len(records) == 300
    assert values(records, "region") == {""} and values(records, "outcome") == {"ill"}
    assert all(row.split(",")[2] == "" for row in rows_of("--rows", 300, *where("region=")))


def test_a_missing_label_can_be_asked_for(run, release, method, study, assert_done):
    study.write_schema(schema=study.schema_with("outcome", missing=True))
    study.write_table(rows=[[*row[:6], "" if i % 3 else row[6]] for i, row in enumerate(study.rows)])
    assert_done(release(epsilon="50"))
    assert_done(run("train", "out.release", *FAST[method], "-o", "new.mehler"))
    assert_done(run("sample", "new.mehler", "--rows", "9", *where("outcome="), "-o", "out.csv"))
    rows = (study.folder / "out.csv").read_text().splitlines()[1:]
    assert len(rows) == 9 and all(row.endswith(",") for row in rows)


def test_several_conditions_hold_together(table_of):
    conditions = where("outcome=ill", "region=south", "smoker=false")
    records = table_of("--rows", 500, *conditions)
    assert len(records) == 500
    assert values(records, "outcome") == {"ill"}
    assert values(records, "region") == {"south"}
    assert values(records, "smoker") == {"false"}


def test_a_condition_given_twice_is_harmless(table_of):
    records = table_of("--rows", 50, *where(*2 * ["outcome=ill"], *2 * ["region=west"]))
    assert values(records, "outcome") == {"ill"} and values(records, "region") == {"west"}


def test_a_category_with_an_equals_sign_can_be_asked_for(run, release, method, study, assert_done):
    categories = ["north", "south", "west", "a=b"]
    study.write_schema(schema=study.schema_with("region", categories=categories))
    study.write_table(rows=[[*row[:3], row[3] and "a=b", *row[4:]] for row in study.rows])
    assert_done(release(epsilon="50"))
    assert_done(run("train", "out.release", *FAST[method], "-o", "new.mehler"))
    assert_done(run("sample", "new.mehler", "--rows", "9", *where("region=a=b"), "-o", "out.csv"))
    assert (study.folder / "out.csv").read_text().count(",a=b,") == 9


# Of a Parquet file one group of rows is held in memory until it is full. It is by the second number
# of records: a tenfold third one, too slow for a test, adds little.
@pytest.mark.parametrize("output,growth", [("out.csv", 30), ("out.parquet", 60)])
def test_memory_does_not_grow_with_the_number_of_records(program, model, output, growth):
    with open(program, "rb") as file:
        if b"__asan_init" in file.read():
            pytest.skip("the sanitizer's own memory would be measured")
    peaks = []
    for rows in ("30000", "300000"):
        command = [program, "sample", model, "--rows", rows, "--quiet", "-o", output]
        result = subprocess.run(
            [sys.executable, "-S", "-c", WATCH, *command],
            cwd=model.parent,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        peaks.append(int(result.stdout) / 1024)
    assert peaks[1] < 400
    assert peaks[1] - peaks[0] < growth, peaks


def test_ctrl_c_leaves_no_file(program, model):
    before = sorted(os.listdir(model.parent))
    process = subprocess.Popen(
        [program, "sample", model, "--rows", str(10**12), "-o", "out.csv"],
        cwd=model.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while sorted(os.listdir(model.parent)) == before and process.poll() is None:
        time.sleep(0.005)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert output == "" and error.startswith("mehler: error: ") and error.count("\n") == 1
    assert sorted(os.listdir(model.parent)) == before


# Releases without a label.


@pytest.fixture
def unlabelled(run, release, method, study, assert_done):
    """unlabelled(schema, columns=...): trains new.mehler on a release of this schema."""

    def make(schema, columns=None):
        columns = columns or study.columns
        places = [study.columns.index(column) for column in columns]
        study.write_table(rows=[[row[i] for i in places] for row in study.rows], columns=columns)
        study.write_schema(schema=schema)
        assert_done(release(epsilon="50"))
        assert_done(run("train", "out.release", *FAST[method], "-o", "new.mehler"))

    return make


def without_target(study):
    return {key: value for key, value in study.schema.items() if key != "target"}


def test_a_schema_without_a_target_is_sampled_whole(unlabelled, table_of, study):
    unlabelled(without_target(study))
    records = table_of("--rows", 3000, source="new.mehler")
    assert values(records, "outcome") == {"well", "ill"}


def test_a_schema_without_a_target_can_be_sampled_by_any_category(unlabelled, table_of, study):
    unlabelled(without_target(study))
    records = table_of("--rows", 300, *where("outcome=ill"), source="new.mehler")
    assert len(records) == 300 and values(records, "outcome") == {"ill"}


def test_a_numeric_target_is_sampled_whole(unlabelled, table_of, study):
    unlabelled({**study.schema, "target": "age"})
    assert len(table_of("--rows", 300, source="new.mehler")) == 300


def test_a_condition_on_an_absent_label_is_refused(unlabelled, sample, study, assert_refused):
    schema = without_target(study)
    unlabelled({**schema, "columns": schema["columns"][:-1]}, study.columns[:-1])
    assert_refused(
        sample("--rows", 5, *where("outcome=ill"), source="new.mehler"),
        "'outcome'",
        "region, smoker",
        output="out.csv",
    )


@pytest.mark.method("dp-hp")
def test_a_condition_on_a_numeric_target_is_refused(unlabelled, sample, study, assert_refused):
    unlabelled({**study.schema, "target": "age"})
    assert_refused(sample("--rows", 5, *where("age=40"), source="new.mehler"), "'age'", output="out.csv")


# What is refused.


@pytest.mark.parametrize("rows", ["0", "-5", "many", "1.5", "1e3", str(2**64)])
def test_an_impossible_number_of_records_is_refused(sample, assert_refused, rows):
    assert_refused(sample("--rows", rows), "--rows", f"'{rows}'", "whole number", output="out.csv")


@pytest.mark.parametrize("seed", ["-1", "one"])
def test_an_impossible_seed_is_refused(sample, assert_refused, seed):
    assert_refused(sample("--seed", seed), "--seed", f"'{seed}'", output="out.csv")


@pytest.mark.parametrize("condition", ["outcome", "", "outcome:ill"])
def test_a_condition_without_an_equals_sign_is_refused(sample, assert_refused, condition):
    assert_refused(sample("--where", condition), "--where", "COLUMN=VALUE", f"'{condition}'", output="out.csv")


def test_a_condition_on_an_unknown_column_is_refused_with_the_near_name(sample, assert_refused):
    assert_refused(sample(*where("regoin=north")), "'regoin'", "'region'", output="out.csv")


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize(
    "condition,kind",
    [
        ("age=40", "a column of numbers"),
        ("income=100.5", "a column of numbers"),
        ("visit=2020-01-01", "a column of dates"),
        ("age=", "a column of numbers"),
        ("person=PT-1", "of kind identifier"),
    ],
)
def test_a_condition_on_a_column_without_categories_is_refused_with_those_that_have_them(
    sample, assert_refused, condition, kind
):
    assert_refused(
        sample(*where(condition)),
        f"'{condition.split('=')[0]}', which is {kind}",
        "conditions are for columns of categories: region, smoker, outcome",
        output="out.csv",
    )


@pytest.mark.method("dp-hp")
def test_a_condition_on_a_release_of_numbers_alone_is_refused(unlabelled, sample, study, assert_refused):
    numbers = [column for column in study.schema["columns"] if column["name"] in ("age", "income")]
    unlabelled({"mehler_schema": 1, "columns": numbers}, ["income", "age"])
    assert_refused(
        sample("--rows", 5, *where("age=40"), source="new.mehler"),
        "'age', which is a column of numbers",
        "this release has none",
        output="out.csv",
    )


@pytest.mark.parametrize("condition", ["outcome=il", "region=nort", "smoker=yes", "region=="])
def test_a_condition_with_an_unknown_value_is_refused(sample, assert_refused, condition):
    column, value = condition.split("=", 1)
    assert_refused(sample(*where(condition)), f"'{column}'", f"'{value}'", output="out.csv")


@pytest.mark.parametrize("column,categories", [("outcome", "well, ill"), ("smoker", "false, true")])
def test_a_missing_value_where_none_can_be_is_refused(sample, assert_refused, column, categories):
    assert_refused(
        sample(*where(f"{column}=")),
        f"'{column}' is never missing",
        f"one of its categories: {categories}",
        output="out.csv",
    )


def test_missing_and_a_category_contradict_each_other(sample, assert_refused):
    assert_refused(sample(*where("region=", "region=north")), "'region'", "contradict", output="out.csv")


def test_an_unknown_value_is_refused_with_the_near_one(sample, assert_refused):
    assert_refused(sample(*where("region=nort")), "'nort'", "'north'", output="out.csv")


def test_conditions_on_the_label_that_contradict_each_other_are_refused(sample, assert_refused):
    assert_refused(sample(*where("outcome=ill", "outcome=well")), "'outcome'", "contradict", output="out.csv")


def test_conditions_on_a_column_that_contradict_each_other_are_refused(sample, assert_refused):
    assert_refused(sample(*where("region=north", "region=south")), "'region'", "contradict", output="out.csv")


def test_a_condition_that_is_too_rare_is_refused(run, release, method, study, assert_refused, assert_done):
    names = [f"c{number}" for number in range(8)]
    categories = [f"v{number}" for number in range(20)]
    columns = [{"name": name, "kind": "categorical", "categories": categories} for name in names]
    study.write_schema(schema={"mehler_schema": 1, "columns": columns})
    rows = [[categories[(i * (k + 1)) % 20] for k in range(8)] for i in range(200)]
    study.write_table(rows=rows, columns=names)
    assert_done(release(epsilon="50"))
    assert_done(run("train", "out.release", *FAST[method], "-o", "new.mehler"))
    # Eight columns of twenty categories each: about one record in 20^8.
    conditions = where(*(f"{name}=v{7 + number}" for number, name in enumerate(names)))
    assert_refused(
        run("sample", "new.mehler", "--rows", "3", *conditions, "-o", "out.csv"),
        "too rare" if method == "dp-hp" else "hardly any record",
        "loosen",
        output="out.csv",
    )


@pytest.mark.parametrize("output", ["out.xlsx", "out", "out.csv.gz", "/dev/full"])
def test_an_ending_that_names_no_table_is_refused(sample, assert_refused, output):
    assert_refused(sample("--rows", 5, output=output), f"'{output}'", "ending", ".parquet", output="out")


def test_an_output_in_a_missing_folder_is_refused(sample, assert_refused):
    assert_refused(sample(output="nowhere/out.csv"), "'nowhere/out.csv'", "No such file", "folder")


def test_an_output_that_is_a_folder_is_refused(sample, study, assert_refused):
    (study.folder / "taken.csv").mkdir()
    assert_refused(sample(output="taken.csv"), "'taken.csv'", "folder")


@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.arrow"])
def test_a_full_disk_is_refused(sample, assert_refused, output):
    assert_refused(
        sample("--rows", 30_000, output=output, limit_blocks=100),
        f"'{output}'",
        "File too large",
        "free some space",
        output=output,
    )


def test_a_failed_sample_keeps_the_file_that_was_there(sample, study, assert_refused):
    kept = study.folder / "out.csv"
    kept.write_text("an earlier sample")
    assert_refused(sample("--rows", 30_000, limit_blocks=100), "File too large", output="none")
    assert_refused(sample(*where("region=nowhere")), "'nowhere'", output="none")
    assert kept.read_text() == "an earlier sample"
