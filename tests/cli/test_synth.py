"""From a private table to a synthetic one in one command, and the list of methods."""

import json
import os
import random
import signal
import subprocess
import time
from datetime import date, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from stored_values import STORED, assert_holds_none_of
from test_progress import run_on_terminal

pytestmark = pytest.mark.method("marginals", "dp-hp")

FAST = {
    "marginals": ["--threads", "1"],
    "dp-hp": ["--method", "dp-hp", "--epochs", "1", "--batch", "64", "--threads", "1"],
}
START = datetime(2024, 1, 1)

CLINIC = {
    "mehler_schema": 1,
    "target": "outcome",
    "columns": [
        {"name": "patient", "kind": "identifier"},
        {"name": "income", "kind": "numeric", "bounds": [0, 200000], "decimals": 2},
        {"name": "weight", "kind": "numeric", "bounds": [40.25, 160.25], "step": 0.5},
        {"name": "pulse", "kind": "numeric", "bounds": [30, 220], "missing": True},
        {"name": "age", "kind": "integer", "bounds": [18, 95]},
        {"name": "hours", "kind": "integer", "bounds": [2, 82], "step": 5, "missing": True},
        {
            "name": "region",
            "kind": "categorical",
            "categories": ["north", "the \"far\" south, 'west'"],
            "missing": True,
        },
        {"name": "stage", "kind": "ordinal", "categories": ["I", "II", "III"], "other": "later"},
        {"name": "smoker", "kind": "boolean"},
        {"name": "visit", "kind": "date", "bounds": ["2020-01-01", "2024-12-31"]},
        {
            "name": "seen",
            "kind": "datetime",
            "bounds": ["2024-01-01T00:00:00", "2024-12-31T00:00:00"],
        },
        {"name": "note", "kind": "ignored"},
        {"name": "outcome", "kind": "categorical", "categories": ["well", "ill"]},
    ],
}
UNUSED = ("identifier", "ignored")
USED = [column["name"] for column in CLINIC["columns"] if column["kind"] not in UNUSED]
TYPES = {
    "numeric": pa.types.is_floating,
    "integer": pa.types.is_integer,
    "categorical": pa.types.is_string,
    "ordinal": pa.types.is_string,
    "boolean": pa.types.is_boolean,
    "date": pa.types.is_date,
    "datetime": pa.types.is_timestamp,
}


def clinic_rows(count):
    chance = random.Random(3)
    return [
        [
            f"PT-{number}",
            f"{chance.gauss(40_000, 15_000):.2f}",
            f"{40.25 + 0.5 * chance.randrange(240)}",
            chance.choice(["", "71.5", "88.25"]),
            chance.randrange(18, 96),
            chance.choice(["", 2, 37, 42]),
            chance.choice(["", *CLINIC["columns"][6]["categories"]]),
            chance.choice(["I", "II", "III", "IV"]),
            chance.choice(["true", "false"]),
            date(2020, 1, 1) + timedelta(days=chance.randrange(1800)),
            (START + timedelta(minutes=chance.randrange(500_000))).isoformat(),
            "words",
            chance.choice(["well", "ill"]),
        ]
        for number in range(count)
    ]


@pytest.fixture
def synth(run, study, method):
    """synth(*extra, output="out.csv", ...): `mehler synth` on the study, by the test's method."""

    def run_synth(*extra, table="study.csv", schema="study.schema.json", output="out.csv", **more):
        given = ["--schema", schema, "--epsilon", "1", "--delta", "1e-6", "-o", output]
        return run("synth", table, *given, *FAST[method], "--force", *extra, **more)

    return run_synth


@pytest.fixture
def clinic(study, synth, assert_done):
    """clinic(output): the synthetic table of one with every kind of column, as Arrow reads it."""

    def make(output):
        study.write_table("clinic.csv", rows=clinic_rows(500), columns=[c["name"] for c in CLINIC["columns"]])
        study.write_schema("clinic.json", CLINIC)
        assert_done(synth("--rows", "3000", table="clinic.csv", schema="clinic.json", output=output))
        return read(study.folder / output)

    return make


def read(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".arrow":
        return feather.read_table(path)
    options = pa.csv.ParseOptions(delimiter="\t" if path.suffix == ".tsv" else ",")
    # Only an empty field is missing.
    missing = pa.csv.ConvertOptions(null_values=[""], strings_can_be_null=True)
    return pa.csv.read_csv(path, parse_options=options, convert_options=missing)


def as_number(value):
    """A value or a bound as a number: of days for dates, of seconds for moments."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value) if "T" in value else date.fromisoformat(value)
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - START).total_seconds()
    if isinstance(value, date):
        return value.toordinal()
    return value


def assert_fits(table, schema):
    """Names, kinds, categories, bounds, steps and missing values are those of the schema."""
    columns = [column for column in schema["columns"] if column["kind"] not in UNUSED]
    assert table.column_names == [column["name"] for column in columns]
    for column in columns:
        values = table[column["name"]]
        assert TYPES[column["kind"]](values.type), (column["name"], values.type)
        if not column.get("missing"):
            assert values.null_count == 0, column["name"]
        found = values.drop_null().unique().to_pylist()
        if "categories" in column:
            other = [column["other"]] if "other" in column else []
            assert set(found) <= {*column["categories"], *other}, column["name"]
        if "bounds" in column:
            low, high = map(as_number, column["bounds"])
            numbers = [as_number(value) for value in found]
            assert all(low <= number <= high for number in numbers), column["name"]
            assert not any(number != number for number in numbers), column["name"]
            default = None if column["kind"] == "numeric" else 1
            step = column.get("step", default)
            if "decimals" in column:
                assert all(number == round(number, column["decimals"]) for number in numbers)
            elif step is not None:
                assert all((number - low) % step == 0 for number in numbers), column["name"]


def told_records(run, name="out.release"):
    return json.loads(run("inspect", name, "--json").stdout)["records"]["count"]


def test_synth_writes_the_records_the_release_and_the_model(synth, run, assert_done):
    result = synth()
    assert_done(result)
    assert result.new_files == {"out.csv", "out.release", "out.mehler"}
    assert_done(run("inspect", "out.release"))
    assert_done(run("sample", "out.mehler", "--rows", "5", "-o", "more.csv"))


def test_synth_says_what_it_wrote_and_guarantees(synth, run, assert_done):
    result = synth("--rows", "1234")
    assert_done(result)
    told = json.loads(run("inspect", "out.release", "--json").stdout)["privacy"]["in_words"]
    said = " ".join(result.stdout.split())
    for words in ["out.csv", "out.release", "out.mehler", "1,234", told]:
        assert words in said
    assert "(1, 1e-06)-differentially private" in told


def test_quiet_synth_prints_nothing(synth):
    result = synth("--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_pipe_shows_no_progress(synth, assert_done):
    result = synth()
    assert_done(result)
    assert not any(words in result.stdout for words in ("\r", "\033", "epoch"))


@pytest.mark.method("dp-hp")
def test_a_terminal_shows_epochs_loss_and_time_left(program, model):
    train = ["--epochs", "1", "--batch", "64", "--threads", "1"]
    command = [program, "train", "study.release", *train, "-o", "new.mehler"]
    code, shown = run_on_terminal(command, model.parent)
    assert code == 0
    for words in ["epoch 1 of 1", "loss ", " left", "\r\033[KWrote new.mehler"]:
        assert words in shown


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
def test_synthetic_records_respect_the_schema(clinic, ending):
    table = clinic(f"out.{ending}")
    assert table.num_rows == 3000
    assert_fits(table, CLINIC)


def test_synthetic_values_vary_and_go_missing_as_declared(clinic):
    table = clinic("out.parquet")
    for name in USED:
        assert pc.count_distinct(table[name]).as_py() > 1, name
    missing = {name for name in USED if table[name].null_count}
    assert missing == {"pulse", "hours", "region"}


def test_the_synthetic_table_fits_the_schema_it_came_from(clinic, run, study, assert_done):
    clinic("out.csv")
    used = [column for column in CLINIC["columns"] if column["name"] in USED]
    study.write_schema("used.json", {**CLINIC, "columns": used})
    result = run("schema", "check", "used.json", "out.csv")
    assert_done(result)
    assert result.stdout.startswith("The table fits") and "will " not in result.stdout


def test_a_tsv_holds_tabs(synth, study, assert_done):
    assert_done(synth(output="out.tsv"))
    header = (study.folder / "out.tsv").read_text().splitlines()[0]
    assert header.split("\t") == study.columns[1:]


def test_as_many_records_as_the_release_counts_by_default(synth, run, study, assert_done):
    result = synth()
    assert_done(result)
    count = round(told_records(run))
    assert read(study.folder / "out.csv").num_rows == count
    assert f"{count:,} synthetic records" in result.stdout


def test_the_public_number_of_records_is_met_exactly(synth, study, assert_done):
    study.write_schema(schema={**study.schema, "relation": "replace-one"})
    assert_done(synth())
    assert read(study.folder / "out.csv").num_rows == 200


@pytest.mark.parametrize("rows", [1, 9000])
def test_as_many_records_as_asked_for(synth, study, assert_done, rows):
    assert_done(synth("--rows", rows))
    assert read(study.folder / "out.csv").num_rows == rows


def test_two_releases_of_one_seed_differ(synth, study, assert_done):
    for name in ("a", "b"):
        assert_done(synth("--seed", "7", output=f"{name}.csv"))
    for ending in ("release", "mehler", "csv"):
        first, second = ((study.folder / f"{name}.{ending}").read_bytes() for name in "ab")
        assert first != second


def test_synth_is_release_train_and_sample(synth, run, method, study, assert_done):
    assert_done(synth("--seed", "3", "--rows", "500"))
    train = [word for word in FAST[method] if word not in ("--method", "dp-hp")]
    assert_done(run("train", "out.release", *train, "--seed", "3", "-o", "again.mehler"))
    assert_done(run("sample", "again.mehler", "--rows", "500", "-o", "again.csv"))
    for ending in ("mehler", "csv"):
        again = (study.folder / f"again.{ending}").read_bytes()
        assert (study.folder / f"out.{ending}").read_bytes() == again


@pytest.mark.method("marginals")
def test_the_method_that_is_default_can_be_named(synth, run, assert_done):
    assert_done(synth("--method", "marginals"))
    assert "Parts" in run("inspect", "out.release").stdout


@pytest.mark.parametrize("form", STORED)
def test_no_private_value_reaches_the_release_or_the_model(synth, study, assert_done, form):
    assert_done(synth())
    for name in ("out.release", "out.mehler"):
        assert_holds_none_of((study.folder / name).read_bytes(), study.rows, form)


def test_methods_lists_each_with_its_summary(run, assert_done):
    result = run("methods")
    assert_done(result)
    assert result.stdout.startswith("marginals") and "docs/methods/marginals.md" in result.stdout
    assert "\ndp-hp\n" in result.stdout and "docs/methods/dp-hp.md" in result.stdout


def test_methods_lists_the_same_as_json(run, assert_done):
    text, result = run("methods"), run("methods", "--json")
    assert_done(result)
    listed = json.loads(result.stdout)
    assert [method["name"] for method in listed][:2] == ["marginals", "dp-hp"]
    for method in listed:
        assert set(method) == {"name", "summary", "page", "release_options", "fit_options"}
        assert all(method[key] in " ".join(text.stdout.split()) for key in ("name", "summary", "page"))
        own = run("methods", method["name"])
        assert_done(own)
        for option in method["release_options"] + method["fit_options"]:
            assert f"--{option['name']}" in own.stdout
            assert option["help"] in " ".join(own.stdout.split())


COMMON = ["--seed", "--threads", "--quiet", "--output", "mehler methods NAME"]


@pytest.mark.parametrize(
    "command,options",
    [
        ("synth", [*COMMON, "--method", "marginals", "dp-hp", "--schema", "--epsilon", "--delta", "--rows", "TABLE"]),
        ("train", [*COMMON, "--resume", "RELEASE"]),
        ("sample", ["--rows", "--seed", "--where", "--quiet", "--output", "MODEL", ".parquet"]),
        ("methods", ["--json", "NAME"]),
    ],
)
def test_help_names_every_common_option(run, assert_done, command, options):
    result = run(command, "--help")
    assert_done(result)
    assert f"Usage: mehler {command}" in result.stdout
    for option in options:
        assert option in result.stdout, option


@pytest.mark.parametrize("command", ["release", "synth", "train"])
def test_help_leaves_the_options_of_single_methods_to_methods(run, command):
    listed = json.loads(run("methods", "--json").stdout)
    shown = run(command, "--help").stdout
    for option in (option for method in listed for key in ("release_options", "fit_options") for option in method[key]):
        assert f"--{option['name']} " not in shown


def test_methods_refuses_a_method_that_is_none(run, assert_refused):
    assert_refused(run("methods", "dp-hq"), "there is no method 'dp-hq'", "did you mean 'dp-hp'")


# What is refused.


@pytest.mark.parametrize("rows", ["0", "-5", "many", "1.5"])
def test_an_impossible_number_of_records_is_found_before_the_budget_is_spent(synth, assert_refused, rows):
    assert_refused(synth("--rows", rows), "--rows", f"'{rows}'", "whole number", output="out.csv")


@pytest.mark.method("marginals")
def test_an_unknown_method_is_refused_with_the_near_name(synth, assert_refused):
    assert_refused(synth("--method", "dp-hpp"), "'dp-hpp'", "'dp-hp'", output="out.csv")


@pytest.mark.method("marginals")
def test_a_method_unlike_any_is_refused_with_the_known_ones(synth, assert_refused):
    assert_refused(synth("--method", "magic"), "'magic'", "marginals, dp-hp", output="out.csv")


@pytest.mark.parametrize("output", ["out.xlsx", "out", "out.csv.gz", "out.release"])
def test_an_ending_that_names_no_table_is_refused(synth, assert_refused, output):
    assert_refused(synth(output=output), f"'{output}'", "ending", ".csv", ".parquet")


def test_an_output_in_a_missing_folder_is_refused(synth, assert_refused):
    assert_refused(synth(output="nowhere/out.csv"), "nowhere/out.", "No such file", "folder")


def test_an_output_that_is_a_folder_is_refused(synth, study, assert_refused):
    (study.folder / "out.csv").mkdir()
    assert_refused(synth(), "'out.csv'", "folder")


@pytest.mark.parametrize("name", ["out.release", "out.mehler"])
def test_a_folder_in_the_place_of_a_side_product_is_refused(synth, study, assert_refused, name):
    (study.folder / name).mkdir()
    assert_refused(synth(), f"'{name}'", "folder", output="out.csv")


def test_an_unwritable_output_is_found_before_the_table_is_read(synth, assert_refused):
    assert_refused(
        synth(output="nowhere/out.csv", table="-", stdin="no,such,columns\n1,2,3\n"),
        "nowhere/out.",
    )


def test_the_private_table_is_not_overwritten_by_its_synthetic_one(synth, study, assert_refused):
    before = (study.folder / "study.csv").read_bytes()
    assert_refused(synth(output="study.csv"), "'study.csv'", output="none")
    assert (study.folder / "study.csv").read_bytes() == before


def test_a_value_that_does_not_fit_leaves_no_file(synth, study, assert_refused):
    study.write_table(rows=study.rows_with("outcome", "unheard-of"))
    assert_refused(synth(), "'outcome'", output="out.csv", secrets=["unheard-of"])


# What is kept once the budget is spent, and how to go on from it.


def go_on(error, program, folder):
    """Runs the commands that an error tells, as a shell would."""
    path = f"{os.path.dirname(os.path.abspath(program))}:{os.environ['PATH']}"
    subprocess.run(
        error.split(" with: ")[1],
        shell=True,
        cwd=folder,
        check=True,
        timeout=60,
        capture_output=True,
        env={**os.environ, "PATH": path},
    )


def interrupted_synth(program, folder, *options, output="out.csv", wait_for="out.release"):
    """Sends Ctrl-C when a file is there; gives the exit code, the error and the files that are new."""
    before = set(os.listdir(folder))
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6", "-o", output]
    process = subprocess.Popen(
        [program, "synth", "study.csv", *given, "--threads", "1", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (folder / wait_for).exists() and process.poll() is None:
        time.sleep(0.005)
    if wait_for == "out.mehler":
        time.sleep(0.3)  # until the sample fills the pipe
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=30)[1]
    return process.returncode, error, set(os.listdir(folder)) - before


def test_ctrl_c_in_training_keeps_the_release_and_tells_the_commands_to_go_on(program, study):
    options = ["--method", "dp-hp", "--epochs", "12", "--batch", "64", "--seed", "7"]
    options += ["--rows", "123"]
    code, error, new_files = interrupted_synth(program, study.folder, *options)
    assert code == 130 and new_files == {"out.release"}
    assert error == (
        "mehler: error: stopped on request. The release 'out.release', for which the budget is "
        "spent, was kept; go on from it with: "
        "mehler train out.release --seed 7 --epochs 12 --batch 64 --threads 1 -o out.mehler && "
        "mehler sample out.mehler --rows 123 --threads 1 -o out.csv\n"
    )
    go_on(error, program, study.folder)
    assert read(study.folder / "out.csv").num_rows == 123


def test_ctrl_c_in_a_fit_keeps_the_release_and_tells_the_commands_to_go_on(program, study):
    study.write_table(rows=50 * study.simulate(4_000))  # takes a second to fit
    options = ["--seed", "7", "--rows", "123"]
    code, error, new_files = interrupted_synth(program, study.folder, *options)
    assert code == 130 and new_files == {"out.release"}
    assert error == (
        "mehler: error: stopped on request. The release 'out.release', for which the budget is "
        "spent, was kept; go on from it with: "
        "mehler train out.release --seed 7 --threads 1 -o out.mehler && "
        "mehler sample out.mehler --rows 123 --threads 1 -o out.csv\n"
    )
    go_on(error, program, study.folder)
    assert read(study.folder / "out.csv").num_rows == 123


def test_the_commands_to_go_on_can_be_pasted_whatever_the_name(program, study):
    name = "my $HOME's"
    code, error, new_files = interrupted_synth(
        program,
        study.folder,
        *("--method", "dp-hp", "--epochs", "12", "--batch", "64"),
        output=f"{name}.csv",
        wait_for=f"{name}.release",
    )
    assert code == 130 and new_files == {f"{name}.release"}
    go_on(error, program, study.folder)
    assert read(study.folder / f"{name}.csv").num_rows > 1


def test_ctrl_c_in_sampling_keeps_the_release_and_the_model(program, study, method):
    os.mkfifo(study.folder / "out.csv")
    reader = os.open(study.folder / "out.csv", os.O_RDONLY | os.O_NONBLOCK)  # and never reads
    try:
        code, error, new_files = interrupted_synth(
            program, study.folder, *FAST[method][:-2], "--rows", "90000", wait_for="out.mehler"
        )
    finally:
        os.close(reader)
    assert code == 130 and new_files == {"out.release", "out.mehler"}
    assert error == (
        "mehler: error: stopped on request. The release 'out.release' and the model 'out.mehler' "
        "were kept; go on with: mehler sample out.mehler --rows 90000 --threads 1 -o out.csv\n"
    )
    (study.folder / "out.csv").unlink()
    go_on(error, program, study.folder)
    assert read(study.folder / "out.csv").num_rows == 90000


def test_a_synth_that_fails_before_the_release_tells_of_none(synth, study):
    study.write_table(rows=study.rows_with("outcome", "unheard-of"))
    assert "kept" not in synth().stderr


def test_a_full_disk_keeps_the_release_that_was_paid_for(program, synth, run, study, method, assert_done):
    # Room for the release, not for the model: a place between the sizes of another run's.
    assert_done(synth("--quiet", output="other.csv"))
    sizes = [(study.folder / f"other.{ending}").stat().st_size for ending in ("release", "mehler")]
    for ending in ("csv", "release", "mehler"):
        (study.folder / f"other.{ending}").unlink()
    result = synth("--seed", "7", limit_blocks=sum(sizes) // 2 // 1024)
    assert result.returncode == 2
    assert result.stderr.startswith("mehler: error: ") and result.stderr.count("\n") == 1
    assert "File too large" in result.stderr
    assert result.new_files == {"out.release"}
    assert_done(run("inspect", "out.release"))
    assert "mehler train out.release --seed 7" in result.stderr
    go_on(result.stderr, program, study.folder)
    assert (study.folder / "out.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_a_disk_that_fills_while_sampling_leaves_no_cut_table(synth, study, ending):
    result = synth("--rows", "200000", output=f"out.{ending}", limit_blocks=1000)
    assert result.returncode == 2
    assert f"'out.{ending}'" in result.stderr and "File too large" in result.stderr
    assert f"mehler sample out.mehler --rows 200000 --threads 1 -o out.{ending}" in result.stderr
    assert result.new_files == {"out.release", "out.mehler"}


def test_every_record_of_one_column_is_read_back(run, study, synth, assert_done):
    """Where its value is missing too, though a blank line of a CSV is no record."""
    schema = {
        "mehler_schema": 1,
        "columns": [{"name": "only", "kind": "integer", "bounds": [0, 9], "missing": True}],
    }
    study.write_schema("one.json", schema)
    (study.folder / "one.csv").write_text("only\n" + '3\n""\n' * 300)
    assert_done(synth("--rows", "500", table="one.csv", schema="one.json"))
    text = (study.folder / "out.csv").read_text()
    assert text.count("\n") == 501 and "\n\n" not in text
    real = ["--real", "one.csv", "--schema", "one.json"]
    found = json.loads(run("evaluate", *real, "--synthetic", "out.csv", "--json").stdout)
    assert (found["real_records"], found["synthetic_records"]) == (600, 500)


@pytest.mark.method("marginals")  # of dp-hp, training says that there is nothing to learn from
def test_a_table_of_which_the_release_counts_none_has_a_record(run, study, method, assert_done):
    """A noisy number of records can be below 1."""
    study.write_table("few.csv", rows=study.rows[:1])
    given = ["--schema", "study.schema.json", "--epsilon", "0.05", "--delta", "1e-6", "--quiet"]
    for _ in range(4):
        assert_done(run("synth", "few.csv", *given, *FAST[method], "--force", "-o", "out.csv"))
        assert_done(run("schema", "check", "study.schema.json", "out.csv"))
