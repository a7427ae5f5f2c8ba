"""An ablation on discretised Adult: one option takes several values, everything else stays as in the preset."""

import dataclasses

from findings import Finding, aligned, pyplot
from marginal_runs import clean, mean, prepare, repeat, words
from methods import PUBLISHED, method_named

DATASET, SEEDS = "adult_discrete", 3
NAMES = ("3-way", "4-way", "published 4-way", "published 5-way")
# "We set epsilon_1 = epsilon_2": half of the budget for the products.
HALF = dataclasses.replace(PUBLISHED, arguments=(*PUBLISHED.arguments, "--product-share", "0.5"))


def plot(settings, task, option, found, paper):
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for method, by_value in found.items():
        for name, style in zip(("3-way", "published 4-way"), ("o-", "s--")):
            axes.plot(
                list(by_value), [mean(runs, name) for runs in by_value.values()], style, label=f"{method}, {name}"
            )
    axes.plot(list(paper), [numbers[4] for numbers in paper.values()], "k^:", label="paper's DP-HP, published 4-way")
    if max(paper) > 100 * min(paper):
        axes.set_xscale("log")
    axes.set_xlabel(option)
    axes.set_ylabel("mean total variation")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    settings.save(figure, task)


def ablation(settings, task, option, values, paper, epsilon, arguments):
    """Runs every value with two methods, ours and the paper's; prints, plots, and gives the findings: the error by value."""
    seeds = settings.seeds or (1 if settings.quick else SEEDS)
    source = prepare(settings, DATASET, "adult-discrete-0.3")
    more = ("--epochs", 4) if settings.quick else ()
    found, rows = {}, []
    for method in (method_named("dp-hp"),) if settings.quick else (method_named("dp-hp"), HALF):
        found[method.name] = {}
        for value in values:
            runs = repeat(
                settings,
                DATASET,
                source,
                method,
                epsilon,
                seeds,
                (*arguments(value), *more),
                300 if settings.quick else 5000,
            )
            found[method.name][value] = runs
            rows += [
                {"method": method.name, option: value, "seed": seed + 1, **{name: f"{run[name]:.6f}" for name in NAMES}}
                for seed, run in enumerate(runs)
            ]
            settings.write(task, rows)
    clean(settings)
    lines = [["method", option, *NAMES]]
    lines += [
        [method, f"{value:g}", *(words(runs, name) for name in NAMES)]
        for method, by_value in found.items()
        for value, runs in by_value.items()
    ]
    lines += [
        ["paper's DP-HP", f"{value:g}", "", "", f"{numbers[4]:.3f}", f"{numbers[5]:.3f}"]
        for value, numbers in paper.items()
    ]
    print(
        f"Discretised Adult, epsilon {epsilon:g}, {seeds} seed{'s' * (seeds > 1)}: mean total variation, 0 is best.\n{aligned(lines)}\n"
    )
    plot(settings, task, option, found, paper)
    return [
        Finding(f"{method}, {option} {value:g}, 3-way", mean(runs, "3-way"))
        for method, by_value in found.items()
        for value, runs in by_value.items()
    ]
