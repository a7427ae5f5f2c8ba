"""experiments/run datasets: lists the datasets, or prepares some of them and checks them against their schemas."""

import argparse
import pathlib
import subprocess
import sys

from experiments.lib.datasets import dataset_named, names
from experiments.lib.places import ROOT
from experiments.lib.raw import data_folder


def describe():
    """One line a dataset: whether its files are there."""
    lines = [f"MEHLER_DATA: {data_folder() or 'not set'}"]
    for dataset in map(dataset_named, names()):
        missing = dataset.missing()
        state = f"missing {', '.join(missing)}; from {dataset.source}" if missing else dataset.remark() or "available"
        lines.append(f"{dataset.name:26} {state}")
    return "\n".join(lines)


def main(program, arguments):
    parser = argparse.ArgumentParser(prog="experiments/run datasets", description=__doc__)
    parser.add_argument("name", nargs="*", help="datasets to prepare; none: list all")
    parser.add_argument("--output", type=pathlib.Path, help="folder for the tables; default results/datasets")
    chosen = parser.parse_args(arguments)
    for name in chosen.name:
        if name not in names():
            parser.error(f"'{name}' is not a dataset; choose from {', '.join(names())}")
    if not chosen.name:
        print(describe())
        return
    folder = chosen.output or ROOT / "results" / "datasets"
    for name in chosen.name:
        dataset = dataset_named(name)
        for path in dataset.prepare(folder / name).values():
            code = subprocess.run([program, "schema", "check", dataset.schema_path, path]).returncode
            if code:
                path.unlink()
                sys.exit(code)
            print(f"Wrote {path}")
