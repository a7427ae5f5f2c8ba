"""Method marginals on tables of hundreds of columns: classifiers on the test rows, and pairs, at epsilon 1.

One table: PYTHONPATH=build/release/python python -m experiments marginals-wide --datasets epileptic --seeds 1
"""

import statistics

import pyarrow.parquet

from experiments.lib.bars import Figure
from experiments.lib.cells import CellTable, mean_total_variation, subsets_of
from experiments.lib.classification import MOST_ROWS, at_most, load, require_scikit_learn
from experiments.lib.datasets import available
from experiments.lib.methods import synthesize
from experiments.lib.text import aligned, pyplot, spread
from experiments.lib.wide_classifiers import METRICS, mean_scores

METHOD, REAL = "marginals", "real"
SEEDS = 5
EPSILON = 1
DATASETS = ("isolet", "epileptic")
MOST_PAIRS = 400
PAIRS = "2-way"
MEASURES = {"roc_auc": "ROC-AUC", "average_precision": "average precision", PAIRS: f"2-way of {MOST_PAIRS} pairs"}
# From the note on wide tables ("method-wide.md"): the method before, and with moments and a private teacher in place of
# pairs, three releases.
PUBLISHED = {"isolet": (".808 / .482", ".879 / .642"), "epileptic": (".830 / .755", ".865 / .814")}


def measure(settings, name, seeds):
    """Rows {"dataset", "method", "seed", measure...}."""
    problem = load(settings, name)
    schema = problem.dataset.schema
    pairs = subsets_of(len(schema["columns"]), 2, MOST_PAIRS)
    real = CellTable(problem.train, schema)
    train, test = (at_most(table, MOST_ROWS["scores"]) for table in (problem.train, problem.test))
    found = [{"dataset": name, "method": REAL, "seed": 1, **mean_scores(train, test, schema, 1), PAIRS: ""}]
    for seed in range(1, seeds + 1):
        table = pyarrow.parquet.read_table(synthesize(settings, METHOD, problem.source, EPSILON))
        scores = mean_scores(at_most(table, MOST_ROWS["scores"]), test, schema, seed)
        error = mean_total_variation(real, CellTable(table, schema), pairs)
        found.append({"dataset": name, "method": METHOD, "seed": seed, **scores, PAIRS: error})
    return found


def values_of(rows, name, method, measure):
    return [row[measure] for row in rows if (row["dataset"], row["method"]) == (name, method) and row[measure] != ""]


def text_of(rows):
    lines = [["dataset", "trained on", *MEASURES.values()]]
    for name, method in dict.fromkeys((row["dataset"], row["method"]) for row in rows):
        found = [values_of(rows, name, method, measure) for measure in MEASURES]
        lines.append([name, method, *(spread(values) if values else "" for values in found)])
    return aligned(lines)


def plot(settings, rows):
    plt = pyplot()
    if plt is None:
        return
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    figure, all_axes = plt.subplots(1, len(METRICS), figsize=(3.4 * len(METRICS), 3), layout="constrained")
    for axes, metric in zip(all_axes, METRICS):
        for place, name in enumerate(names):
            values = values_of(rows, name, METHOD, metric)
            axes.plot([place] * len(values), values, "o", color="tab:blue", label=METHOD if place == 0 else None)
            real = values_of(rows, name, REAL, metric)
            axes.plot([place], real, "k_", ms=20, label="real rows" if place == 0 else None)
        axes.set_xticks(range(len(names)), names)
        axes.set(title=MEASURES[metric], xlim=(-0.5, len(names) - 0.5))
        axes.grid(alpha=0.3)
    all_axes[0].legend(fontsize=8)
    settings.save(figure, "marginals-wide")


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    wanted = DATASETS[1:] if settings.quick else DATASETS
    require_scikit_learn()
    names, missing = available(settings, wanted)
    rows = []
    for name in names:
        rows += measure(settings, name, seeds)
        settings.write("marginals-wide", rows)
    for name, method in dict.fromkeys((row["dataset"], row["method"]) for row in rows):
        for measure_key in MEASURES:
            if values := values_of(rows, name, method, measure_key):
                settings.kept.add(name, method, MEASURES[measure_key], values)
    print(f"Epsilon {EPSILON}, mean of four classifiers on the test rows; {seeds} releases.\n\n{text_of(rows)}\n")
    print("\n".join(missing), flush=True)
    plot(settings, rows)

    def mean(name, method, metric):
        values = values_of(rows, name, method, metric)
        return statistics.fmean(values) if values else None

    return [
        Figure(f"{name}, {method}, {MEASURES[metric]}", mean(name, method, metric))
        for name in wanted
        for method in (METHOD, REAL)
        for metric in METRICS
    ]


def table(figures):
    """For the documentation."""
    lines = [["", *MEASURES.values(), "published: before, with moments", "real rows"]]
    for name in DATASETS:
        measured = [figures.cell(name, METHOD, words) for words in MEASURES.values()]
        real = " / ".join(filter(None, (figures.mean(name, REAL, MEASURES[metric]) for metric in METRICS)))
        lines.append([name, *measured, ", ".join(PUBLISHED[name]), real])
    return lines


TABLES = {"marginals-wide": table}
