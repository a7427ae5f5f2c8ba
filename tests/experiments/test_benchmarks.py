"""Benchmarks judge by the same bars: a missed one is an exit code, and only the flag for busy machines excuses it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ["MEHLER_SOURCE"])
TASK = """
from experiments.lib.bars import Figure


def run():
    return [
        Figure("time", {seconds}, "s", at_most=1, only_idle=True),
        Figure("memory", {megabytes}, "MB", at_most=100),
        Figure("without a bar", 7, "s"),
    ]
"""


@pytest.fixture
def root(tmp_path):
    """benchmarks/ with a single task, and what it needs of experiments/."""
    (tmp_path / "benchmarks" / "tasks").mkdir(parents=True)
    (tmp_path / "experiments" / "lib").mkdir(parents=True)
    for path in ("benchmarks/__main__.py", "experiments/lib/bars.py"):
        (tmp_path / path).write_text((SOURCE / path).read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def run(root, *arguments, seconds=0.5, megabytes=50):
    task = TASK.format(seconds=seconds, megabytes=megabytes)
    (root / "benchmarks" / "tasks" / "example.py").write_text(task, encoding="utf-8")
    command = [sys.executable, "-B", "-m", "benchmarks", "example", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60)


def test_figures_stand_beside_their_bars(root):
    result = run(root)
    assert result.returncode == 0, result.stderr
    time, memory, other = result.stdout.splitlines()
    assert time.split()[1:] == ["0.5", "s", "(at", "most", "1:", "holds)"]
    assert "(at most 100: holds)" in memory and "(" not in other


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_a_missed_bar_is_an_exit_code(root, arguments):
    result = run(root, *arguments, seconds=2)
    assert result.returncode == 1
    assert "FAILS" in result.stdout


def test_a_busy_machine_excuses_times_and_says_so(root):
    result = run(root, "--busy-machine", seconds=2)
    assert result.returncode == 0
    assert "(at most 1: excused)" in result.stdout


def test_a_busy_machine_does_not_excuse_memory(root):
    result = run(root, "--busy-machine", megabytes=200)
    assert result.returncode == 1
    assert "(at most 100: FAILS)" in result.stdout


def test_figures_as_json_have_values_bars_and_verdicts(root):
    figures = json.loads(run(root, "--json").stdout)["figures"]
    assert [(figure["value"], figure["at_most"], figure["verdict"]) for figure in figures] == [
        (0.5, 1, "holds"),
        (50, 100, "holds"),
        (7, None, "holds"),
    ]


@pytest.mark.parametrize("path", sorted((SOURCE / "benchmarks" / "tasks").glob("[!_]*.py")), ids=lambda path: path.stem)
def test_a_task_is_found_from_the_root(path):
    command = [sys.executable, "-B", "-c", f"from benchmarks.tasks.{path.stem} import run"]
    assert subprocess.run(command, cwd=SOURCE, timeout=60).returncode == 0
