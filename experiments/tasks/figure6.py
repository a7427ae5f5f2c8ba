"""Figure 6 of the paper: accuracy of each of the twelve classifiers on the real test images, trained on synthetic ones
at (1, 1e-5).

On 6,000 synthetic images, beside the paper's means of as many, or with --full on 60,000, beside its accuracies. One
cell: PYTHONPATH=build/release/python python -m experiments figure6 --datasets mnist --methods images-plain
"""

import statistics

from experiments.lib import images
from experiments.lib.images import MEAN, TITLES
from experiments.lib.paper import FIGURE_3, FIGURE_3_SIZES, FIGURE_6
from experiments.lib.systems import label_of, rows_of
from experiments.lib.text import aligned, decimals, seed_words, spread
from mehler.evaluation import CLASSIFIER_NAMES

OPTIONS = ("epsilons", "full")
SOURCES = ("figure6", "figure3")  # whose largest number of images is this figure
SEEDS = 1
IMAGES, FULL_IMAGES, QUICK_IMAGES = 6000, 60000, 500


def images_of(settings):
    return QUICK_IMAGES if settings.quick else FULL_IMAGES if settings.full else IMAGES


def measure(settings, problem, row, epsilon, seeds):
    """{classifier: accuracies, one a release}."""
    count, found = images_of(settings), {}
    for seed, train in images.training_images(settings, problem, row, epsilon, count, seeds):
        for name, accuracy in problem.accuracies(train, count, seed).items():
            found.setdefault(name, []).append(accuracy)
    return found


def paper_columns(dataset, count):
    """The paper's, by the number of images: of 60,000 by classifier, of fewer the means alone."""
    if count == FULL_IMAGES:
        found = FIGURE_6
    elif count in FIGURE_3_SIZES:
        place = FIGURE_3_SIZES.index(count)
        found = {key: {MEAN: means[place]} for key, means in FIGURE_3.items()}
    else:
        found = {}
    return {f"paper: {method}": numbers for (of_dataset, method), numbers in found.items() if of_dataset == dataset}


def text_of(dataset, count, found):
    paper = paper_columns(dataset, count)
    lines = [[TITLES[dataset], *found, *paper]]
    for name in [*CLASSIFIER_NAMES, MEAN]:
        measured = [spread(values[name]) if name in values else "" for values in found.values()]
        published = [f"{numbers[name]:.3f}" if name in numbers else "" for numbers in paper.values()]
        if any(measured):
            lines.append([name, *measured, *published])
    return aligned(lines) + "\n"


def draw(axes, dataset, found):
    names = list(next(iter(found.values())))
    for row, values in found.items():
        axes.plot(names, [statistics.fmean(values[name]) for name in names], "o-", label=row)
    axes.tick_params("x", rotation=60, labelsize=7)
    axes.set_ylabel("accuracy on real test images")


def run(settings):
    seeds, count = settings.seeds_or(SEEDS), images_of(settings)
    results = images.FigureRun(
        "figure6",
        f"Trained on {count:,} images, {seed_words(seeds)}.",
        measure=lambda problem, row, epsilon: measure(settings, problem, row, epsilon, seeds),
        kept_name=lambda classifier: images.measure_name(classifier, count),
        fields=lambda classifier, accuracy: {"classifier": classifier, "accuracy": accuracy},
        text=lambda name, found: text_of(name, count, found),
    ).results(settings)
    images.plot(settings, "figure6", results, draw)
    return findings_of(settings, results)


def findings_of(settings, results):
    return images.findings_of(settings, "figure6", results, {"mean accuracy": MEAN})


def table(figures, dataset, count):
    """For the documentation: a row a system, a column a classifier."""
    classifiers = [*CLASSIFIER_NAMES, MEAN]
    lines = [[TITLES[dataset], *(name.replace("_", " ") for name in classifiers)]]
    for row in rows_of(figures, (dataset, images.measure_name(MEAN, count))):
        cells = [figures.cell(dataset, row, images.measure_name(name, count)) for name in classifiers]
        lines.append([label_of(row), *cells])
    for name, numbers in paper_columns(dataset, count).items():
        lines.append([name, *(decimals(numbers[of]) if of in numbers else "" for of in classifiers)])
    return lines


TABLES = {
    "figure6-mnist": lambda figures: table(figures, "mnist", IMAGES),
    "figure6-fashion": lambda figures: table(figures, "fashion_mnist", IMAGES),
}
