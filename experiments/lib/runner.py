"""Runs an experiment by name: writes its data and figures, prints its findings beside what is expected of them.

An experiment is a module of experiments/tasks/ with run(settings), which writes CSV files and figures to
settings.folder and gives a list of Figure. What is expected stands beside it, in NAME.expected.json, or in the folder
of the dataset that it is expected of; the exit code is 1 if something does not hold, 2 if raw data is missing.
"datasets" lists and prepares the raw data, "tables" writes the kept results into the documentation.
"""

import argparse
import os
import pathlib
import signal
import sys
import tempfile

from experiments.lib import datasets, listing, methods, results, tables, tasks
from experiments.lib.bars import check
from experiments.lib.places import ROOT
from experiments.lib.settings import Settings


def words(text):
    return tuple(text.split(","))


def epsilons(text):
    """Budgets, as numbers above 0."""
    found = tuple(float(word) for word in words(text))
    if not all(0 < number < float("inf") for number in found):
        raise ValueError
    return found


def parser_of_arguments():
    parser = argparse.ArgumentParser(prog="experiments/run", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=[*tasks.names(), "datasets", "tables"])
    parser.add_argument(
        "--quick", action="store_true", help="fewer draws, rows or seeds: a minute or two, and rougher figures"
    )
    parser.add_argument("--output", type=pathlib.Path, help="folder for the results; default results/NAME")
    parser.add_argument("--datasets", type=words, default=(), help="of these datasets alone, separated by commas")
    parser.add_argument("--methods", type=words, default=(), help="of these methods alone, separated by commas")
    parser.add_argument("--seeds", type=int, default=0, help="runs of each; by default as many as the experiment says")
    parser.add_argument(
        "--epsilons", type=epsilons, default=(), help="at these budgets alone, separated by commas; of images"
    )
    parser.add_argument("--full", action="store_true", help="as many images as the paper has, which takes hours")
    parser.add_argument(
        "--few-classifiers",
        action="store_true",
        help="of table2: four of the twelve, and rows are named so; of images-targets: the network alone",
    )
    parser.add_argument(
        "--keep", action="store_true", help="figures replace those of experiments/results/NAME.csv, with this commit"
    )
    return parser


def parse(arguments):
    parser = parser_of_arguments()
    parsed = parser.parse_args(arguments)
    for chosen, known, kind in (
        (parsed.datasets, datasets.names(), "dataset"),
        (parsed.methods, [*methods.names(), methods.REAL], "method"),
    ):
        for name in chosen:
            if name not in known:
                parser.error(f"'{name}' is not a {kind}; choose from {', '.join(known)}")
    if parsed.name in tasks.names():
        takes = getattr(tasks.task_named(parsed.name), "OPTIONS", ())
        for option in ("epsilons", "full", "few_classifiers"):
            if getattr(parsed, option) and option not in takes:
                parser.error(f"{parsed.name} does not take --{option.replace('_', '-')}; leave it out")
    if parsed.seeds < 0:
        parser.error("--seeds must be at least 1")
    if parsed.keep and parsed.quick:
        parser.error("--keep is for figures of a full run, without --quick")
    return parsed


def run(program, parsed):
    """Whether everything holds that is expected."""
    origin = results.origin() if parsed.keep else None
    folder = parsed.output or ROOT / "results" / parsed.name
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as records:
        settings = Settings(
            program=program,
            folder=folder,
            records=pathlib.Path(records),
            quick=parsed.quick,
            datasets=parsed.datasets,
            methods=parsed.methods,
            seeds=parsed.seeds,
            epsilons=parsed.epsilons,
            few_classifiers=parsed.few_classifiers,
            full=parsed.full,
        )
        findings = tasks.task_named(parsed.name).run(settings)
    lines, all_hold = check(findings, tasks.expectations(parsed.name), parsed.quick)
    report = "\n".join(lines) + "\n"
    (folder / "findings.txt").write_text(report, encoding="utf-8")
    print(report, end="")
    print(f"\nWrote to {folder}: {', '.join(sorted(path.name for path in folder.iterdir()))}")
    if parsed.keep:
        results.write(parsed.name, settings.kept.rows(origin))
        print("Kept the figures; `experiments/run tables` writes them into the documentation")
    return all_hold


def main(arguments):
    """The exit code."""
    program = os.environ.get("MEHLER_PROGRAM", str(ROOT / "build" / "release" / "mehler"))
    # A run that is stopped leaves through the same door as others, so that no records stay behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        if arguments[:1] == ["datasets"]:
            listing.main(program, arguments[1:])
        elif arguments[:1] == ["tables"]:
            tables.main(arguments[1:])
        else:
            return 0 if run(program, parse(arguments)) else 1
    except (datasets.MissingData, results.CannotBeKept, tables.UnknownTable) as reason:
        print(reason, file=sys.stderr)
        return 2
    return 0
