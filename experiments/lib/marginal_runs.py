"""What Table 1 and the ablations share: synthesise a coded table several times and measure its marginals in both
ways."""

import statistics

import numpy as np
import pyarrow.parquet

from experiments.lib.marginals import MOST_SUBSETS, errors, published_errors
from experiments.lib.methods import synthesize
from experiments.lib.text import spread

# Sizes of column subsets: of the right metric, and those that the paper's numbers are really of (it calls them the same
# as ours).
SIZES = {"adult_discrete": ((3, 4), (4, 5)), "census_discrete": ((2, 3), (3, 4))}


def measure_names(dataset):
    right, merged = SIZES[dataset]
    return [f"{size}-way" for size in right] + [f"published {size}-way" for size in merged]


def measure(settings, dataset, source, synthetic, most_subsets):
    """{"3-way": error, ..., "published 4-way": error, ...}"""
    right, merged = SIZES[dataset]
    found = errors(settings, source.table, synthetic, source.schema_path, right, most_subsets)
    published = published_errors(settings, source.table, synthetic, merged, most_subsets)
    values = [found[size] for size in right] + [published[size] for size in merged]
    return dict(zip(measure_names(dataset), values))


def repeat(settings, dataset, source, method, epsilon, seeds, most_subsets=MOST_SUBSETS, **more):
    """One measurement a seed; noise is new each time, seeds are of training and sampling. more: of the method's
    Request."""
    return [
        measure(
            settings,
            dataset,
            source,
            synthesize(settings, method, source, epsilon, rows=source.rows, seed=seed, **more),
            most_subsets,
        )
        for seed in range(1, seeds + 1)
    ]


def drawn_again(settings, dataset, source, seeds, most_subsets=MOST_SUBSETS):
    """The real rows drawn with replacement: the error of a perfect generator."""
    table, path = pyarrow.parquet.read_table(source.table), settings.records / "synthetic.parquet"
    found = []
    for seed in range(1, seeds + 1):
        pyarrow.parquet.write_table(table.take(np.random.default_rng(seed).integers(0, source.rows, source.rows)), path)
        found.append(measure(settings, dataset, source, path, most_subsets))
    return found


def mean(measured, name):
    return statistics.fmean(run[name] for run in measured)


def words(measured, name):
    return spread([run[name] for run in measured])
