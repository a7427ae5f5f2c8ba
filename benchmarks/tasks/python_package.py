"""A polars frame to a synthetic polars frame beside `mehler synth` from a Parquet file to one: CPU seconds, and memory
beyond the frame. One million records of 15 columns; the same threads."""

import json
import os
import pathlib
import resource
import statistics
import sys
import time

from benchmarks.measuring import ROOT, in_fresh_process, run_program
from benchmarks.tasks.release import schema
from experiments.lib.bars import Figure

MEHLER = ROOT / "build" / "release" / "mehler"
FOLDER = ROOT / "build" / "benchmark-data" / "python"
ROWS = 1_000_000
REPEATS = 3
MOST = 1.05  # times the command line's CPU seconds
EPSILON, DELTA = 1.0, 1e-6


def write_table(path, rows):
    """The columns of benchmarks.tasks.release, as Parquet."""
    import numpy
    import pyarrow
    import pyarrow.parquet

    random = numpy.random.default_rng(7)
    labels = numpy.array([f"category-{i}" for i in range(12)], dtype=object)
    columns = {f"number_{i}": numpy.clip(numpy.round(random.normal(50, 15, rows), 2), 0, 100) for i in range(5)}
    columns |= {f"integer_{i}": random.integers(0, 100, rows) for i in range(4)}
    columns |= {f"category_{i}": labels[random.integers(0, 12, rows)] for i in range(5)}
    columns["label"] = numpy.where(random.random(rows) < 0.3, "yes", "no")
    unfinished = path.with_suffix(".partial")
    pyarrow.parquet.write_table(pyarrow.table(columns), unfinished)
    unfinished.rename(path)


def with_package(path):
    """In a process of its own: CPU seconds of synthesize, megabytes beyond the frame, means to compare."""
    sys.path.insert(0, str(ROOT / "build" / "release" / "python"))
    import polars

    import mehler

    table = polars.read_parquet(path)
    described = mehler.Schema.load(FOLDER / "schema.json")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    synthetic = mehler.synthesize(table, schema=described, epsilon=EPSILON, delta=DELTA)
    seconds = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert synthetic.schema == table.schema, "the types that went in come back"
    return {
        "cpu": seconds,
        "frame": table.estimated_size() / 1e6,
        "memory": (after - before) / 1024,
        "means": means(synthetic),
    }


def means(frame):
    return {name: frame[name].mean() for name in frame.columns if name.startswith(("number", "integer"))}


def with_program(path):
    output = FOLDER / "synthetic.parquet"
    options = ["--schema", FOLDER / "schema.json", "--epsilon", EPSILON, "--delta", DELTA, "--force", "--quiet"]
    _, seconds, megabytes = run_program(MEHLER, "synth", path, *options, "-o", output)
    return {"cpu": seconds, "memory": megabytes, "means": in_fresh_process("python_package", "means", output)}


def run():
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "schema.json").write_text(json.dumps(schema()))
    rows = int(os.environ.get("PYTHON_PACKAGE_ROWS", ROWS))
    path = FOLDER / f"table-{rows}.parquet"
    if not path.exists():
        in_fresh_process("python_package", "write", path, rows)
    program, package = [], []
    for _ in range(REPEATS):  # by turns: other work on the machine meets both
        program.append(with_program(path))
        package.append(in_fresh_process("python_package", "package", path))
    # Noise is new each time: the answers agree as far as both are close to the table's own means, near 50.
    for name, mean in program[0]["means"].items():
        assert abs(mean - package[0]["means"][name]) < 1, f"means of {name} differ"
    seconds = [min(found["cpu"] for found in side) for side in (program, package)]
    return [
        Figure("mehler synth, Parquet to Parquet", seconds[0], "CPU s"),
        Figure("mehler.synthesize, polars to polars", seconds[1], "CPU s"),
        Figure("ratio", seconds[1] / seconds[0], "", at_most=MOST),
        Figure("the frame", package[0]["frame"], "MB"),
        Figure("peak memory beyond it", statistics.median(found["memory"] for found in package), "MB"),
        Figure("peak memory of mehler synth", statistics.median(found["memory"] for found in program), "MB"),
    ]


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "write":
        write_table(path, int(sys.argv[3]))
        print("null")
    elif sys.argv[1] == "means":
        import polars

        print(json.dumps(means(polars.read_parquet(path))))
    else:
        print(json.dumps(with_package(path)))
