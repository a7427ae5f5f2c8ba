"""Runs a benchmark by name and prints its figures as text or JSON.

A benchmark is a module of benchmarks/tasks/ with run(), which gives a list of Figure. Answers are compared before
times: a benchmark that finds a wrong answer raises.
"""

import argparse
import importlib
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def names():
    return sorted(path.stem for path in (HERE / "tasks").glob("*.py") if path.stem != "__init__")


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=names())
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    arguments = parser.parse_args()
    figures = importlib.import_module(f"tasks.{arguments.name}").run()
    if arguments.json:
        print(
            json.dumps(
                {
                    "benchmark": arguments.name,
                    "cores": os.cpu_count(),
                    "figures": [figure.as_json() for figure in figures],
                },
                indent=2,
            )
        )
        return
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        print(f"{figure.name:<{width}}  {figure.text()}")


if __name__ == "__main__":
    main()
