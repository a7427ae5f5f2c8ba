"""What the experiments on images share: image sets, synthetic ones of each method, and accuracies of the twelve
classifiers on the real test images, by the number of images that they were trained on."""

import dataclasses
import statistics
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet

from experiments.lib.bars import Figure
from experiments.lib.classification import at_most, require_scikit_learn
from experiments.lib.datasets import available, dataset_named
from experiments.lib.methods import REAL, chosen, has_real_row, members, of_experiment, synthesize
from experiments.lib.sources import Source, prepare
from experiments.lib.systems import AT_STATED
from experiments.lib.text import pyplot
from mehler.evaluation import CLASSIFIER_NAMES, classifier_scores
from mehler.evaluation.report import protocol_words

DATASETS = ("mnist", "fashion_mnist")
QUICK_DATASETS = ("fashion_mnist",)
QUICK_METHODS = ("images-plain",)  # one, which takes seconds
TITLES = {"mnist": "MNIST", "fashion_mnist": "Fashion-MNIST"}
MEAN = "mean"
EPSILON = 1  # of the paper's figures
# The paper's settings with fewer iterations of three classifiers, which take long otherwise.
PROTOCOL = "capped"
QUICK_ROWS = 1500
QUICK_CLASSIFIERS = ("logistic_regression", "gaussian_nb", "lda")


@dataclasses.dataclass(frozen=True)
class ImageProblem:
    """The real images of a set; in a quick run some of them."""

    name: str
    source: Source
    train: pa.Table
    test: pa.Table
    quick: bool

    @property
    def classifiers(self):
        return QUICK_CLASSIFIERS if self.quick else CLASSIFIER_NAMES

    def accuracies(self, train, records, seed, classifiers=None):
        """{classifier: accuracy on the real test images, "mean": of all}, trained on the beginning of a table."""
        schema = dataset_named(self.name).schema
        names = classifiers or self.classifiers
        scores = classifier_scores(
            train, self.test, schema, schema["target"], names, (seed,), protocol=PROTOCOL, records=records
        )
        summary = scores.summary()
        return {name: spreads["accuracy"].mean for name, spreads in summary.items()}


def sets_of(settings):
    return QUICK_DATASETS if settings.quick else DATASETS


def chosen_sets(settings):
    """The image sets that are asked for and there; and what is missing, in words."""
    require_scikit_learn()
    return available(settings, sets_of(settings), DATASETS)


def load(settings, name):
    source = prepare(settings, name)
    train, test = (pyarrow.parquet.read_table(path) for path in (source.table, source.test))
    if settings.quick:
        train, test = at_most(train, QUICK_ROWS), at_most(test, QUICK_ROWS)
        pyarrow.parquet.write_table(train, source.table)
        pyarrow.parquet.write_table(test, source.test)
        source = dataclasses.replace(source, rows=train.num_rows)
    return ImageProblem(name, source, train, test, settings.quick)


def methods_of(settings, experiment):
    return chosen(settings, QUICK_METHODS) if settings.quick else of_experiment(settings, experiment)


def rows_of(settings, experiment):
    """The methods, and real images first."""
    return [*([REAL] if has_real_row(settings) else []), *methods_of(settings, experiment)]


def training_images(settings, problem, row, epsilon, rows, seeds):
    """(seed, images) of each release of a row of the tables; real images, of which there are no others, once."""
    if row == REAL:
        yield 1, problem.train
        return
    for seed in range(1, seeds + 1):
        path = synthesize(
            settings,
            row,
            problem.source,
            epsilon,
            kept_as=(problem.name, row_name(row, epsilon), measure_part(rows)),
            rows=rows,
            seed=seed,
            preset=dataset_named(problem.name).preset,
            epochs=1 if settings.quick else None,
            quick=settings.quick,
        )
        yield seed, pyarrow.parquet.read_table(path)


def row_name(row, epsilon):
    """Under which figures are kept: budgets other than the paper's are named."""
    return row if row == REAL or epsilon == EPSILON else f"{row}, epsilon {epsilon:g}"


def measure_name(classifier, images):
    return f"{classifier}, {measure_part(images)}, {PROTOCOL}"


def measure_part(images):
    return f"{images} images"


def findings_of(settings, experiment, results, keys):
    """Means over the releases at epsilon 1, and at the budgets that the paper's private GANs state; of what was not
    measured, None. results: {set: {row: {key: accuracies}}}; keys: {what a key is called: key}."""

    def mean(dataset, row, key):
        measured = results.get(dataset, {}).get(row)
        return statistics.fmean(measured[key]) if measured else None

    rows = (REAL, *QUICK_METHODS) if settings.quick else (REAL, *members(experiment), *AT_STATED)
    return [
        Figure(f"{dataset}, {row}, {words}", mean(dataset, row, key))
        for dataset in sets_of(settings)
        for row in rows
        for words, key in keys.items()
    ]


def settings_words():
    return f"Protocol {PROTOCOL}: {protocol_words(PROTOCOL)}."


def plot(settings, name, results, draw):
    """A panel a set, side by side; draw(axes, set, {row: what was measured}) fills one."""
    plt = pyplot()
    if plt is None:
        return
    figure, all_axes = plt.subplots(
        1, len(results), figsize=(1 + 5 * len(results), 4), layout="constrained", squeeze=False
    )
    for axes, (dataset, found) in zip(all_axes[0], results.items()):
        draw(axes, dataset, found)
        axes.set_title(TITLES[dataset])
        axes.grid(alpha=0.3)
    all_axes[0][0].legend(fontsize=7)
    settings.save(figure, name)


@dataclasses.dataclass(frozen=True)
class FigureRun:
    """A figure of the paper: rows of methods and real images, measured on every set."""

    name: str
    words: str  # what is printed first
    measure: Callable  # (problem, row, epsilon) -> {key: accuracies, one a release}
    kept_name: Callable  # key -> what a kept figure is called
    fields: Callable  # (key, accuracy) -> what a row of the CSV file has beside dataset, row and release
    text: Callable  # (set, {row: what was measured}) -> its table

    def results(self, settings):
        """{set: {row: {key: accuracies}}}, printed, written and kept."""
        names, missing = chosen_sets(settings)
        print(f"{self.words} {settings_words()}\n", flush=True)
        results, lines = {}, []
        for name in names:
            problem = load(settings, name)
            found = results[name] = {}
            for epsilon in settings.epsilons or (EPSILON,):
                for row in rows_of(settings, self.name):
                    label = row_name(row, epsilon)
                    if label in found:
                        continue  # real images have no epsilon
                    found[label] = self.measure(problem, row, epsilon)
                    for key, values in found[label].items():
                        settings.kept.add(name, label, self.kept_name(key), values)
                        lines += [
                            {"dataset": name, "row": label, "release": run, **self.fields(key, value)}
                            for run, value in enumerate(values, 1)
                        ]
                    settings.write(self.name, lines)
            print(self.text(name, found), flush=True)
        print("\n".join(missing))
        return results
