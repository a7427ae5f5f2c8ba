"""Figure 2 of the paper: 25 Gaussian clusters of five classes in the plane at (1, 1e-5); likelihood under the truth and
modes."""

import csv
import statistics

from experiments.lib.bars import Figure
from experiments.lib.marginals import evaluation
from experiments.lib.methods import chosen, of_experiment, synthesize
from experiments.lib.sources import Source
from experiments.lib.systems import label_of, rows_of
from experiments.lib.text import aligned, pyplot, seed_words, spread

EPSILON = 1
SEEDS = 3
MEASURES = {
    "negative_log_likelihood": "NLL with class",
    "without_class": "NLL without class",
    "covered_modes": "modes of 25",
    "near_a_mode": "near a mode",
}
ROWS = 90000
POINTS = 4000  # in the figure


def points(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [
            (float(row["x"]), float(row["y"]), int(row["class"])) for row, _ in zip(csv.DictReader(file), range(POINTS))
        ]


def measure(settings, real, synthetic, schema):
    """Measures of the real and of the synthetic table."""
    return evaluation(settings, real, synthetic, schema, "--marginals", 1)["mixture"]


def plot(settings, panels):
    plt = pyplot()
    if plt is None:
        return
    figure, all_axes = plt.subplots(
        1, len(panels), figsize=(4 * len(panels), 4.6), layout="constrained", sharex=True, sharey=True
    )
    for axes, (title, rows) in zip(all_axes, panels):
        x, y, label = zip(*rows)
        axes.scatter(x, y, c=label, cmap="tab10", s=2, lw=0)
        axes.set_title(title, fontsize=10)
        axes.set_aspect("equal")
    settings.save(figure, "mixture")


def measure_method(settings, method, source, seeds):
    """Measures of each run, of the real table, and a panel of the first run."""
    runs, panel, real = [], None, None
    for seed in range(1, seeds + 1):
        path = synthesize(
            settings,
            method,
            source,
            EPSILON,
            ending="csv",
            kept_as=("mixture", method, ""),
            rows=source.rows,
            seed=seed,
            preset="mixture",
            epochs=20 if settings.quick else None,
            quick=settings.quick,
        )
        both = measure(settings, source.table, path, source.schema_path)
        real, found = both["real"], both["synthetic"]
        runs.append(found)
        title = (
            f"{method}, epsilon {EPSILON}\nNLL {found['without_class']:.2f} without class, "
            f"{found['covered_modes']} of 25 modes"
        )
        panel = panel or (title, points(path))
    return runs, real, panel


def text_of(found, seeds):
    lines = [["", *MEASURES.values()]]
    lines += [[name, *(spread([run[measure] for run in runs]) for measure in MEASURES)] for name, runs in found.items()]
    lines.append(["authors' code without noise", "3.30", "", "", ""])
    return (
        f"Mean negative log-likelihood under the truth, epsilon {EPSILON}, {seed_words(seeds)}. The paper's figure\n"
        "has pictures; its authors' code, run without noise for 43 of its 100 epochs, came to 3.99 with their\n"
        "constant, which is 3.30 with the right one.\n"
        f"{aligned(lines)}\n"
    )


def keep(settings, found):
    for method, runs in found.items():
        for measure, words in MEASURES.items():
            settings.kept.add("mixture", method, words, [run[measure] for run in runs])
    settings.write(
        "mixture",
        [
            {"method": name, "seed": seed, **measures}
            for name, runs in found.items()
            for seed, measures in enumerate(runs, 1)
        ],
    )


def run(settings):
    settings.call("demo", "mixture", "-o", settings.records)
    source = Source(settings.records / "mixture.csv", ROWS, settings.records / "mixture.schema.json")
    seeds = settings.seeds_or(SEEDS)
    found, panels = {}, []
    for method in chosen(settings, ("dp-hp",)) if settings.quick else of_experiment(settings, "mixture"):
        found[method], real, panel = measure_method(settings, method, source, seeds)
        panels.append(panel)
    found["real"] = [real]
    panels.insert(0, (f"real\nNLL {real['without_class']:.2f} without class", points(source.table)))
    plot(settings, panels)
    keep(settings, found)
    print(text_of(found, seeds))

    def mean(measure):
        return statistics.fmean(run[measure] for run in found["dp-hp"]) if "dp-hp" in found else None

    return [
        Figure("real, NLL with class", real["negative_log_likelihood"]),
        Figure("dp-hp, NLL with class", mean("negative_log_likelihood")),
        Figure("dp-hp, NLL without class", mean("without_class")),
        Figure("dp-hp, modes covered", mean("covered_modes")),
        Figure("dp-hp, share near a mode", mean("near_a_mode")),
    ]


def table(figures):
    """For the documentation."""
    lines = [["", *MEASURES.values()]]
    for method in rows_of(figures, ("mixture", MEASURES["without_class"])):
        cells = [figures.cell("mixture", method, words, 0 if "modes" in words else 3) for words in MEASURES.values()]
        lines.append([label_of(method), *cells])
    return lines


TABLES = {"mixture": table}
