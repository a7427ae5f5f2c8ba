"""Progress, silence and Ctrl-C."""

import os
import pty
import signal
import subprocess
import time

import image_sets
import numpy as np
import pytest

BIG = 400_000


@pytest.fixture
def command(program):
    return [
        program,
        "release",
        "--schema",
        "study.schema.json",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "-o",
        "out.release",
    ]


@pytest.fixture
def big_table(study):
    """A table that takes long enough to be watched."""
    lines = "".join(",".join(row) + "\n" for row in study.simulate(4_000))
    with open(study.folder / "big.csv", "w") as file:
        file.write(",".join(study.columns) + "\n")
        for _ in range(BIG // 4_000):
            file.write(lines)
    return "big.csv"


def run_on_terminal(arguments, folder):
    """Runs with standard output and error on a terminal; gives the exit code and what was shown."""
    leader, follower = pty.openpty()
    with subprocess.Popen(arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                break
            shown += piece
        os.close(leader)
        return process.wait(timeout=60), shown.decode()


def awaits_interrupts(process):
    """Whether the program has begun: first of all it gives SIGINT to a thread that waits for it."""
    with open(f"/proc/{process.pid}/status") as file:
        blocked = next(line.split()[1] for line in file if line.startswith("SigBlk:"))
    return int(blocked, 16) >> (signal.SIGINT - 1) & 1


@pytest.fixture
def start_waiting(study):
    """start_waiting(command): the command once it has read records and waits for more."""
    started = []

    def start(command):
        process = subprocess.Popen(
            command,
            cwd=study.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        process.stdin.write((study.folder / "study.csv").read_bytes())
        process.stdin.flush()
        limit = time.monotonic() + 10
        while not awaits_interrupts(process):
            assert process.poll() is None and time.monotonic() < limit
            time.sleep(0.01)
        time.sleep(0.3)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_terminal_shows_rows_speed_and_time_left(command, study, big_table):
    code, shown = run_on_terminal([*command, big_table], study.folder)
    assert code == 0
    for words in ["reading", " rows  ", " rows/s", "%", " left"]:
        assert words in shown
    assert "\r\033[KWrote out.release" in shown  # the line is wiped before the summary


def test_quiet_hides_progress_on_a_terminal(command, study, big_table):
    assert run_on_terminal([*command, big_table, "--quiet"], study.folder) == (0, "")


@pytest.mark.method("marginals")
def test_a_rare_condition_shows_no_speed_before_it_has_one(program, model):
    options = ["--rows", "2000", "--where", "age=40", "--where", "region=west", "-o", "out.csv"]
    code, shown = run_on_terminal([program, "sample", "study.mehler", *options], model.parent)
    assert code == 0
    lines = [line for line in shown.split("\r\033[K") if line.startswith("sampling")]
    assert lines[0] == "sampling  learning how columns go together"
    assert lines[1].startswith("sampling  2,000 rows  ") and "100%" in lines[1]


def test_an_evaluation_of_images_shows_epochs_and_time_left(program, tmp_path):
    np.savez(tmp_path / "set.npz", image=image_sets.images(60), label=np.arange(60) % 2)
    schema = image_sets.write_schema(tmp_path, categories=(0, 1), target="label")
    tables = ["--real", "set.npz", "--synthetic", "set.npz", "--schema", schema]
    code, shown = run_on_terminal([program, "evaluate", *tables, "--epochs", "3", "--threads", "1"], tmp_path)
    assert code == 0
    for words in ["reading", "comparing images", "training a network  epoch 1 of 3", "%", " left"]:
        assert words in shown
    assert "\r\033[KEvaluation of 60" in shown  # the line is wiped before the figures


def test_a_pipe_shows_no_progress(command, study, big_table):
    result = subprocess.run(
        [*command, big_table],
        cwd=study.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "rows/s" not in result.stdout and "\r" not in result.stdout and "\033" not in result.stdout


def assert_interrupted(process, study, codes):
    process.wait(timeout=5)
    assert process.returncode in codes
    assert sorted(os.listdir(study.folder)) == ["study.csv", "study.schema.json"]
    assert process.stdout.read() == b""
    error = process.stderr.read().decode()
    assert error.startswith("mehler: error: ") and error.count("\n") == 1
    assert not any(secret in error for secret in study.secrets())


def test_ctrl_c_ends_a_release_that_waits_for_records(start_waiting, command, study):
    process = start_waiting([*command, "-"])
    process.send_signal(signal.SIGINT)
    assert_interrupted(process, study, codes=[130])


def test_a_request_to_end_is_heard_as_ctrl_c_is(start_waiting, command, study):
    process = start_waiting([*command, "-"])
    process.send_signal(signal.SIGTERM)
    assert_interrupted(process, study, codes=[130, 143])


def test_ctrl_c_ends_a_check_that_waits_for_records(start_waiting, program, study):
    process = start_waiting([program, "schema", "check", "study.schema.json", "-"])
    process.send_signal(signal.SIGINT)
    assert_interrupted(process, study, codes=[130])


def test_ctrl_c_ends_a_public_draft_that_waits_for_records(start_waiting, program, study):
    process = start_waiting([program, "schema", "init", "-", "--public", "-o", "draft.json"])
    process.send_signal(signal.SIGINT)
    assert_interrupted(process, study, codes=[130])


def test_an_interrupt_while_reading_a_file_leaves_no_file(command, study, big_table):
    process = subprocess.Popen(
        [*command, big_table, "--threads", "1", "--method", "dp-hp", "--order", "500"],
        cwd=study.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    before = {"study.csv", "study.schema.json", big_table}
    while set(os.listdir(study.folder)) == before and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=20)
    assert process.returncode == 130, error
    assert set(os.listdir(study.folder)) == before
    assert output == "" and error.startswith("mehler: error: ") and error.count("\n") == 1
