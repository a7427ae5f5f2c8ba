"""CPU seconds, peak memory and files of release, train and sample against records and columns, with the exponents of
their growth.

Records: simulated flights (benchmarks/flights.py), 19 columns. More than ten million are the same Parquet parts again,
by links: a release counts them all, and what comes after it sees counts alone. Columns: ten categories each, of which
neighbours depend on one another. CPU seconds are those of the program (user and system), so that other work on the
machine matters little.
"""

import json
import math
import os
import pathlib
import shutil
import sys

from benchmarks.measuring import ROOT, in_fresh_process, run_program
from experiments.lib.bars import Figure

MEHLER = ROOT / "build" / "release" / "mehler"
FOLDER = ROOT / "build" / "benchmark-data" / "large"
RECORDS = (10_000, 100_000, 1_000_000, 5_000_000, 10_000_000, 100_000_000)
MOST_SIMULATED = 10_000_000
SAMPLED = 1_000_000
COLUMNS = (10, 30, 100, 300, 1000)
RECORDS_OF_COLUMNS = 10_000
EPSILON = 1
# Of five million records, whose cost is to be that of any more.
BARS = {"train": 60, "train memory": 1000, "model": 50}


def chosen(numbers, variable):
    """The numbers up to a limit that the environment may set, for machines of less time or disk."""
    limit = float(os.environ.get(variable, "inf"))
    return [number for number in numbers if number <= limit]


def schema_of_columns(columns):
    values = [str(i) for i in range(10)]
    return {
        "mehler_schema": 1,
        "relation": "add-remove-one",
        "columns": [{"name": f"c{i}", "kind": "categorical", "categories": values} for i in range(columns)],
    }


def write_columns(path, columns):
    """Each column is the one before it or, for a third of the records, a value of its own."""
    import numpy
    import pyarrow
    import pyarrow.parquet

    random = numpy.random.default_rng([7, columns])
    codes = random.integers(0, 10, RECORDS_OF_COLUMNS)
    table = {}
    for i in range(columns):
        own = random.integers(0, 10, RECORDS_OF_COLUMNS)
        codes = numpy.where(random.random(RECORDS_OF_COLUMNS) < 1 / 3, own, codes)
        values = pyarrow.array([str(j) for j in range(10)])
        table[f"c{i}"] = pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes, pyarrow.int8()), values)
    pyarrow.parquet.write_table(pyarrow.table(table), path)


def simulated_flights(records):
    """A folder of Parquet parts with so many records."""
    folder = FOLDER / f"flights-{records}"
    if folder.exists():
        return folder
    unfinished = folder.with_suffix(".partial")
    shutil.rmtree(unfinished, ignore_errors=True)
    if records <= MOST_SIMULATED:
        in_fresh_process("large_tables", "flights", unfinished, records)
    else:
        unfinished.mkdir(parents=True)
        parts = sorted(simulated_flights(MOST_SIMULATED).iterdir())
        for copy in range(records // MOST_SIMULATED):
            for part in parts:
                (unfinished / f"{copy:04d}-{part.name}").hardlink_to(part)
    unfinished.rename(folder)
    return folder


def measure(table, schema, records):
    """CPU seconds, peak MB and MB of files of the three steps."""
    schema_path, release, model = FOLDER / "schema.json", FOLDER / "out.release", FOLDER / "out.mehler"
    schema_path.write_text(json.dumps(schema))
    found = {}

    def step(name, *command):
        _, seconds, megabytes = run_program(MEHLER, *command)
        found[name], found[f"{name} memory"] = seconds, megabytes

    options = ["--schema", schema_path, "--epsilon", EPSILON, "--delta", "1e-9", "--force", "--quiet"]
    step("release", "release", table, *options, "-o", release)
    step("train", "train", release, "-o", model)
    rows = ["--rows", SAMPLED] if records > SAMPLED else []
    step("sample", "sample", model, *rows, "--quiet", "-o", FOLDER / "out.parquet")
    found["model"] = model.stat().st_size / 1e6
    return found


def exponent(sizes, values):
    """The least-squares slope of log(value) on log(size)."""
    x = [math.log(size) for size in sizes]
    y = [math.log(value) for value in values]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return slope / sum((a - x_mean) ** 2 for a in x)


UNITS = {"release": "s", "train": "s", "sample": "s", "model": "MB"}


def figures_of(sizes, measured, what, bars):
    """A figure for each size and quantity, then the exponents: of all sizes, and of the last two."""
    figures = []
    for size, found in zip(sizes, measured, strict=True):
        for name, value in found.items():
            at_most = BARS.get(name) if size in bars else None
            figures.append(Figure(f"{name}, {size:,} {what}", value, UNITS.get(name, "MB"), at_most=at_most))
    for name in measured[0] if len(sizes) >= 2 else []:
        values = [found[name] for found in measured]
        figures.append(Figure(f"{name}: exponent in {what}", exponent(sizes, values)))
        figures.append(Figure(f"{name}: exponent in {what}, last two", exponent(sizes[-2:], values[-2:])))
    return figures


def run():
    FOLDER.mkdir(parents=True, exist_ok=True)
    records = chosen(RECORDS, "LARGE_TABLES_RECORDS")
    # Not imported here: what this process holds would count as its children's memory.
    schema = in_fresh_process("large_tables", "schema")
    by_records = [measure(simulated_flights(number), schema, number) for number in records]
    columns = chosen(COLUMNS, "LARGE_TABLES_COLUMNS")
    by_columns = []
    for number in columns:
        path = FOLDER / f"columns-{number}.parquet"
        if not path.exists():
            in_fresh_process("large_tables", "columns", path, number)
        by_columns.append(measure(path, schema_of_columns(number), RECORDS_OF_COLUMNS))
    long = [number for number in records if number >= 5_000_000]
    return figures_of(records, by_records, "records", long) + figures_of(columns, by_columns, "columns", [])


if __name__ == "__main__":
    from benchmarks import flights

    if sys.argv[1] == "schema":
        print(json.dumps(flights.schema()))
    else:
        write = {"flights": flights.write_flights, "columns": write_columns}[sys.argv[1]]
        print(json.dumps(write(pathlib.Path(sys.argv[2]), int(sys.argv[3]))))
