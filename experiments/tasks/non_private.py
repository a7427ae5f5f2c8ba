"""The appendix's table without privacy: what the features and the generator lose, apart from the noise."""

import statistics

from classification import TASKS, chosen_tasks, clean, csv_rows, evaluate, load, means, metric_names, plot, text_of
from findings import Finding, pyplot
from methods import METHODS
from paper import NON_PRIVATE, TABLE_2

EPSILON = 1e6  # no method runs without noise; with this little of it the guarantee means nothing
SEEDS = 3
QUICK = ("cervical",)


def run(settings):
    tasks, missing = chosen_tasks(settings, QUICK)
    seeds = settings.seeds or (1 if settings.quick else SEEDS)
    print(f"DP-HP has no mode without noise: epsilon {EPSILON:g} stands for it. {seeds} seed{'s' * (seeds > 1)}.\n")
    results, rows = [], []
    for task in tasks:
        problem = load(settings, task, 2000 if settings.quick else None)
        found = {"real": evaluate(settings, problem, None, EPSILON, 1)}
        for method in METHODS[:1]:
            for epsilon in (EPSILON, 1):
                more = ("--epochs", 10) if settings.quick else ()
                found[f"{method.name} at {epsilon:g}"] = evaluate(settings, problem, method, epsilon, seeds, more=more)
        clean(settings)
        results.append((task, found))
        paper = {"real": TABLE_2[task.dataset]["Real"], **{f"{name} without privacy": value for name, value in NON_PRIVATE[task.dataset].items()},
                 "DP-HP at 1": TABLE_2[task.dataset]["DP-HP"]}
        print(text_of(task, found, paper, absent=("DP-MERF",)), flush=True)
        rows += csv_rows(task.dataset, found)
        settings.write("non-private", rows)
    print("\n".join(missing))
    plt = pyplot()
    if plt is not None:
        plot(settings, plt, results, NON_PRIVATE, "non-private")

    by_name = {task.dataset: found for task, found in results}
    findings = []
    for task in TASKS:
        if not settings.quick or task.dataset in QUICK:
            measured = by_name.get(task.dataset, {}).get(f"dp-hp at {EPSILON:g}")
            metric = metric_names(task)[0]
            findings.append(Finding(f"{task.dataset}, dp-hp without privacy, {metric}, scores",
                                    statistics.fmean(means(measured, "scores", metric)) if measured else None))
    return findings
