"""Runs a benchmark by name and prints its figures as text or JSON; the exit code is 1 where a bar is missed.

A benchmark is a module of benchmarks/tasks/ with run(), which gives a list of Figure. Answers are compared before
times: a benchmark that finds a wrong answer raises.
"""

import argparse
import dataclasses
import importlib
import json
import os
import pathlib
import sys

from experiments.lib.bars import missed

TASKS = pathlib.Path(__file__).resolve().parent / "tasks"


def names():
    return sorted(path.stem for path in TASKS.glob("*.py") if path.stem != "__init__")


def text_of(figures, busy_machine):
    """A line a figure, with its bar and whether that holds."""
    width = max(len(figure.name) for figure in figures)
    lines = []
    for figure in figures:
        bar = f"   ({figure.bar()}: {figure.verdict(busy_machine)})" if figure.has_bar() else ""
        lines.append(f"{figure.name:<{width}}  {figure.value:12.4g} {figure.unit}{bar}")
    return "\n".join(lines)


def json_of(name, figures, busy_machine):
    found = [dataclasses.asdict(figure) | {"verdict": figure.verdict(busy_machine)} for figure in figures]
    return json.dumps({"benchmark": name, "cores": os.cpu_count(), "figures": found}, indent=2)


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=names())
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument(
        "--busy-machine",
        action="store_true",
        help="excuse bars that only an idle machine can reach: speeds and what a second thread gains, not memory",
    )
    arguments = parser.parse_args()
    figures = importlib.import_module(f"benchmarks.tasks.{arguments.name}").run()
    if arguments.json:
        print(json_of(arguments.name, figures, arguments.busy_machine))
    else:
        print(text_of(figures, arguments.busy_machine))
    if missed(figures, arguments.busy_machine):
        sys.exit(1)


if __name__ == "__main__":
    main()
