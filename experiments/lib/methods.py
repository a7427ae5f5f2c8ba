"""The methods of the experiments: a file of experiments/methods/ each, with synthesize(request).

A method gets a private table, its schema and a budget, and gives a synthetic table: it writes request.output, or
returns a pyarrow table. Whether it is one of the program makes no difference. EXPERIMENTS names those that have it by
default.
"""

import dataclasses
import importlib
import json
import pathlib
import time

import pyarrow.csv
import pyarrow.parquet

from experiments.lib import costs
from experiments.lib.places import EXPERIMENTS

FOLDER = EXPERIMENTS / "methods"
DELTA = 1e-5  # the paper's
REAL = "real"  # what a row of real records is called, where an experiment has one


@dataclasses.dataclass(frozen=True)
class Request:
    """What a method is asked for."""

    table: pathlib.Path  # the private records: a Parquet file, or CSV with a header
    schema_path: pathlib.Path  # what is public about them
    epsilon: float
    delta: float
    output: pathlib.Path  # where the synthetic table goes; the ending says whether as Parquet or as CSV
    rows: int | None = None  # of the synthetic table; None: as many as the method thinks the private one has
    seed: int | None = None  # of training and sampling, never of noise
    preset: str = ""  # a name of experiments/presets: the paper's settings for this table
    epochs: int | None = None  # in a quick run, where the method is trained in epochs
    options: tuple = ()  # further words for a method of the program
    quick: bool = False  # whether a rougher table will do, sooner
    program: str = ""

    @property
    def schema(self):
        return json.loads(self.schema_path.read_text(encoding="utf-8"))

    def with_schema(self, schema):
        """The same request with another schema, in a file beside the output."""
        path = self.output.with_suffix(".schema.json")
        path.write_text(json.dumps(schema), encoding="utf-8")
        return dataclasses.replace(self, schema_path=path)


def names():
    """Of all methods: those of the files, with dashes."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.py") if path.stem != "__init__")


def method_named(name):
    return importlib.import_module(f"experiments.methods.{name.replace('-', '_')}")


def chosen(settings, by_default):
    """The methods that are asked for, or those that an experiment has by default."""
    return [name for name in names() if name in (settings.methods or by_default)]


def has_real_row(settings):
    """Whether real records are measured too: where methods are asked for, if they are."""
    return not settings.methods or REAL in settings.methods


def members(experiment):
    """The methods that say they belong to an experiment."""
    return [name for name in names() if experiment in method_named(name).EXPERIMENTS]


def of_experiment(settings, experiment):
    """The methods that are asked for, or those that say they belong to an experiment."""
    return chosen(settings, members(experiment))


def synthesize(settings, name, source, epsilon, ending="parquet", kept_as=None, **more):
    """A synthetic table of a method with new noise, in a file that the next call replaces; its path. kept_as: dataset,
    row and part (lib/costs.py) that its costs are kept for. more: of Request."""
    output = settings.records / f"synthetic.{ending}"
    release = output.with_suffix(".release")  # where `mehler synth` puts it
    release.unlink(missing_ok=True)
    request = Request(source.table, source.schema_path, epsilon, DELTA, output, program=settings.program, **more)
    start = time.perf_counter()
    table = method_named(name).synthesize(request)
    if table is not None:
        write_table(table, output)
    if kept_as:
        costs.keep(settings, *kept_as, time.perf_counter() - start, release)
    return output


def write_table(table, path):
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)
