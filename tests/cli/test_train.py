"""Training: from a release alone, the same for a seed, interrupted and resumed."""

import math
import os
import signal
import struct
import subprocess
import time

import pyarrow.csv
import pytest
from test_bad_release import with_header

pytestmark = pytest.mark.method("dp-hp")

FAST = ["--epochs", "1", "--batch", "64", "--threads", "1"]
# Long enough to be interrupted; one thread, so that results are the same on every machine.
LONG = ["--epochs", "12", "--batch", "64", "--threads", "1", "--seed", "5"]


@pytest.fixture
def train(run, model):
    """train(*options, release=..., output=...): `mehler train` on the study's release."""

    def run_train(*options, release="study.release", output="new.mehler", **more):
        return run("train", release, *options, "-o", output, **more)

    return run_train


@pytest.fixture
def fast(method):
    """Options of a training that takes a moment; a table is fitted without any."""
    return FAST if method == "dp-hp" else ["--threads", "1"]


@pytest.fixture
def trained_bytes(train, fast, model, assert_done):
    """trained_bytes(*options, threads=1): the model that these options give."""

    def make(*options, threads=1):
        assert_done(train(*fast[:-1], threads, *options))
        return (model.parent / "new.mehler").read_bytes()

    return make


@pytest.mark.method("marginals", "dp-hp")
def test_training_writes_the_model_alone(train, fast, assert_done):
    result = train(*fast)
    assert_done(result)
    assert result.new_files == {"new.mehler"}
    assert "Wrote new.mehler" in result.stdout and "mehler sample new.mehler" in result.stdout


@pytest.mark.method("marginals", "dp-hp")
def test_quiet_training_prints_nothing(train, fast):
    result = train(*fast, "--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.method("marginals", "dp-hp")
@pytest.mark.parametrize("threads", [1, 2])
def test_one_seed_gives_one_model(trained_bytes, threads):
    first = trained_bytes("--seed", "11", threads=threads)
    assert first == trained_bytes("--seed", "11", threads=threads)


@pytest.mark.method("marginals", "dp-hp")
def test_another_seed_gives_another_model(trained_bytes):
    assert trained_bytes("--seed", "1") != trained_bytes("--seed", "2")


@pytest.mark.method("marginals", "dp-hp")
def test_the_default_seed_is_one(trained_bytes):
    assert trained_bytes() == trained_bytes("--seed", "1")


@pytest.mark.method("marginals", "dp-hp")
def test_the_largest_seed_is_accepted(train, assert_done, fast):
    assert_done(train(*fast, "--seed", 2**64 - 1))


@pytest.mark.method("marginals", "dp-hp")
def test_another_release_gives_another_model(release, train, study, assert_done, fast):
    for name in ("a", "b"):
        assert_done(release(output=f"{name}.release"))
        assert_done(train(*fast, "--seed", "1", release=f"{name}.release", output=f"{name}.mehler"))
    first, second = ((study.folder / f"{name}.mehler").read_bytes() for name in "ab")
    assert first != second


@pytest.mark.method("marginals", "dp-hp")
def test_the_model_carries_the_release_and_its_statement(model, models):
    data = model.read_bytes()
    header = data[32 : 32 + struct.unpack_from("<Q", data, 16)[0]]
    assert (models / "study.release").read_bytes() in data
    assert b"(50, 1e-06)-differentially private" in header


@pytest.mark.method("marginals", "dp-hp")
def test_the_release_alone_suffices_on_another_machine(run, models, tmp_path, assert_done, fast):
    assert not list(tmp_path.iterdir())
    (tmp_path / "moved.release").write_bytes((models / "study.release").read_bytes())
    assert_done(run("train", "moved.release", *fast, "-o", "moved.mehler"))
    (tmp_path / "moved.release").unlink()
    result = run("sample", "moved.mehler", "--rows", "7", "-o", "moved.csv")
    assert_done(result)
    assert "(50, 1e-06)-differentially private" in result.stdout
    assert pyarrow.csv.read_csv(tmp_path / "moved.csv").num_rows == 7


@pytest.mark.method("marginals", "dp-hp")
def test_an_existing_model_is_replaced_whole(train, run, model, assert_done, fast):
    (model.parent / "new.mehler").write_bytes(b"x" * 1_000_000)
    assert_done(train(*fast))
    assert_done(run("sample", "new.mehler", "--rows", "5", "-o", "out.csv"))


# What is refused.


@pytest.mark.parametrize("epochs", ["0", "-1", "two", "1.5", "100001"])
def test_impossible_epochs_are_refused(train, assert_refused, epochs):
    assert_refused(train("--epochs", epochs), "--epochs", f"'{epochs}'", "whole number", output="new.mehler")


@pytest.mark.parametrize("rate", ["0", "-0.01", "nan", "inf", "1e30"])
def test_a_learning_rate_out_of_range_is_refused(train, assert_refused, rate):
    assert_refused(train("--learning-rate", rate), "learning rate", "(0, 1]", "0.01", output="new.mehler")


def test_a_learning_rate_that_is_no_number_is_refused(train, assert_refused):
    assert_refused(
        train("--learning-rate", "fast"),
        "--learning-rate",
        "'fast'",
        "number",
        output="new.mehler",
    )


@pytest.mark.parametrize("batch", ["0", "15", "-3", "all"])
def test_an_impossible_batch_is_refused(train, assert_refused, batch):
    assert_refused(train("--batch", batch), "--batch", f"'{batch}'", "16", output="new.mehler")


@pytest.mark.method("marginals", "dp-hp")
@pytest.mark.parametrize("seed", ["-1", "one", "1.5", str(2**64)])
def test_an_impossible_seed_is_refused(train, assert_refused, seed):
    assert_refused(train("--seed", seed), "--seed", f"'{seed}'", output="new.mehler")


@pytest.mark.method("marginals", "dp-hp")
@pytest.mark.parametrize("threads", ["0", "two"])
def test_an_impossible_number_of_threads_is_refused(train, assert_refused, threads):
    assert_refused(train("--threads", threads), "--threads", threads, output="new.mehler")


@pytest.mark.parametrize("rate", ["0.3", "1.0"])
def test_a_wild_learning_rate_trains_or_is_refused_but_never_gives_a_nan(
    train, run, model, assert_done, assert_refused, rate
):
    result = train("--epochs", "3", "--batch", "16", "--threads", "1", "--learning-rate", rate)
    if result.returncode != 0:
        assert_refused(result, "diverged", "learning rate", output="new.mehler")
        return
    assert_done(run("sample", "new.mehler", "--rows", "2000", "-o", "out.csv"))
    table = pyarrow.csv.read_csv(model.parent / "out.csv")
    for column in ("income", "age"):
        assert all(math.isfinite(value) for value in table[column].to_pylist())


def test_a_missing_release_is_refused(train, assert_refused):
    assert_refused(train(release="none.release"), "'none.release'", "No such file", output="new.mehler")


def test_a_model_in_the_place_of_a_release_is_refused(train, assert_refused):
    assert_refused(
        train(release="study.mehler"),
        "'study.mehler'",
        "not a release",
        "a release was written to",
        output="new.mehler",
    )


def test_a_table_in_the_place_of_a_release_is_refused(train, assert_refused):
    assert_refused(train(release="study.csv"), "'study.csv' is not a mehler release", output="new.mehler")


@pytest.mark.method("marginals", "dp-hp")
def test_a_cut_release_is_refused(train, model, assert_refused):
    release = model.with_suffix(".release")
    (model.parent / "cut.release").write_bytes(release.read_bytes()[:-100])
    assert_refused(train(release="cut.release"), "'cut.release'", "cut short", output="new.mehler")


@pytest.mark.method("marginals", "dp-hp")
def test_a_model_in_a_missing_folder_is_refused(train, assert_refused):
    assert_refused(train(output="nowhere/new.mehler"), "nowhere/new.mehler", "No such file", "folder")


def test_an_output_that_is_a_folder_is_refused(train, study, assert_refused):
    (study.folder / "taken").mkdir()
    assert_refused(train(output="taken"), "'taken'", "folder")


def test_an_unwritable_model_is_found_before_training(train, assert_refused):
    begin = time.monotonic()
    assert_refused(train("--epochs", "100000", output="nowhere/new.mehler"), "nowhere/new.mehler")
    assert time.monotonic() - begin < 20


@pytest.mark.method("marginals", "dp-hp")
def test_a_model_does_not_overwrite_its_release(train, model, assert_refused, fast):
    release = model.with_suffix(".release")
    before = release.read_bytes()
    assert_refused(train(*fast, output="study.release"), "'study.release'", output="none")
    assert release.read_bytes() == before


@pytest.mark.method("marginals", "dp-hp")
def test_a_full_disk_is_refused(train, assert_refused, fast):
    assert_refused(
        train(*fast, limit_blocks=40),
        "new.mehler",
        "File too large",
        "free some space",
        output="new.mehler",
    )


@pytest.mark.method("marginals", "dp-hp")
def test_a_failed_training_keeps_the_model_that_was_there(train, model, assert_refused, fast):
    before = model.read_bytes()
    assert_refused(train(*fast, output="study.mehler", limit_blocks=40), output="none")
    assert model.read_bytes() == before


# Interrupted training. A checkpoint is written after every epoch and removed with success.


def interrupt(program, folder, number, options=LONG):
    """Trains until a checkpoint is there, then sends the signal; gives the exit code and error."""
    process = subprocess.Popen(
        [program, "train", "study.release", *options, "-o", "new.mehler"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (folder / "new.mehler.checkpoint").exists() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(number)
    error = process.communicate(timeout=30)[1]
    return process.returncode, error


@pytest.fixture(scope="session")
def interrupted(program, trained, tmp_path_factory):
    """The checkpoint that Ctrl-C left of LONG; what the folder held, the exit code, the error."""
    folder = tmp_path_factory.mktemp("interrupted")
    (folder / "study.release").write_bytes((trained / "study.release").read_bytes())
    code, error = interrupt(program, folder, signal.SIGINT)
    checkpoint = folder / "new.mehler.checkpoint"
    data = checkpoint.read_bytes() if checkpoint.exists() else None
    return data, sorted(os.listdir(folder)), code, error


@pytest.fixture
def checkpoint(interrupted, model):
    """The checkpoint of LONG, laid beside the model-to-be."""
    assert interrupted[0] is not None, "training left no checkpoint"
    path = model.parent / "new.mehler.checkpoint"
    path.write_bytes(interrupted[0])
    return path


@pytest.fixture(scope="session")
def uninterrupted(program, trained, tmp_path_factory):
    """The model that LONG gives in one go."""
    path = tmp_path_factory.mktemp("uninterrupted") / "new.mehler"
    command = [program, "train", trained / "study.release", *LONG, "--quiet", "-o", path]
    subprocess.run(command, check=True, timeout=60)
    return path.read_bytes()


def test_ctrl_c_leaves_the_checkpoint_and_no_model(interrupted):
    _, left, code, error = interrupted
    assert code == 130
    assert left == ["new.mehler.checkpoint", "study.release"]
    assert error.startswith("mehler: error: ") and error.count("\n") == 1
    assert "stopped on request. What was reached is in 'new.mehler.checkpoint'" in error
    assert "--resume" in error


def test_ctrl_c_before_the_first_epoch_ends_is_not_told_of_an_older_checkpoint(program, checkpoint, model):
    options = ["--batch", "100000", "--threads", "1"]  # an epoch takes many seconds
    before = sorted(os.listdir(model.parent))
    process = subprocess.Popen(
        [program, "train", "study.release", *options, "-o", "new.mehler"],
        cwd=model.parent,
        stderr=subprocess.PIPE,
        text=True,
    )
    while sorted(os.listdir(model.parent)) == before and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=30)[1]
    assert process.returncode == 130
    assert error == "mehler: error: stopped on request; nothing was written\n"


def test_a_resumed_training_gives_the_model_of_an_uninterrupted_one(
    checkpoint, train, model, uninterrupted, assert_done
):
    assert_done(train(*LONG, "--resume"))
    assert (model.parent / "new.mehler").read_bytes() == uninterrupted
    assert not checkpoint.exists()


def test_a_training_cut_off_twice_gives_the_same_model(program, checkpoint, train, model, uninterrupted, assert_done):
    first = checkpoint.read_bytes()
    process = subprocess.Popen(
        [program, "train", "study.release", *LONG, "--resume", "--quiet", "-o", "new.mehler"],
        cwd=model.parent,
    )
    while checkpoint.read_bytes() == first and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    assert_done(train(*LONG, "--resume"))
    assert (model.parent / "new.mehler").read_bytes() == uninterrupted


def test_a_killed_training_resumes(program, train, model, uninterrupted, assert_done):
    code, _ = interrupt(program, model.parent, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert (model.parent / "new.mehler.checkpoint").exists()
    assert_done(train(*LONG, "--resume"))
    assert (model.parent / "new.mehler").read_bytes() == uninterrupted


def test_resume_without_a_checkpoint_is_refused(train, assert_refused):
    assert_refused(train(*LONG, "--resume"), "'new.mehler.checkpoint'", "--resume", output="new.mehler")


@pytest.mark.parametrize("option", ["--seed", "--epochs", "--batch", "--learning-rate"])
def test_a_checkpoint_of_other_options_is_refused(checkpoint, train, assert_refused, option):
    before = checkpoint.read_bytes()
    options = [*LONG, "--learning-rate", "0.01"]
    place = options.index(option) + 1
    was, options[place] = options[place], "0.02" if option == "--learning-rate" else "26"
    words = option.strip("-")
    result = train(*options, "--resume")
    assert_refused(
        result,
        "'new.mehler.checkpoint'",
        f"other options ({words} {was}, here {options[place]})",
        "without --resume",
        output="new.mehler",
    )
    assert "release" not in result.stderr and "version" not in result.stderr
    assert checkpoint.read_bytes() == before


def test_a_checkpoint_of_another_release_is_refused(checkpoint, release, train, assert_done, assert_refused):
    assert_done(release(epsilon="50"))
    before = checkpoint.read_bytes()
    result = train(*LONG, "--resume", release="out.release")
    assert_refused(result, "'new.mehler.checkpoint' belongs to another release;", output="new.mehler")
    assert "options" not in result.stderr and "version" not in result.stderr
    assert_refused(
        train(*LONG[:-1], "6", "--resume", release="out.release"),
        "another release and was made with other options (seed 5, here 6)",
        output="new.mehler",
    )
    assert checkpoint.read_bytes() == before


@pytest.mark.parametrize("version", ["0.0.9", None])
def test_a_checkpoint_of_another_version_is_refused(checkpoint, train, assert_refused, version):
    def change(header):
        del header["program"]
        if version:
            header["program"] = version

    checkpoint.write_bytes(with_header(checkpoint.read_bytes(), change))
    result = train(*LONG, "--resume")
    assert_refused(result, "another version of this program", version or "", output="new.mehler")
    assert "release" not in result.stderr and "options" not in result.stderr


@pytest.mark.parametrize("kept", [0, 31, 100, -1, -1000])
def test_a_cut_checkpoint_is_refused(checkpoint, train, assert_refused, kept):
    checkpoint.write_bytes(checkpoint.read_bytes()[:kept])
    assert_refused(
        train(*LONG, "--resume"),
        "'new.mehler.checkpoint'",
        "delete it and train again without --resume",
        output="new.mehler",
    )


def test_an_altered_checkpoint_is_refused(checkpoint, train, assert_refused):
    data = bytearray(checkpoint.read_bytes())
    for place in (16, len(data) // 2, len(data) - 1):
        altered = bytearray(data)
        altered[place] ^= 1
        checkpoint.write_bytes(altered)
        assert_refused(
            train(*LONG, "--resume"),
            "'new.mehler.checkpoint'",
            "delete it and train again without --resume",
            output="new.mehler",
        )


def test_a_damaged_checkpoint_is_no_obstacle_to_training_again(checkpoint, train, assert_done):
    checkpoint.write_bytes(b"damaged")
    assert_done(train(*FAST))
    assert not checkpoint.exists()


def test_a_checkpoint_of_a_newer_format_is_refused(checkpoint, train, assert_refused):
    data = bytearray(checkpoint.read_bytes())
    data[12] = 2
    checkpoint.write_bytes(data)
    assert_refused(train(*LONG, "--resume"), "'new.mehler.checkpoint'", "version 2", output="new.mehler")


def test_a_model_in_the_place_of_a_checkpoint_is_refused(model, train, assert_refused):
    (model.parent / "new.mehler.checkpoint").write_bytes(model.read_bytes())
    assert_refused(
        train(*LONG, "--resume"),
        "'new.mehler.checkpoint'",
        "not a checkpoint; move it away",
        output="new.mehler",
    )


def test_a_checkpoint_in_the_place_of_a_model_is_refused(checkpoint, run, assert_refused):
    assert_refused(
        run("sample", "new.mehler.checkpoint", "--rows", "5", "-o", "out.csv"),
        "'new.mehler.checkpoint'",
        "not a model",
        output="out.csv",
    )
