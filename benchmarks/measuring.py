"""How benchmarks measure."""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "release"


def best_of(repeats, call):
    """The shortest of several runs of call(), in seconds."""
    shortest = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


@functools.cache
def interpreter_with(library):
    """A Python that has a library: this one, else a python3 of PATH outside our environment, else None."""
    outside = (
        shutil.which("python3", path=folder)
        for folder in os.environ["PATH"].split(os.pathsep)
        if not folder.startswith(sys.prefix)
    )
    for interpreter in filter(None, (sys.executable, *outside)):
        if subprocess.run([interpreter, "-c", f"import numpy, {library}"], capture_output=True).returncode == 0:
            return interpreter
    return None


def plain_libraries():
    """The libraries that plain formulations are measured with: numpy, and torch where some Python has it."""
    return [library for library in ("numpy", "torch") if interpreter_with(library)]


def in_fresh_process(task, *arguments, library="numpy"):
    """What `python -m benchmarks.tasks.TASK arguments` prints, as JSON, of a Python that has the library: a measurement
    that no earlier one has warmed up, and whose memory does not count as ours."""
    printed = subprocess.run(
        [interpreter_with(library), "-m", f"benchmarks.tasks.{task}", *map(str, arguments)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ).stdout
    return json.loads(printed)


def printed_by(program, *arguments, environment=None):
    """What a program of micro/ prints, as JSON; `environment`: variables besides those that are set."""
    command = [BUILD / program, *map(str, arguments)]
    environment = {**os.environ, **(environment or {})}
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout)


def run_program(*command):
    """Runs a program; its wall-clock seconds, CPU seconds and peak memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"failed: {command}")
    process.returncode = 0
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
