"""What Table 1 and the ablations share: synthesise a coded table several times and measure its marginals in both ways."""

import statistics

import numpy as np
import pyarrow.parquet
from datasets import BY_NAME
from findings import spread
from marginals import errors, published_errors
from methods import Source, synthesize

# Sizes of column subsets: of the right metric, and those that the paper's numbers are really of (it calls them the same as ours).
SIZES = {"adult_discrete": ((3, 4), (4, 5)), "census_discrete": ((2, 3), (3, 4))}


def prepare(settings, dataset, preset="", rows=None):
    """The training table, or its first rows, as a Source."""
    path = BY_NAME[dataset].prepare(settings.folder)["train"]
    (settings.folder / "test.parquet").unlink(missing_ok=True)
    table = pyarrow.parquet.read_table(path)
    if rows:
        table = table.slice(0, rows)
        pyarrow.parquet.write_table(table, path)
    return Source(path, table.num_rows, BY_NAME[dataset].schema_path, preset)


def measure(settings, dataset, source, synthetic, published=True, max_subsets=5000):
    """{"3-way": error, ..., "published 4-way": error, ...}"""
    right, merged = SIZES[dataset]
    found = errors(settings, source.table, synthetic, source.schema_path, right, max_subsets)
    result = {f"{size}-way": found[size] for size in right}
    if published:
        found = published_errors(settings, source.table, synthetic, merged, max_subsets)
        result.update({f"published {size}-way": found[size] for size in merged})
    return result


def repeat(settings, dataset, source, method, epsilon, seeds, more=(), max_subsets=5000):
    """One measurement a seed; noise is new each time, seeds are of training and sampling."""
    return [
        measure(
            settings,
            dataset,
            source,
            synthesize(settings, method, source, epsilon, seed, more),
            max_subsets=max_subsets,
        )
        for seed in range(1, seeds + 1)
    ]


def bootstrap(settings, dataset, source, seeds, max_subsets=5000):
    """The real rows drawn again with replacement: the error of a perfect generator."""
    table, path = pyarrow.parquet.read_table(source.table), settings.folder / "synthetic.parquet"
    found = []
    for seed in range(1, seeds + 1):
        pyarrow.parquet.write_table(table.take(np.random.default_rng(seed).integers(0, source.rows, source.rows)), path)
        found.append(measure(settings, dataset, source, path, max_subsets=max_subsets))
    return found


def mean(measured, name):
    return statistics.fmean(run[name] for run in measured)


def words(measured, name):
    return spread([run[name] for run in measured])


def clean(settings):
    """Takes tables with records out of the results."""
    for name in (
        "train.parquet",
        "synthetic.parquet",
        "synthetic.release",
        "synthetic.mehler",
        "as-published.schema.json",
    ):
        (settings.folder / name).unlink(missing_ok=True)
