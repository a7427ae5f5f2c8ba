"""What the experiments on method marginals share: tables of codes, synthesised and measured several times."""

import resource

import pyarrow.parquet
from datasets import BY_NAME, MissingData
from marginals import errors
from methods import DELTA, Source

# The tables of codes, with a short name; all subsets of three columns are counted.
TABLES = {
    "simple": "adult_discrete",
    "bounded": "adult_discrete_bounded",
    "acs_ma": "acs_ma_coded",
    "law_school": "law_school_coded",
    "california_housing": "california_housing_coded",
    "credit_default": "credit_default_coded",
}
MOST_SUBSETS = 5000


def available(settings, names):
    """Those of the tables that are asked for and there; what is missing, in words."""
    wanted = [name for name in names if settings.wanted(TABLES[name], settings.datasets)]
    if not wanted:
        raise MissingData(
            f"none of the datasets is one of this experiment: {', '.join(TABLES[name] for name in names)}"
        )
    missing = [BY_NAME[TABLES[name]].explanation() for name in wanted if BY_NAME[TABLES[name]].missing()]
    if len(missing) == len(wanted):
        raise MissingData("\n".join(missing))
    return [name for name in wanted if not BY_NAME[TABLES[name]].missing()], missing


def prepare(settings, name):
    """The table of training rows as a Source."""
    paths = BY_NAME[TABLES[name]].prepare(settings.folder)
    if "test" in paths:
        paths["test"].unlink()
    return Source(
        paths["train"], pyarrow.parquet.read_metadata(paths["train"]).num_rows, BY_NAME[TABLES[name]].schema_path, ""
    )


def three_way(settings, source, synthetic):
    return errors(settings, source.table, synthetic, source.schema_path, (3,), MOST_SUBSETS)[3]


def processor_seconds():
    """That the programs called so far have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def synthesize(settings, source, epsilon, more=(), rows=None):
    """A synthetic table with new noise, in a file of the results that the next call replaces; its path. By default of as many
    records as the release counts."""
    output = settings.folder / "synthetic.parquet"
    arguments = ["--schema", source.schema_path, "--epsilon", epsilon, "--delta", DELTA, *more, "--quiet", "-o", output]
    settings.call("synth", source.table, *arguments, *(("--rows", rows) if rows else ()))
    return output


def clean(settings):
    """Takes tables with records out of the results."""
    for name in ("train.parquet", "synthetic.parquet", "synthetic.release", "synthetic.mehler"):
        (settings.folder / name).unlink(missing_ok=True)
