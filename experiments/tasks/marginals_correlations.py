"""Method marginals: correlations of all pairs of numbers against epsilon, beside the error of real rows drawn again.

One table in seconds:
PYTHONPATH=build/release/python python -m experiments marginals-correlations --datasets california_housing --seeds 1
"""

import statistics

import numpy as np
import pyarrow.parquet

from experiments.lib.bars import Figure
from experiments.lib.correlations import KINDS, correlations, mean_errors, number_names
from experiments.lib.datasets import available, dataset_named
from experiments.lib.methods import synthesize
from experiments.lib.sources import prepare
from experiments.lib.text import aligned, pyplot, spread

METHOD, AGAIN = "marginals", "real rows drawn again"
SEEDS = 5
DATASETS = ("california_housing", "credit_default")
EPSILONS = (1, 10, 100, 1000)


def measure_name(kind, epsilon=None):
    return f"{kind}, epsilon {epsilon:g}" if epsilon else kind


def measure(settings, name, epsilons, seeds):
    """Rows {"dataset", "method", "epsilon", "seed", kind...}: errors of synthetic rows, and of the real ones drawn with
    replacement, which is what a perfect generator of as many rows has."""
    source, names = prepare(settings, name), number_names(dataset_named(name).schema)
    real = pyarrow.parquet.read_table(source.table)
    truth = correlations(real, names)

    def row(method, epsilon, seed, table):
        errors = mean_errors(truth, correlations(table, names))
        return {"dataset": name, "method": method, "epsilon": epsilon, "seed": seed, **errors}

    def drawn_again(seed):
        return real.take(np.random.default_rng(seed).integers(0, real.num_rows, real.num_rows))

    found = [row(AGAIN, "", seed, drawn_again(seed)) for seed in range(1, seeds + 1)]
    return found + [
        row(METHOD, epsilon, seed, pyarrow.parquet.read_table(synthesize(settings, METHOD, source, epsilon)))
        for epsilon in epsilons
        for seed in range(1, seeds + 1)
    ]


def values_of(rows, name, kind, epsilon=""):
    """Of real rows drawn again without an epsilon."""
    return [row[kind] for row in rows if (row["dataset"], row["epsilon"]) == (name, epsilon)]


def text_of(rows):
    lines = [["dataset", "epsilon", *KINDS]]
    for name, epsilon in dict.fromkeys((row["dataset"], row["epsilon"]) for row in rows):
        words = f"{epsilon:g}" if epsilon else AGAIN
        lines.append([name, words, *(spread(values_of(rows, name, kind, epsilon), 4) for kind in KINDS)])
    return aligned(lines)


def plot(settings, rows):
    plt = pyplot()
    if plt is None:
        return
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    epsilons = list(dict.fromkeys(row["epsilon"] for row in rows if row["epsilon"]))
    figure, all_axes = plt.subplots(1, len(names), figsize=(4 * len(names), 3.4), layout="constrained", squeeze=False)
    for axes, name in zip(all_axes[0], names):
        for kind, colour in zip(KINDS, ("tab:blue", "tab:orange")):
            means = [statistics.fmean(values_of(rows, name, kind, epsilon)) for epsilon in epsilons]
            axes.plot(epsilons, means, "o-", color=colour, label=kind)
            floor = statistics.fmean(values_of(rows, name, kind))
            axes.axhline(floor, ls=":", color=colour, label=f"{kind}, {AGAIN}")
        axes.set(xscale="log", yscale="log", title=name, xlabel="epsilon", ylabel="mean error of a correlation")
        axes.grid(alpha=0.3)
    all_axes[0][0].legend(fontsize=7)
    settings.save(figure, "marginals-correlations")


def keep(settings, rows):
    for name, epsilon in dict.fromkeys((row["dataset"], row["epsilon"]) for row in rows):
        for kind in KINDS:
            values = values_of(rows, name, kind, epsilon)
            settings.kept.add(name, METHOD if epsilon else AGAIN, measure_name(kind, epsilon), values)


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    wanted, epsilons = (DATASETS[:1], EPSILONS[1:2]) if settings.quick else (DATASETS, EPSILONS)
    names, missing = available(settings, wanted)
    rows = [row for name in names for row in measure(settings, name, epsilons, seeds)]
    settings.write("marginals-correlations", rows)
    keep(settings, rows)
    print(
        f"Mean absolute error of the correlations of all pairs of numbers; {seeds} releases each.\n\n{text_of(rows)}\n"
    )
    print("\n".join(missing), flush=True)
    plot(settings, rows)

    def mean(name, epsilon):
        values = values_of(rows, name, "Spearman", epsilon)
        return statistics.fmean(values) if values else None

    return [Figure(f"{name} at {epsilon:g}, Spearman", mean(name, epsilon)) for name in wanted for epsilon in epsilons]


def table(figures):
    """For the documentation."""
    lines = [["", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS), AGAIN]]
    for name in DATASETS:
        for kind in KINDS:
            measured = [figures.cell(name, METHOD, measure_name(kind, epsilon), 4) for epsilon in EPSILONS]
            lines.append([f"{name}, {kind}", *measured, figures.cell(name, AGAIN, kind, 4)])
    return lines


TABLES = {"marginals-correlations": table}
