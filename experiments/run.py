"""Runs an experiment by name: writes its data and figures, prints its findings beside what is expected of them.

An experiment is a module of experiments/tasks/ with run(settings), which writes CSV files and figures to
settings.folder and gives a list of Finding. What is expected stands beside it, in NAME.expected.json; the exit code is 1
if something does not hold, 2 if raw data is missing. "datasets" lists and prepares the raw data.
"""

import argparse
import importlib
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

from datasets import BY_NAME, MissingData, listing  # noqa: E402
from findings import Settings, check  # noqa: E402
from methods import ALL_METHODS  # noqa: E402


def names():
    modules = (HERE / "tasks").glob("*.py")
    return sorted(path.stem.replace("_", "-") for path in modules if path.stem != "__init__")


def words(text):
    return tuple(text.split(","))


def main():
    program = os.environ.get("MEHLER_PROGRAM", str(ROOT / "build" / "release" / "mehler"))
    if sys.argv[1:2] == ["datasets"]:
        listing.main(program, sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="experiments/run", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=[*names(), "datasets"])
    parser.add_argument(
        "--quick", action="store_true", help="fewer draws, rows or seeds: a minute or two, and rougher figures"
    )
    parser.add_argument("--output", type=pathlib.Path, help="folder for the results; default results/NAME")
    parser.add_argument("--datasets", type=words, default=(), help="of these datasets alone, separated by commas")
    parser.add_argument("--methods", type=words, default=(), help="of these methods alone, separated by commas")
    parser.add_argument("--seeds", type=int, default=0, help="runs of each; by default as many as the experiment says")
    arguments = parser.parse_args()
    for chosen, known, kind in (
        (arguments.datasets, BY_NAME, "dataset"),
        (arguments.methods, [method.name for method in ALL_METHODS], "method"),
    ):
        for name in chosen:
            if name not in known:
                parser.error(f"'{name}' is not a {kind}; choose from {', '.join(known)}")
    if arguments.seeds < 0:
        parser.error("--seeds must be at least 1")
    module = arguments.name.replace("-", "_")
    folder = arguments.output or ROOT / "results" / arguments.name
    folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(program, folder, arguments.quick, arguments.datasets, arguments.methods, arguments.seeds)
    findings = importlib.import_module(f"tasks.{module}").run(settings)
    expected = json.loads((HERE / "tasks" / f"{module}.expected.json").read_text(encoding="utf-8"))
    lines, all_hold = check(findings, expected, arguments.quick)
    report = "\n".join(lines) + "\n"
    (folder / "findings.txt").write_text(report, encoding="utf-8")
    print(report, end="")
    print(f"\nWrote to {folder}: {', '.join(sorted(path.name for path in folder.iterdir()))}")
    if not all_hold:
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except MissingData as missing:
        print(missing, file=sys.stderr)
        sys.exit(2)
