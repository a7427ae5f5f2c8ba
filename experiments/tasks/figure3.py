"""Figure 3 of the paper: mean accuracy of the twelve classifiers on the real test images, by the number of synthetic
images that they were trained on, at (1, 1e-5).

On up to 6,000 images, or with --full on up to 60,000, as the paper: then a cell takes hours. Accuracies on the largest
number are kept by classifier too: they are Figure 6.
"""

import statistics

from experiments.lib import images
from experiments.lib.images import MEAN, TITLES
from experiments.lib.paper import FIGURE_3, FIGURE_3_SIZES
from experiments.lib.systems import label_of, rows_of
from experiments.lib.text import aligned, decimals, seed_words, spread

OPTIONS = ("epsilons", "full")
SEEDS = 1
MOST_IMAGES, QUICK_SIZES = 6000, (300, 60)
FOUND_SIZES = (600, 60)  # of which something is expected


def sizes_of(settings):
    """The largest first."""
    if settings.quick:
        return QUICK_SIZES
    return tuple(size for size in FIGURE_3_SIZES if settings.full or size <= MOST_IMAGES)


def measure(settings, problem, row, epsilon, seeds):
    """{(number of images, classifier): accuracies, one a release}, the means alone but for the largest number; all
    numbers of a release are of one sample."""
    sizes, found = sizes_of(settings), {}
    for seed, train in images.training_images(settings, problem, row, epsilon, sizes[0], seeds):
        for size in sizes:
            for name, accuracy in problem.accuracies(train, size, seed).items():
                if name == MEAN or size == sizes[0]:
                    found.setdefault((size, name), []).append(accuracy)
    return found


def means_of(values):
    """{number of images: mean accuracies} of a row."""
    return {size: accuracies for (size, name), accuracies in values.items() if name == MEAN}


def text_of(dataset, sizes, found):
    lines = [[TITLES[dataset], *map(str, sizes)]]
    lines += [[row, *(spread(values[size, MEAN]) for size in sizes)] for row, values in found.items()]
    for (of_dataset, method), values in FIGURE_3.items():
        if of_dataset == dataset:
            known = dict(zip(FIGURE_3_SIZES, values))
            lines.append([f"paper: {method}", *(f"{known[size]:.3f}" for size in sizes)])
    return aligned(lines) + "\n"


def draw(axes, dataset, found):
    for row, values in found.items():
        means = means_of(values)
        axes.plot(list(means), [statistics.fmean(runs) for runs in means.values()], "o-", label=row)
    for method in ("Real", "DP-HP"):
        axes.plot(FIGURE_3_SIZES, FIGURE_3[dataset, method], "k:", alpha=0.5)
        axes.annotate(f"paper: {method}", (FIGURE_3_SIZES[0], FIGURE_3[dataset, method][0]), fontsize=6)
    axes.set_xscale("log")
    axes.set(xlabel="images", ylabel="mean accuracy on real test images")


def run(settings):
    seeds, sizes = settings.seeds_or(SEEDS), sizes_of(settings)
    results = images.FigureRun(
        "figure3",
        f"Mean over the classifiers, {seed_words(seeds)}.",
        measure=lambda problem, row, epsilon: measure(settings, problem, row, epsilon, seeds),
        kept_name=lambda key: images.measure_name(key[1], key[0]),
        fields=lambda key, accuracy: {"images": key[0], "classifier": key[1], "accuracy": accuracy},
        text=lambda name, found: text_of(name, sizes, found),
    ).results(settings)
    images.plot(settings, "figure3", results, draw)
    return findings_of(settings, results)


def findings_of(settings, results):
    sizes = QUICK_SIZES if settings.quick else FOUND_SIZES
    keys = {f"mean accuracy of {size} images": (size, MEAN) for size in sizes}
    return images.findings_of(settings, "figure3", results, keys)


def table(figures, dataset):
    """For the documentation."""
    lines = [[TITLES[dataset], *(f"{size:,}" for size in FIGURE_3_SIZES)]]
    for row in rows_of(figures, (dataset, images.measure_name(MEAN, FOUND_SIZES[0]))):
        cells = [figures.cell(dataset, row, images.measure_name(MEAN, size)) for size in FIGURE_3_SIZES]
        lines.append([label_of(row), *cells])
    for (of_dataset, method), values in FIGURE_3.items():
        if of_dataset == dataset:
            lines.append([f"paper: {method}", *map(decimals, values)])
    return lines


TABLES = {
    "figure3-mnist": lambda figures: table(figures, "mnist"),
    "figure3-fashion": lambda figures: table(figures, "fashion_mnist"),
}
