"""Table 2 of the paper: twelve classifiers trained on synthetic rows at (1, 1e-5), tested on real ones, on eight datasets."""

import statistics

from classification import (MOST_ROWS, PROTOCOLS, TASKS, chosen_tasks, clean, csv_rows, evaluate, load, means, metric_names, plot,
                            text_of)
from findings import Finding, pyplot
from methods import METHODS, NOT_AVAILABLE
from paper import TABLE_2

EPSILON = 1
SEEDS = 5
QUICK = ("cervical",)
ABSENT = [name for name in NOT_AVAILABLE if name != "PrivBayes"]


def run(settings):
    tasks, missing = chosen_tasks(settings, QUICK)
    seeds = settings.seeds or (1 if settings.quick else SEEDS)
    print(f"Mean over the classifiers{' (three of the twelve)' if settings.quick else ''}, epsilon {EPSILON}, {seeds} seed{'s' * (seeds > 1)}; "
          f"at most {MOST_ROWS:,} rows for training and for testing them.\n"
          "scores: ROC and average precision of scores. published: the authors' way, hard predictions and the best of several settings on\n"
          "the test rows, with the common class thinned in both tables as they do.\n")
    results, rows = [], []
    for task in tasks:
        problem = load(settings, task, 2000 if settings.quick else None)
        found = {"real": evaluate(settings, problem, None, EPSILON, 1)}
        for method in METHODS:
            if settings.wanted(method.name, settings.methods):
                more = ("--epochs", 10) if settings.quick else ()
                found[method.name] = evaluate(settings, problem, method, EPSILON, seeds, more=more)
        clean(settings)
        results.append((task, found))
        print(text_of(task, found, TABLE_2[task.dataset], absent=ABSENT), flush=True)
        rows += csv_rows(task.dataset, found)
        settings.write("table2", rows)
    print("\n".join(missing))
    plt = pyplot()
    if plt is not None:
        plot(settings, plt, results, TABLE_2, "table2")

    by_name = {task.dataset: found for task, found in results}
    findings = []
    for task in TASKS:
        if settings.quick and task.dataset not in QUICK:
            continue
        for name in ("real", "dp-hp"):
            for protocol in PROTOCOLS:
                measured = by_name.get(task.dataset, {}).get(name)
                metric = metric_names(task)[0]
                value = statistics.fmean(means(measured, protocol, metric)) if measured else None
                findings.append(Finding(f"{task.dataset}, {name}, {metric}, {protocol}", value))
    return findings
