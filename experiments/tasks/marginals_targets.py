"""Method marginals against what it is to reach: 3-way marginals of six tables of codes, classifiers on Adult, seconds
and memory."""

import resource
import statistics
import time

import numpy as np
import pyarrow.parquet

from experiments.lib.bars import Figure
from experiments.lib.coded_classifiers import mean_roc_auc
from experiments.lib.coded_runs import EPSILONS, available_tables, measure_name, processor_seconds, three_way
from experiments.lib.coded_runs import TABLES as CODED
from experiments.lib.datasets import dataset_named
from experiments.lib.methods import synthesize
from experiments.lib.sources import prepare
from experiments.lib.text import aligned, decimals, pyplot, spread

METHOD = "marginals"
SEEDS = 5
# 3-way total variation at the three epsilons: the prototype of the method, AIM (private-pgm), what is to be reached.
PROTOTYPE = {
    "simple": (0.093, 0.051, 0.030),
    "bounded": (0.146, 0.094, 0.063),
    "acs_ma": (0.225, 0.133, 0.070),
    "law_school": (0.113, 0.069, 0.043),
    "california_housing": (0.250, 0.181, 0.130),
    "credit_default": (0.204, 0.130, 0.082),
}
AIM = {
    "simple": (0.126, 0.072, 0.039),
    "bounded": (0.184, 0.119, 0.080),
    "acs_ma": (0.268, 0.151, 0.084),
    "law_school": (0.122, 0.083, 0.058),
    "california_housing": (0.347, 0.210, 0.157),
}
MANY_ROWS = 1_000_000
CLASSIFIED, MANY = "adult_discrete", "adult"
# Of the documentation: records x columns, categories.
SIZES = {
    "simple": "discretised Adult, `simple` (22,561 x 15, 103)",
    "bounded": "discretised Adult, `bounded` (236 categories)",
    "acs_ma": "acs_ma (7,634 x 20, 157)",
    "law_school": "law_school (20,798 x 12, 113)",
    "california_housing": "california_housing (20,640 x 10, 181)",
    "credit_default": "credit_default (30,000 x 24, 305)",
}


def measure_marginals(settings, seeds):
    """Rows {"table", "epsilon", "seed", "three_way", "processor_seconds"}; what is missing."""
    names, missing = available_tables(settings, list(CODED)[:1] if settings.quick else list(CODED))
    found = []
    for name in names:
        source = prepare(settings, CODED[name])
        for epsilon in EPSILONS[-1:] if settings.quick else EPSILONS:
            for seed in range(1, seeds + 1):
                before = processor_seconds()
                synthetic = synthesize(settings, METHOD, source, epsilon)
                seconds = processor_seconds() - before
                error = three_way(settings, source, synthetic)
                found.append(
                    {
                        "table": name,
                        "epsilon": epsilon,
                        "seed": seed,
                        "three_way": f"{error:.5f}",
                        "processor_seconds": f"{seconds:.2f}",
                    }
                )
    return found, missing


def values_of(rows, table, epsilon, key="three_way"):
    return [float(row[key]) for row in rows if row["table"] == table and row["epsilon"] == epsilon]


def mean_of(rows, table, epsilon):
    values = values_of(rows, table, epsilon)
    return statistics.fmean(values) if values else None


def keep_marginals(settings, rows):
    for table in dict.fromkeys(row["table"] for row in rows):
        for epsilon in EPSILONS:
            settings.kept.add(table, METHOD, measure_name(epsilon), values_of(rows, table, epsilon))
        seconds = [float(row["processor_seconds"]) for row in rows if row["table"] == table]
        settings.kept.add(table, METHOD, "CPU seconds, file to file", seconds)


def marginals_text(rows):
    lines = [["table", "epsilon", "3-way", "prototype", "AIM", "CPU seconds, file to file"]]
    for table in CODED:
        for place, epsilon in enumerate(EPSILONS):
            values = values_of(rows, table, epsilon)
            if values:
                lines.append(
                    [
                        table,
                        f"{epsilon:g}",
                        spread(values, digits=4),
                        f"{PROTOTYPE[table][place]:.3f}",
                        f"{AIM[table][place]:.3f}" if table in AIM else "not run",
                        f"{statistics.fmean(values_of(rows, table, epsilon, 'processor_seconds')):.1f}",
                    ]
                )
    return aligned(lines)


def plot(settings, rows):
    plt = pyplot()
    tables = [table for table in CODED if any(row["table"] == table for row in rows)]
    if plt is None:
        return
    figure, all_axes = plt.subplots(1, len(tables), figsize=(3 * len(tables), 3.2), layout="constrained", squeeze=False)
    for axes, table in zip(all_axes[0], tables):
        measured = [epsilon for epsilon in EPSILONS if any(row["epsilon"] == epsilon for row in rows)]
        axes.plot(measured, [mean_of(rows, table, epsilon) for epsilon in measured], "o-", label="marginals")
        axes.plot(EPSILONS, PROTOTYPE[table], ":", color="grey", label="its prototype")
        if table in AIM:
            axes.plot(EPSILONS, AIM[table], "s--", label="AIM")
        axes.set_xscale("log")
        axes.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        axes.set_ylim(0)
        axes.set_title(table, fontsize=10)
        axes.set_xlabel("epsilon")
        axes.grid(alpha=0.3)
    all_axes[0][0].set_ylabel("3-way total variation")
    all_axes[0][0].legend(fontsize=8)
    settings.save(figure, "marginals-targets")


def wanted(settings, name):
    return not dataset_named(name).missing() and (not settings.datasets or name in settings.datasets)


def measure_classifiers(settings, seeds):
    """Mean ROC-AUC on the real test rows of discretised Adult, trained on real and on synthetic ones: {row: one a
    seed}."""
    if not wanted(settings, CLASSIFIED):
        return {}
    source, schema = prepare(settings, CLASSIFIED), dataset_named(CLASSIFIED).schema

    def score(path, seed):
        return mean_roc_auc(path, source.test, schema, seed)

    synthetic = [score(synthesize(settings, METHOD, source, 1), seed) for seed in range(1, seeds + 1)]
    return {"real": [score(source.table, 1)], METHOD: synthetic}


def measure_many_rows(settings):
    """Seconds and megabytes from a file of a million rows of Adult, drawn with replacement, to a synthetic file."""
    if not wanted(settings, MANY):
        return {}
    source = prepare(settings, MANY)
    rows = np.random.default_rng(1).integers(0, source.rows, MANY_ROWS)
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(source.table).take(rows), source.table)
    start = time.monotonic()
    synthesize(settings, METHOD, source, 1)
    seconds = time.monotonic() - start
    # The largest of all programs so far; the others are smaller.
    return {"seconds": seconds, "megabytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024}


def full_findings(settings, seeds):
    """What a quick run leaves out: classifiers, and a million rows."""
    scores = measure_classifiers(settings, seeds)
    for row, values in scores.items():
        settings.kept.add("simple", row, "mean ROC-AUC, epsilon 1", values)
        print(f"Discretised Adult, epsilon 1, mean ROC-AUC of four classifiers on real rows: {row} {spread(values, 4)}")
    many = measure_many_rows(settings)
    for unit, value in many.items():
        settings.kept.add("a million rows of adult", METHOD, unit, [value])
        print(f"{MANY_ROWS:,} rows x 15 columns, file to file: {value:.0f} {unit}")
    return [
        Figure("adult, ROC-AUC", statistics.fmean(scores[METHOD]) if scores else None),
        Figure("a million rows, seconds", many.get("seconds")),
        Figure("a million rows, megabytes", many.get("megabytes")),
    ]


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    rows, missing = measure_marginals(settings, seeds)
    settings.write("marginals-targets", rows)
    keep_marginals(settings, rows)
    print(
        f"Mean total variation of all 3-column marginals, 0 is best; {seeds} releases each. Published figures beside.\n"
    )
    print(marginals_text(rows), flush=True)
    print("\n".join(missing))
    plot(settings, rows)
    findings = [
        Figure(f"{table} at {epsilon:g}", mean_of(rows, table, epsilon))
        for table in (list(CODED)[:1] if settings.quick else CODED)
        for epsilon in (EPSILONS[-1:] if settings.quick else EPSILONS)
    ]
    return findings if settings.quick else findings + full_findings(settings, seeds)


def targets_table(figures):
    """For the documentation."""
    lines = [
        [
            "table (records x columns, categories)",
            *(f"epsilon {e:g}" for e in EPSILONS),
            "AIM",
            "CPU seconds, file to file",
        ]
    ]
    for table, words in SIZES.items():
        measured = [figures.cell(table, METHOD, measure_name(epsilon), 4) for epsilon in EPSILONS]
        published = " ".join(map(decimals, AIM.get(table, ())))
        lines.append([words, *measured, published, figures.mean(table, METHOD, "CPU seconds, file to file", 1)])
    return lines


def other_table(figures):
    return [
        ["", METHOD, "real rows"],
        [
            "ROC-AUC on real rows of `simple`, mean of four classifiers, epsilon 1",
            *(figures.cell("simple", row, "mean ROC-AUC, epsilon 1", 4) for row in (METHOD, "real")),
        ],
        *(
            [
                f"a million rows of Adult, file to file: {unit}",
                figures.mean("a million rows of adult", METHOD, unit, 0),
                "",
            ]
            for unit in ("seconds", "megabytes")
        ),
    ]


TABLES = {"marginals-targets": targets_table, "marginals-targets-others": other_table}
