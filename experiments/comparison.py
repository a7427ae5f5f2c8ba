"""Tables of classifiers' scores, which Table 2 and the table without privacy share: printed, written, drawn, beside the paper's."""

import importlib.util
import statistics

from classification import MOST_ROWS, PROTOCOLS, QUICK_DATASETS, TASKS, evaluate, load, means, metric_names
from datasets import BY_NAME, MissingData
from findings import Finding, aligned, pyplot, spread


def chosen_tasks(settings):
    """The tasks that are asked for and whose data is there; and what is missing, in words."""
    if importlib.util.find_spec("sklearn") is None:
        raise MissingData(
            "The classifiers need scikit-learn, which is not installed: experiments/run installs it where it can reach PyPI."
        )
    wanted = settings.datasets or (QUICK_DATASETS if settings.quick else [task.dataset for task in TASKS])
    tasks = [task for task in TASKS if task.dataset in wanted]
    if not tasks:
        raise MissingData(
            f"none of the datasets is one of this experiment: {', '.join(task.dataset for task in TASKS)}"
        )
    missing = [BY_NAME[task.dataset].explanation() for task in tasks if BY_NAME[task.dataset].missing()]
    if len(missing) == len(tasks):
        raise MissingData("\n".join(missing))
    return [task for task in tasks if not BY_NAME[task.dataset].missing()], missing


def text_of(task, found, paper, absent):
    """A dataset's table. found: {row: rows of evaluate}; paper: {row: its numbers}, which are of the published protocol."""
    metrics = metric_names(task)
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
    lines += [[name, "not available", *("" for _ in columns[1:])] for name in absent]
    remark = BY_NAME[task.dataset].remark()
    return f"{task.dataset}{f' ({remark})' if remark else ''}\n{aligned(lines)}\n{notes_of(found)}"


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
    for axes, (task, found) in zip(all_axes.flat, results.items()):
        metric = metric_names(task)[0]
        for protocol, marker in zip(PROTOCOLS, "os"):
            points = [
                (place, value) for place, rows in enumerate(found.values()) for value in means(rows, protocol, metric)
            ]
            axes.plot(*zip(*points), marker, alpha=0.7, label=protocol)
        for label, values in papers[task.dataset].items():
            axes.plot(len(found), values[0], "k_", ms=12)
            axes.annotate(
                label, (len(found), values[0]), xytext=(-9, -2), textcoords="offset points", fontsize=6, ha="right"
            )
        axes.set_xticks(range(len(found) + 1), [*found, "paper"], rotation=30, fontsize=7, ha="right")
        axes.set_title(f"{task.dataset}: {metric}", fontsize=9)
        axes.grid(alpha=0.3)
    all_axes.flat[0].legend(fontsize=7)
    settings.save(figure, name)


def compare(settings, name, rows_of, papers, absent):
    """Scores of every dataset, printed beside the paper's, written and drawn under a name: {dataset: {row: rows of evaluate}}.
    rows_of(problem) gives the rows besides that of the real table."""
    tasks, missing = chosen_tasks(settings)
    print(
        f"Mean over {'three of the ' if settings.quick else ''}twelve classifiers, trained and tested on at most "
        f"{MOST_ROWS['scores']:,} rows (published: {MOST_ROWS['published']:,}).\n"
        "scores: area under the ROC curve and average precision, from scores. published: the authors' way, hard predictions, the best of\n"
        "several settings on the test rows, and the common class thinned in both tables as they do.\n"
    )
    results, lines = {}, []
    for task in tasks:
        problem = load(settings, task, 2000 if settings.quick else None)
        found = results[task] = {"real": evaluate(settings, problem, None, None, 1), **rows_of(problem)}
        for left in ("train.parquet", "synthetic.parquet", "synthetic.release", "synthetic.mehler"):
            (settings.folder / left).unlink(missing_ok=True)  # tables with records are no result
        print(text_of(task, found, papers[task.dataset], absent), flush=True)
        lines += csv_rows(task.dataset, found)
        settings.write(name, lines)
    print("\n".join(missing))
    plot(settings, results, papers, name)
    return {task.dataset: found for task, found in results.items()}


def findings(settings, results, rows, protocols):
    """The first metric of every dataset that this way to run has; of those that were not measured, None."""
    found = []
    for task in TASKS:
        if settings.quick and task.dataset not in QUICK_DATASETS:
            continue
        metric = metric_names(task)[0]
        for row in rows:
            for protocol in protocols:
                measured = results.get(task.dataset, {}).get(row)
                value = statistics.fmean(means(measured, protocol, metric)) if measured else None
                found.append(Finding(f"{task.dataset}, {row}, {metric}, {protocol}", value))
    return found
