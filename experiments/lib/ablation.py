"""An ablation on discretised Adult: one option takes several values, everything else stays as in the preset."""

import dataclasses
from collections.abc import Callable

from experiments.lib.bars import Figure
from experiments.lib.marginal_runs import mean, measure_names, repeat, words
from experiments.lib.sources import prepare
from experiments.lib.text import aligned, decimals, pyplot, seed_words

DATASET, PRESET, SEEDS = "adult_discrete", "adult-discrete-0.3", 3
NAMES = measure_names(DATASET)
# The methods, ours and the paper's, with further options. "We set epsilon_1 = epsilon_2": half of the budget for the
# products.
METHODS = {"dp-hp": (), "dp-hp-as-published": ("--product-share", 0.5)}


@dataclasses.dataclass(frozen=True)
class Ablation:
    task: str
    option: str  # in words
    values: tuple
    epsilon: float
    paper: dict  # {value: {columns of a marginal: the paper's error}}
    arguments: Callable  # from a value to options of the program


def plot(settings, ablation, found):
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for method, by_value in found.items():
        for name, style in zip(("3-way", "published 4-way"), ("o-", "s--")):
            axes.plot(
                list(by_value), [mean(runs, name) for runs in by_value.values()], style, label=f"{method}, {name}"
            )
    paper = {value: numbers[4] for value, numbers in ablation.paper.items()}
    axes.plot(list(paper), list(paper.values()), "k^:", label="paper's DP-HP, published 4-way")
    if max(paper) > 100 * min(paper):
        axes.set_xscale("log")
    axes.set_xlabel(ablation.option)
    axes.set_ylabel("mean total variation")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    settings.save(figure, ablation.task)


def measure(settings, ablation, seeds):
    """{method: {value: runs}}; written as they come."""
    source = prepare(settings, DATASET)
    found, rows = {}, []
    for method in list(METHODS)[:1] if settings.quick else METHODS:
        found[method] = {}
        for value in ablation.values:
            runs = found[method][value] = repeat(
                settings,
                DATASET,
                source,
                method,
                ablation.epsilon,
                seeds,
                most_subsets=300 if settings.quick else 5000,
                preset=PRESET,
                options=(*METHODS[method], *ablation.arguments(value)),
                epochs=4 if settings.quick else None,
            )
            rows += [
                {"method": method, ablation.option: value, "seed": seed, **{name: f"{run[name]:.6f}" for name in NAMES}}
                for seed, run in enumerate(runs, 1)
            ]
            settings.write(ablation.task, rows)
            for name in NAMES:
                settings.kept.add(DATASET, method, f"{name}, {value:g}", [run[name] for run in runs])
    return found


def text_of(ablation, found):
    lines = [["method", ablation.option, *NAMES]]
    lines += [
        [method, f"{value:g}", *(words(runs, name) for name in NAMES)]
        for method, by_value in found.items()
        for value, runs in by_value.items()
    ]
    lines += [
        ["paper's DP-HP", f"{value:g}", "", "", f"{numbers[4]:.3f}", f"{numbers[5]:.3f}"]
        for value, numbers in ablation.paper.items()
    ]
    return aligned(lines)


def run_ablation(settings, ablation):
    """Runs every value with both methods; prints, plots, and gives the findings: the error by value."""
    seeds = settings.seeds_or(SEEDS)
    found = measure(settings, ablation, seeds)
    print(
        f"Discretised Adult, epsilon {ablation.epsilon:g}, {seed_words(seeds)}: mean total variation, 0 is best.\n"
        f"{text_of(ablation, found)}\n"
    )
    plot(settings, ablation, found)
    return [
        Figure(f"{method}, {ablation.option} {value:g}, 3-way", mean(runs, "3-way"))
        for method, by_value in found.items()
        for value, runs in by_value.items()
    ]


def table_of(figures, option, paper):
    """For the documentation: errors of 3 columns, and published ones of 4, by the option's value."""
    rows = {
        "dp-hp, 3-way": ("dp-hp", "3-way"),
        "dp-hp, published": ("dp-hp", "published 4-way"),
        "dp-hp as published (half of epsilon for products), published": ("dp-hp-as-published", "published 4-way"),
    }
    lines = [[option, *(short_value(value) for value in paper)]]
    lines += [
        [label, *(figures.cell(DATASET, method, f"{name}, {value:g}") for value in paper)]
        for label, (method, name) in rows.items()
    ]
    return [*lines, ["paper", *(decimals(numbers[4]) for numbers in paper.values())]]


def short_value(value):
    return f"{value:g}".removeprefix("0") if value < 1 else f"{value:g}"
