"""k-way marginals of two tables of the size of the discretised Adult, beside a plain numpy formulation; and the memory
of a whole evaluation of two tables of a million records."""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

from benchmarks.measuring import best_of, in_fresh_process, run_program
from experiments.lib.bars import Figure

ROWS, CODES = 22_561, (8, 9, 11, 16, 17, 7, 15, 6, 2, 2, 2, 2, 4, 2, 2)
LARGE_ROWS = 1_000_000
BUILD = pathlib.Path(__file__).resolve().parents[2] / "build"
PROGRAM = BUILD / "release" / "marginals_benchmark"
MEHLER = BUILD / "release" / "mehler"


def simulate(seed):
    """Codes with the numbers of categories that the discretised Adult has, uneven and dependent: a hidden number
    moves every column."""
    chance = numpy.random.default_rng(seed)
    hidden = chance.normal(size=ROWS)
    columns = []
    for codes in CODES:
        place = 0.5 + 0.2 * hidden + 0.25 * chance.normal(size=ROWS)
        columns.append(numpy.clip(numpy.floor(place * codes), 0, codes - 1))
    return numpy.array(columns, dtype=numpy.uint16)


def distances_numpy(a, b, ways):
    """Total variation on every subset: combined codes, counted by bincount."""
    a, b = a.astype(numpy.int64), b.astype(numpy.int64)
    distances = []
    for subset in itertools.combinations(range(len(CODES)), ways):
        sizes = [CODES[column] for column in subset]
        cells = int(numpy.prod(sizes))
        shares = [
            numpy.bincount(numpy.ravel_multi_index(table[list(subset)], sizes), minlength=cells) / ROWS
            for table in (a, b)
        ]
        distances.append(0.5 * numpy.abs(shares[0] - shares[1]).sum())
    return numpy.array(distances)


def ours(folder, ways, threads, repeats):
    printed = subprocess.run(
        [
            PROGRAM,
            folder / "codes",
            str(ROWS),
            str(len(CODES)),
            str(ways),
            str(threads),
            str(repeats),
            folder / "distances",
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return json.loads(printed)["seconds"], numpy.fromfile(folder / "distances")


def plain(folder, ways):
    """Seconds of the plain formulation, after its distances have been compared with ours."""
    a, b = numpy.fromfile(folder / "codes", dtype=numpy.uint16).reshape(2, len(CODES), ROWS)
    found = distances_numpy(a, b, ways)
    ours_found = numpy.fromfile(folder / "distances")
    if found.shape != ours_found.shape or not numpy.abs(found - ours_found).max() < 1e-12:
        raise SystemExit("the distances differ")
    return best_of(2, lambda: distances_numpy(a, b, ways))


def large_table(seed):
    """A table of a million records of the release benchmark's kind, made once."""
    folder = BUILD / "benchmark-data" / f"people-{LARGE_ROWS}-{seed}"
    if not folder.exists():
        run_program(MEHLER, "demo", "people", "--rows", LARGE_ROWS, "--seed", seed, "-o", folder)
    return folder


def run():
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numpy.stack([simulate(1), simulate(2)]).tofile(folder / "codes")
        for ways, limit in ((2, None), (3, 2), (4, 10)):
            all_cores, all_found = ours(folder, ways, os.cpu_count(), 3)
            seconds, found = ours(folder, ways, 1, 3)
            if (found != all_found).any():
                raise SystemExit("the distances depend on the number of threads")
            compared = in_fresh_process("marginals", folder, ways)
            figures += [
                Figure(f"{ways}-way, all {len(found)} subsets, 1 thread", seconds, "s", at_most=limit, only_idle=True),
                Figure(f"{ways}-way, {os.cpu_count()} threads", all_cores, "s"),
                Figure(f"{ways}-way, plain numpy, 1 thread", compared, "s"),
                Figure(
                    f"{ways}-way, ratio to numpy, 1 thread",
                    compared / seconds,
                    "x",
                    at_least=10 if ways > 2 else None,
                    only_idle=True,
                ),
            ]
    real, synthetic = large_table(1), large_table(2)
    seconds, _, memory = run_program(
        MEHLER,
        "evaluate",
        "--real",
        real / "people.csv",
        "--synthetic",
        synthetic / "people.csv",
        "--schema",
        real / "people.schema.json",
    )
    figures += [
        Figure(f"evaluate, twice {LARGE_ROWS:,} rows of 9 columns, {os.cpu_count()} threads", seconds, "s"),
        Figure("its peak memory", memory, "MB", at_most=2000),
    ]
    return figures


if __name__ == "__main__":
    print(json.dumps(plain(pathlib.Path(sys.argv[1]), int(sys.argv[2]))))
