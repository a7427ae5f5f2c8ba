"""The paper's knobs of training: batch rate, decay, gamma, products in turn, rates of classes."""

import csv
import signal
import subprocess
import time

import pytest
from test_synth import go_on, interrupted_synth

pytestmark = pytest.mark.method("dp-hp")

FAST = ["--epochs", "2", "--batch", "64", "--threads", "1"]


@pytest.fixture(scope="module")
def combined_bytes(program, trained, tmp_path_factory):
    """A release with a sum and two products, of the trained study's table."""
    path = tmp_path_factory.mktemp("combined") / "combined.release"
    given = ["--schema", "study.schema.json", "--epsilon", "50", "--delta", "1e-6"]
    products = ["--method", "dp-hp", "--kernel", "combined"]
    products += ["--product", "age,region", "--product", "smoker,visit"]
    command = [program, "release", "study.csv", *given, *products, "--quiet", "-o", path]
    subprocess.run(command, cwd=trained, check=True, timeout=60)
    return path.read_bytes()


@pytest.fixture
def train(run, study, combined_bytes):
    """train(*options, output=...): `mehler train` on the combined release."""
    (study.folder / "combined.release").write_bytes(combined_bytes)

    def run_train(*options, output="new.mehler"):
        return run("train", "combined.release", *options, "-o", output)

    return run_train


@pytest.fixture
def trained_bytes(train, study, assert_done):
    def make(*options):
        assert_done(train(*FAST, *options))
        return (study.folder / "new.mehler").read_bytes()

    return make


@pytest.mark.parametrize(
    "options",
    [
        ["--learning-rate-decay", "0.5"],
        ["--gamma", "0.1"],
        ["--one-product-per-epoch"],
        ["--class-rate", "ill=0.5"],
    ],
)
def test_every_option_changes_the_model_and_nothing_else_does(trained_bytes, options):
    changed = trained_bytes(*options)
    assert changed == trained_bytes(*options)
    assert changed != trained_bytes()


def test_classes_count_the_same_on_request(trained_bytes, train, study, assert_refused):
    gamma = ["--gamma", "0.1"]
    assert trained_bytes(*gamma, "--equal-classes") != trained_bytes(*gamma)
    (study.folder / "new.mehler").unlink()
    assert_refused(train(*FAST, "--equal-classes"), "--equal-classes", "--gamma", "noise", output="new.mehler")


def test_gamma_weighs_products(trained_bytes):
    assert trained_bytes("--gamma", "0.1") != trained_bytes("--gamma", "10")


def test_a_batch_rate_is_a_share_of_the_released_records(train, run, study, assert_done):
    alone = ["--epochs", "2", "--threads", "1"]
    assert_done(train(*alone, "--batch-rate", "0.05"))
    rated = (study.folder / "new.mehler").read_bytes()
    models = set()
    for batch in range(96, 105):  # 2,000 records, noisily
        assert_done(train(*alone, "--batch", batch))
        models.add((study.folder / "new.mehler").read_bytes())
    assert rated in models


def share_of_ill(run, folder):
    assert run("sample", "new.mehler", "--rows", "4000", "-o", "new.csv").returncode == 0
    with open(folder / "new.csv", encoding="utf-8") as file:
        return sum(row["outcome"] == "ill" for row in csv.DictReader(file)) / 4000


def test_class_rates_change_how_often_a_class_is_drawn(train, run, study, assert_done):
    assert_done(train(*FAST))
    before = share_of_ill(run, study.folder)
    assert_done(train(*FAST, "--class-rate", "ill=3", "--class-rate", "well=0.5"))
    expected = 6 * before / (6 * before + 1 - before)
    assert share_of_ill(run, study.folder) == pytest.approx(expected, abs=0.04)  # 6 deviations


@pytest.mark.parametrize(
    "option,value",
    [
        ("--gamma", "2"),
        ("--batch-rate", "0.2"),
        ("--learning-rate-decay", "0.9"),
        ("--class-rate", "ill=2"),
    ],
)
def test_a_checkpoint_remembers_the_option(train, study, program, assert_refused, option, value):
    batch = [] if option == "--batch-rate" else ["--batch", "64"]
    options = ["--epochs", "5000", "--threads", "1", *batch]
    process = subprocess.Popen(
        [program, "train", "combined.release", *options, "--quiet", "-o", "new.mehler"],
        cwd=study.folder,
        stderr=subprocess.DEVNULL,
    )
    checkpoint = study.folder / "new.mehler.checkpoint"
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    assert_refused(train(*options, option, value, "--resume"), "other options", output="new.mehler")


def test_the_commands_to_go_on_from_a_release_repeat_every_option(program, study):
    """A synth that was interrupted tells the training that it would have done."""
    options = ["--epochs", "12", "--batch", "64", "--seed", "7", "--rows", "50"]
    options += ["--learning-rate-decay", "0.9"]
    options += ["--gamma", "0.5", "--one-product-per-epoch", "--class-rate", "ill=2"]
    options += ["--method", "dp-hp", "--kernel", "combined"]
    code, error, new_files = interrupted_synth(program, study.folder, *options)
    assert code == 130 and new_files == {"out.release"}
    assert (
        "mehler train out.release --seed 7 --epochs 12 --batch 64 --learning-rate-decay 0.9 "
        "--gamma 0.5 --one-product-per-epoch --class-rate=ill=2 --threads 1 -o out.mehler" in error
    )
    go_on(error, program, study.folder)
    assert len((study.folder / "out.csv").read_text().splitlines()) == 51


# What is refused, by train, and by synth before the budget is spent.


@pytest.fixture(params=["train", "synth"])
def attempt(request, run, train):
    """attempt(*options): a training with these options, alone or as a part of synth."""
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6", "-o", "out.csv"]

    def run_it(*options):
        if request.param == "train":
            return train(*options)
        return run("synth", "study.csv", *given, "--method", "dp-hp", *options)

    return run_it


@pytest.mark.parametrize(
    "option,name,values,allowed",
    [
        ("--gamma", "gamma", ["0", "-1", "nan", "inf"], "greater than 0"),
        ("--batch-rate", "batch rate", ["0", "2", "-0.1", "nan"], "(0, 1]"),
        ("--learning-rate-decay", "decay", ["0", "1.5", "nan", "-1"], "(0, 1]"),
    ],
)
def test_a_number_out_of_range_is_refused(attempt, assert_refused, option, name, values, allowed):
    for value in values:
        assert_refused(attempt(option, value), name, allowed, f"is {value}", "good start", output="new.mehler")


@pytest.mark.parametrize("option", ["--gamma", "--batch-rate", "--learning-rate-decay"])
@pytest.mark.parametrize("value", ["x", "", "1,5"])
def test_what_is_no_number_is_refused(attempt, assert_refused, option, value):
    assert_refused(attempt(option, value), option, f"'{value}'", "number", output="new.mehler")


@pytest.mark.parametrize("rate", ["0", "-1", "nan", "inf", "1e7"])
def test_an_impossible_rate_of_a_class_is_refused(attempt, assert_refused, rate):
    result = attempt("--class-rate", f"ill={rate}")
    assert_refused(result, "class 'ill'", "(0, 1000000]", "1 leaves", output="new.mehler")


@pytest.mark.parametrize("text", ["2", "=2", "ill=", "ill=x", "ill"])
def test_a_rate_without_a_class_or_a_number_is_refused(attempt, assert_refused, text):
    assert_refused(attempt("--class-rate", text), "--class-rate", output="new.mehler")


def test_a_rate_of_an_unknown_class_is_refused_with_the_near_one(attempt, assert_refused):
    assert_refused(attempt("--class-rate", "il=2"), "'il'", "'outcome'", "'ill'", output="new.mehler")
    assert_refused(attempt("--class-rate", "dead=2"), "'dead'", "known names: well, ill", output="new.mehler")


def test_a_rate_given_twice_is_refused(attempt, assert_refused):
    assert_refused(
        attempt("--class-rate", "ill=2", "--class-rate", "ill=3"),
        "--class-rate",
        "twice",
        "'ill'",
        output="new.mehler",
    )


def test_a_batch_and_a_batch_rate_are_refused(attempt, assert_refused):
    assert_refused(
        attempt("--batch", "64", "--batch-rate", "0.1"),
        "--batch and --batch-rate",
        "one of them",
        output="new.mehler",
    )


def test_a_rate_of_a_class_without_a_target_is_refused(run, release, study, assert_done, assert_refused):
    schema = {key: value for key, value in study.schema.items() if key != "target"}
    study.write_schema(schema=schema)
    assert_done(release())
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "0.1"]
    for command in (
        ["train", "out.release"],
        ["synth", "study.csv", *given, "--method", "dp-hp"],
    ):
        assert_refused(
            run(*command, "--class-rate", "ill=2", "-o", "new.csv"),
            "'ill'",
            "no target",
            output="new.csv",
        )
