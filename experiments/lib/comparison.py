"""Tables of classifiers' scores: printed, written, drawn, beside the paper's."""

import statistics

from experiments.lib.bars import Figure
from experiments.lib.classification import (
    MOST_ROWS,
    PROTOCOLS,
    chosen_datasets,
    classifiers_words,
    evaluate_real,
    load,
    means,
    members,
    metric_names,
    row_name,
)
from experiments.lib.datasets import dataset_named
from experiments.lib.methods import REAL, has_real_row
from experiments.lib.text import aligned, decimals, pyplot, spread


def text_of(dataset, found, paper):
    """A dataset's table. found: {row: rows of evaluate}; paper: {row: its numbers}, which are of the published
    protocol."""
    metrics = metric_names(dataset)
    columns = [(protocol, metric) for protocol in PROTOCOLS for metric in metrics]
    lines = [["", *(f"{protocol} {metric}" for protocol, metric in columns)]]
    lines += [[name, *(spread(means(rows, *column)) for column in columns)] for name, rows in found.items()]
    lines += [
        [
            f"paper's {name}",
            *(
                f"{values[metrics.index(metric)]:.3f}" if protocol == "published" else ""
                for protocol, metric in columns
            ),
        ]
        for name, values in paper.items()
    ]
    remark = dataset.remark()
    return f"{dataset.name}{f' ({remark})' if remark else ''}\n{aligned(lines)}\n{notes_of(found)}"


def notes_of(found):
    """What the scores say about the tables, with the number of runs that it was said of."""
    lines = []
    for name, rows in found.items():
        runs = [row["note"] for row in rows if row["protocol"] == PROTOCOLS[0] and row["classifier"] == "mean"]
        for note in sorted(set(runs) - {""}):
            lines.append(f"{name}, {runs.count(note)} of {len(runs)} runs: {note}\n")
    return "".join(lines)


def csv_rows(dataset, found):
    """Rows of a CSV file; all datasets have the same columns."""
    metrics = ("roc_auc", "average_precision", "f1_weighted")
    return [
        {
            "dataset": dataset,
            "method": method,
            **{name: row[name] for name in ("protocol", "seed", "classifier", "note")},
            **{metric: "" if row.get(metric) is None else f"{row[metric]:.6f}" for metric in metrics},
        }
        for method, rows in found.items()
        for row in rows
    ]


def plot(settings, results, papers, name):
    """A panel a dataset: mean scores of each row in both protocols, the paper's beside."""
    plt = pyplot()
    if plt is None:
        return
    across = min(4, len(results))
    down = -(-len(results) // across)
    figure, all_axes = plt.subplots(
        down, across, figsize=(1 + 3.4 * across, 0.5 + 3.4 * down), layout="constrained", squeeze=False
    )
    for axes in all_axes.flat[len(results) :]:
        axes.remove()
    for axes, (dataset, found) in zip(all_axes.flat, results.items()):
        metric = metric_names(dataset_named(dataset))[0]
        for protocol, marker in zip(PROTOCOLS, "os"):
            points = [
                (place, value) for place, rows in enumerate(found.values()) for value in means(rows, protocol, metric)
            ]
            axes.plot(*zip(*points), marker, alpha=0.7, label=protocol)
        for label, values in papers.get(dataset, {}).items():
            axes.plot(len(found), values[0], "k_", ms=12)
            axes.annotate(
                label, (len(found), values[0]), xytext=(-9, -2), textcoords="offset points", fontsize=6, ha="right"
            )
        axes.set_xticks(range(len(found) + 1), [*found, "paper"], rotation=30, fontsize=7, ha="right")
        axes.set_title(f"{dataset}: {metric}", fontsize=9)
        axes.grid(alpha=0.3)
    all_axes.flat[0].legend(fontsize=7)
    settings.save(figure, name)


def keep(settings, dataset, found):
    for method, rows in found.items():
        for metric in metric_names(dataset):
            for protocol in PROTOCOLS:
                settings.kept.add(dataset.name, method, f"{metric}, {protocol}", means(rows, protocol, metric))


def compare(settings, experiment, rows_of, papers):
    """Scores of every dataset, printed beside the paper's, written and drawn: {dataset: {row: rows of evaluate}}.
    rows_of(problem) gives the rows besides that of the real table; papers: {dataset: {row: its numbers}}, where it has
    some."""
    names, missing = chosen_datasets(settings, experiment)
    print(
        f"Mean over {classifiers_words(settings)} classifiers, trained and tested on at most "
        f"{MOST_ROWS['scores']:,} rows (published: {MOST_ROWS['published']:,}).\n"
        "scores: area under the ROC curve and average precision, from scores. published: the authors' way, hard\n"
        "predictions, the best of several settings on the test rows, and the common class thinned in both tables as\n"
        "they do.\n"
    )
    results, lines = {}, []
    for name in names:
        problem = load(settings, name)
        real = {row_name(settings, REAL): evaluate_real(problem)} if has_real_row(settings) else {}
        found = results[name] = {**real, **rows_of(problem)}
        print(text_of(problem.dataset, found, papers.get(name, {})), flush=True)
        keep(settings, problem.dataset, found)
        lines += csv_rows(name, found)
        settings.write(experiment, lines)
    print("\n".join(missing))
    plot(settings, results, papers, experiment)
    return results


def findings(settings, experiment, results, rows, protocols):
    """The first metric of every dataset that this way to run has; of those that were not measured, None."""
    found = []
    for dataset in map(dataset_named, members(settings, experiment)):
        metric = metric_names(dataset)[0]
        for row in rows:
            for protocol in protocols:
                measured = results.get(dataset.name, {}).get(row)
                value = statistics.fmean(means(measured, protocol, metric)) if measured else None
                found.append(Figure(f"{dataset.name}, {row}, {metric}, {protocol}", value))
    return found


def score_cell(figures, dataset, method, protocol):
    """For the documentation: the metrics of a dataset, separated by a slash."""
    cells = [figures.cell(dataset, method, f"{metric}, {protocol}") for metric in metric_names(dataset_named(dataset))]
    return " / ".join(cells) if any(cells) else ""


def paper_cell(numbers):
    return " / ".join(map(decimals, numbers))
