"""Method images against what it is to reach: accuracies on the real test images of a network with convolutions, a softmax
regression and an MLP, trained on 60,000 synthetic ones at five budgets; both styles, which are drawn from one release.

One budget: PYTHONPATH=build/release/python python -m experiments images-targets --datasets mnist --epsilons 1 --seeds 1
"""

import statistics

import pyarrow.parquet

from experiments.lib import images
from experiments.lib.bars import Figure
from experiments.lib.datasets import dataset_named
from experiments.lib.images import DATASETS, QUICK_DATASETS, TITLES
from experiments.lib.methods import DELTA
from experiments.lib.program import QUICK_IMAGES
from experiments.lib.small_networks import SMALL_NETWORKS, accuracy
from experiments.lib.text import aligned, pyplot, seed_words, spread
from mehler.evaluation.problem import make_problem

OPTIONS = ("epsilons", "few_classifiers")
METHOD, STYLES = "images", ("broad", "plain")
SEEDS = 3
EPSILONS = (0.1, 0.3, 1, 3, 10)
IMAGES, QUICK_ROWS = 60000, 1000
NETWORK = "network"
MEASURES = {NETWORK: "network", "softmax_regression": "softmax regression", "mlp": "MLP"}
# Of the method's note (method-images.md, table 1), in %, at the five budgets: its prototype, three releases. Softmax
# regression and MLP of style broad alone.
PROTOTYPE = {
    ("mnist", "broad", NETWORK): (92.5, 96.4, 97.5, 97.8, 98.0),
    ("mnist", "plain", NETWORK): (91.2, 95.6, 96.6, 96.8, 97.0),
    ("mnist", "broad", "softmax_regression"): (81.4, 88.6, 90.1, 90.3, 90.6),
    ("mnist", "broad", "mlp"): (87.7, 94.4, 96.0, 96.0, 96.4),
    ("fashion_mnist", "broad", NETWORK): (78.8, 83.2, 85.4, 86.3, 87.0),
    ("fashion_mnist", "plain", NETWORK): (77.6, 81.8, 84.2, 84.9, 85.6),
    ("fashion_mnist", "broad", "softmax_regression"): (74.5, 78.3, 79.4, 79.9, 80.6),
    ("fashion_mnist", "broad", "mlp"): (76.6, 81.6, 83.8, 84.7, 85.3),
}


def measures_of(settings):
    """Few classifiers: the network alone."""
    return (NETWORK,) if settings.few_classifiers else tuple(MEASURES)


def draw(settings, problem, epsilon, seed):
    """{style: a file of synthetic images}, all of one release."""
    release, rows = settings.records / "images.release", QUICK_ROWS if settings.quick else IMAGES
    budget = ("--schema", problem.source.schema_path, "--epsilon", epsilon, "--delta", DELTA, "--method", METHOD)
    quick = QUICK_IMAGES if settings.quick else ()
    settings.call("release", problem.source.table, *budget, *quick, "--quiet", "--force", "-o", release)
    paths = {}
    for style in STYLES:
        model, paths[style] = settings.records / "images.mehler", settings.records / f"{style}.parquet"
        settings.call("train", release, "--style", style, "--quiet", "-o", model)
        settings.call("sample", model, "--rows", rows, "--seed", seed, "--quiet", "-o", paths[style])
    return paths


def network_accuracy(settings, problem, path, seed):
    """Of the network that the program trains on images."""
    words = ("--real", problem.source.test, "--synthetic", path, "--schema", problem.source.schema_path, "--seed", seed)
    return settings.json("evaluate", *words)["images"]["network"]["accuracy"]


def small_accuracies(settings, problem, path, seed):
    """{measure: accuracy} of the small networks."""
    schema = dataset_named(problem.name).schema
    tables = make_problem(pyarrow.parquet.read_table(path), problem.test, schema, schema["target"])
    (column,) = tables.columns
    pixels = [part[column.name].pixels.astype("float32") for part in (tables.train, tables.test)]
    train, test = zip(pixels, (tables.labels.train, tables.labels.test))
    classes = int(tables.labels.test.max()) + 1
    return {
        name: accuracy(SMALL_NETWORKS[name], train, test, classes, seed)
        for name in measures_of(settings)
        if name != NETWORK
    }


def measure(settings, problem, epsilon, seeds):
    """Rows {"dataset", "epsilon", "release", "style", measure: accuracy in %...}."""
    rows = []
    for seed in range(1, seeds + 1):
        for style, path in draw(settings, problem, epsilon, seed).items():
            found = {NETWORK: network_accuracy(settings, problem, path, seed)}
            found |= small_accuracies(settings, problem, path, seed)
            row = {"dataset": problem.name, "epsilon": epsilon, "release": seed, "style": style}
            rows.append({**row, **{measure: 100 * found[measure] for measure in measures_of(settings)}})
    return rows


def values_of(rows, dataset, epsilon, style, measure):
    wanted = (dataset, epsilon, style)
    return [row[measure] for row in rows if (row["dataset"], row["epsilon"], row["style"]) == wanted and measure in row]


def prototype(dataset, epsilon, style, measure):
    """In words; nothing where it was not measured."""
    if epsilon not in EPSILONS or (dataset, style, measure) not in PROTOTYPE:
        return ""
    return f"{PROTOTYPE[dataset, style, measure][EPSILONS.index(epsilon)]:.1f}"


def text_of(rows, measures):
    lines = [["dataset", "epsilon", "style", *(f"{MEASURES[measure]}, prototype" for measure in measures)]]
    for dataset, epsilon, style in dict.fromkeys((row["dataset"], row["epsilon"], row["style"]) for row in rows):
        cells = [
            f"{spread(values_of(rows, dataset, epsilon, style, measure), 2)}, "
            f"{prototype(dataset, epsilon, style, measure) or 'not measured'}"
            for measure in measures
        ]
        lines.append([dataset, f"{epsilon:g}", style, *cells])
    return aligned(lines)


def plot(settings, rows):
    plt = pyplot()
    if plt is None:
        return
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    figure, all_axes = plt.subplots(
        1, len(names), figsize=(1 + 4 * len(names), 3.5), layout="constrained", squeeze=False
    )
    for axes, name in zip(all_axes[0], names):
        measured = list(dict.fromkeys(row["epsilon"] for row in rows if row["dataset"] == name))
        for style in STYLES:
            means = [statistics.fmean(values_of(rows, name, epsilon, style, NETWORK)) for epsilon in measured]
            axes.plot(measured, means, "o-", label=style)
            axes.plot(EPSILONS, PROTOTYPE[name, style, NETWORK], ":", color="grey")
        axes.set_xscale("log")
        axes.set(title=f"{TITLES[name]}; dotted: the prototype", xlabel="epsilon", ylabel="the network's accuracy, %")
        axes.grid(alpha=0.3)
    all_axes[0][0].legend(fontsize=8)
    settings.save(figure, "images-targets")


def measure_name(style, measure, epsilon):
    return f"{style}, {MEASURES[measure]}, epsilon {epsilon:g}"


def run(settings):
    names, missing = images.chosen_sets(settings)
    seeds = settings.seeds_or(SEEDS)
    rows = []
    for name in names:
        problem = images.load(settings, name)
        for epsilon in settings.epsilons or (EPSILONS[-1:] if settings.quick else EPSILONS):
            rows += measure(settings, problem, epsilon, seeds)
            settings.write("images-targets", rows)
            for style in STYLES:
                for key in measures_of(settings):
                    values = values_of(rows, name, epsilon, style, key)
                    settings.kept.add(name, METHOD, measure_name(style, key, epsilon), values)
    print(f"Accuracy on the real test images, %; {seed_words(seeds)}.\n\n{text_of(rows, measures_of(settings))}\n")
    print("\n".join(missing), flush=True)
    plot(settings, rows)
    return findings_of(settings, rows)


def findings_of(settings, rows):
    """Of what the prototype's note has figures."""

    def mean(*key):
        values = values_of(rows, *key)
        return statistics.fmean(values) if values else None

    return [
        Figure(f"{dataset}, {measure_name(style, measure, epsilon)}", mean(dataset, epsilon, style, measure))
        for dataset, style, measure in PROTOTYPE
        if not settings.quick or dataset in QUICK_DATASETS
        for epsilon in (EPSILONS[-1:] if settings.quick else EPSILONS)
    ]


def table(figures):
    """For the documentation: beside each figure the prototype's."""
    lines = [["", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS)]]
    for dataset in DATASETS:
        for style in STYLES:
            for measure, words in MEASURES.items():
                cells = []
                for epsilon in EPSILONS:
                    measured = figures.cell(dataset, METHOD, measure_name(style, measure, epsilon), 2)
                    known = prototype(dataset, epsilon, style, measure)
                    cells.append(f"{measured} ({known})".strip() if known else measured)
                lines.append([f"{TITLES[dataset]}, {style}, {words}", *cells])
    return lines


TABLES = {"images-targets": table}
