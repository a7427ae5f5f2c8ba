"""A release of a large CSV beside Arrow's own parse of the same file; memory; the feature sums beside numpy."""

import json
import os
import pathlib
import subprocess
import sys

from benchmarks.measuring import best_of, in_fresh_process, run_program
from benchmarks.tasks import hermite_sums
from experiments.lib.bars import Figure

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEHLER = ROOT / "build" / "release" / "mehler"
FOLDER = ROOT / "build" / "benchmark-data"
SMALL, LARGE = 1_000_000, 10_000_000
REPEATS = 3


def schema():
    categories = [f"category-{i}" for i in range(12)]
    return {
        "mehler_schema": 1,
        "relation": "add-remove-one",
        "target": "label",
        "columns": [{"name": f"number_{i}", "kind": "numeric", "bounds": [0, 100]} for i in range(5)]
        + [{"name": f"integer_{i}", "kind": "integer", "bounds": [0, 99]} for i in range(4)]
        + [{"name": f"category_{i}", "kind": "categorical", "categories": categories} for i in range(5)]
        + [{"name": "label", "kind": "categorical", "categories": ["no", "yes"]}],
    }


def generate_table(path, rows):
    """A CSV of 15 mixed columns."""
    import numpy
    import pyarrow
    import pyarrow.csv

    random = numpy.random.default_rng(7)
    labels = numpy.array([f"category-{i}" for i in range(12)], dtype=object)
    writer = None
    unfinished = path.with_suffix(".partial")
    for start in range(0, rows, 500_000):
        count = min(500_000, rows - start)
        columns = {f"number_{i}": numpy.clip(numpy.round(random.normal(50, 15, count), 2), 0, 100) for i in range(5)}
        columns |= {f"integer_{i}": random.integers(0, 100, count) for i in range(4)}
        columns |= {f"category_{i}": labels[random.integers(0, 12, count)] for i in range(5)}
        columns["label"] = numpy.where(random.random(count) < 0.3, "yes", "no")
        table = pyarrow.table(columns)
        if writer is None:
            writer = pyarrow.csv.CSVWriter(
                unfinished, table.schema, write_options=pyarrow.csv.WriteOptions(quoting_style="none")
            )
        writer.write_table(table)
    writer.close()
    unfinished.rename(path)


def release(path, threads):
    output = FOLDER / "out.release"
    figures = run_program(
        MEHLER,
        "release",
        path,
        "--force",
        "--schema",
        FOLDER / "schema.json",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--method",
        "dp-hp",
        "--order",
        "20",
        "--threads",
        threads,
        "--quiet",
        "-o",
        output,
    )
    records = json.loads(
        subprocess.run([MEHLER, "inspect", output, "--json"], check=True, capture_output=True, text=True).stdout
    )["records"]
    return figures, records


def arrow_parse(path, threads, how):
    """Seconds of Arrow's own parse, to a table in memory or as a stream of batches."""
    import pyarrow.csv

    pyarrow.set_cpu_count(threads)
    options = pyarrow.csv.ReadOptions(use_threads=threads > 1)
    if how == "table":
        return best_of(1, lambda: pyarrow.csv.read_csv(path, read_options=options))

    def read_stream():
        with pyarrow.csv.open_csv(path, read_options=options) as reader:
            for _ in reader:
                pass

    return best_of(1, read_stream)


def compare_with_arrow(path, rows, threads):
    """Our release and Arrow's parse, turn about; the shortest of each."""
    ours = table = stream = float("inf")
    memory = 0
    for _ in range(REPEATS):
        (seconds, _, megabytes), records = release(path, threads)
        if abs(records["count"] - rows) > 8 * records["standard_error"]:
            raise SystemExit(f"the release counts {records['count']} records of {rows}")
        ours, memory = min(ours, seconds), max(memory, megabytes)
        table = min(table, in_fresh_process("release", path, threads, "table"))
        stream = min(stream, in_fresh_process("release", path, threads, "stream"))
    words = f"{rows / 1e6:g} million rows, {threads} thread{'s' if threads > 1 else ''}"
    return (
        ours,
        memory,
        [
            Figure(f"release, {words}", ours, "s"),
            Figure(f"Arrow parse to a table, {words}", table, "s"),
            Figure(f"Arrow parse as a stream, {words}", stream, "s"),
            Figure(
                f"release / Arrow's faster parse, {words}",
                ours / min(table, stream),
                "x",
                at_most=1.5 if rows == LARGE else None,
                only_idle=True,
            ),
            Figure(f"release peak memory, {words}", memory, "MB", at_most=600),
        ],
    )


def run():
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "schema.json").write_text(json.dumps(schema()))
    figures = []
    times, memories = {}, {}
    for rows in (SMALL, LARGE):
        path = FOLDER / f"mixed-{rows}.csv"
        if not path.exists():
            in_fresh_process("release", path, rows, "generate")
        for threads in sorted({1, os.cpu_count()}):
            ours, memory, more = compare_with_arrow(path, rows, threads)
            times[rows], memories[rows] = ours, memory
            figures += more
    figures.append(
        Figure(
            "time of 10 million rows / time of 1 million", times[LARGE] / times[SMALL], "x", at_most=12, only_idle=True
        )
    )
    figures.append(
        Figure("memory of 10 million rows / memory of 1 million", memories[LARGE] / memories[SMALL], "x", at_most=1.2)
    )
    return figures + hermite_sums.run()


if __name__ == "__main__":
    table_path, number, action = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    print(
        json.dumps(
            generate_table(table_path, number) if action == "generate" else arrow_parse(table_path, number, action)
        )
    )
