"""Classification: synthetic rows train the classifiers, real ones test them, in two protocols."""

import dataclasses
import importlib.util
import statistics

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from experiments.lib.datasets import Dataset, MissingData, available, dataset_named, names
from experiments.lib.methods import synthesize
from experiments.lib.sources import Source, prepare
from mehler.evaluation import classifier_scores

PROTOCOLS = ("scores", "published")
# Of a table for classifiers: some of the twelve, and of the many settings that were published, would take hours with
# more.
MOST_ROWS = {"scores": 20000, "published": 5000}
QUICK_ROWS = 2000
QUICK_CLASSIFIERS = ("logistic_regression", "random_forest", "xgboost")
FEW_CLASSIFIERS = (*QUICK_CLASSIFIERS, "decision_tree")
FEW = "four classifiers"  # what is added to the name of a row of them


def members(settings, experiment):
    """The datasets of an experiment, and of a quick run of it: those that say so."""
    found = [dataset for dataset in map(dataset_named, names()) if experiment in dataset.experiments]
    return [dataset.name for dataset in found if dataset.quick or not settings.quick]


def require_scikit_learn():
    if importlib.util.find_spec("sklearn") is None:
        raise MissingData(
            "The classifiers need scikit-learn, which is not installed: "
            "experiments/run installs it where it can reach PyPI."
        )


def chosen_datasets(settings, experiment):
    """The datasets that are asked for and there, any with a target; and what is missing, in words."""
    require_scikit_learn()
    with_target = [name for name in names() if "target" in dataset_named(name).schema]
    return available(settings, members(settings, experiment), with_target)


def metric_names(dataset):
    """The paper's: ROC and PRC of two classes, F1 of more."""
    schema = dataset.schema
    target = next(column for column in schema["columns"] if column["name"] == schema["target"])
    return ("f1_weighted",) if len(target.get("categories", "01")) > 2 else ("roc_auc", "average_precision")


def at_most(table, rows, seed=1):
    """A random sample of so many rows, always the same; the table itself where it has no more."""
    if table.num_rows <= rows:
        return table
    return table.take(np.random.default_rng(seed).permutation(table.num_rows)[:rows])


def thin(table, target, shares):
    """Keeps a share of the rows of a class."""
    keep = np.ones(table.num_rows, bool)
    labels = np.array(table[target].to_pylist(), object)
    random = np.random.default_rng(1)
    for label, share in shares.items():
        keep[labels == label] = random.random(int((labels == label).sum())) < share
    return table.filter(pa.array(keep))


@dataclasses.dataclass
class Problem:
    """The real tables of a dataset, and how they are scored."""

    dataset: Dataset
    source: Source
    train: pa.Table
    test: pa.Table
    classifiers: tuple | None  # None: all twelve

    def shares(self):
        """Shares of the classes to keep; a number of rows stands for their share of the whole dataset."""
        target = self.dataset.schema["target"]
        labels = self.train[target].to_pylist() + self.test[target].to_pylist()
        thinned = self.dataset.thinned
        return {label: kept if kept <= 1 else kept / labels.count(label) for label, kept in thinned.items()}

    def score(self, train, seed, protocol):
        """{metric: mean over the classifiers} and the scores of all, after training on a table."""
        schema = self.dataset.schema
        tables = [train, self.test]
        if protocol == "published":
            tables = [thin(table, schema["target"], self.shares()) for table in tables]
        tables = [at_most(table, MOST_ROWS[protocol]) for table in tables]
        scores = classifier_scores(
            *tables, schema, schema["target"], classifiers=self.classifiers, seeds=(seed,), protocol=protocol
        )
        found = {
            metric: statistics.fmean(row.metrics[metric] for row in scores.rows if row.metrics)
            for metric in metric_names(self.dataset)
        }
        return found, scores


def classifiers_of(settings):
    """Some of the twelve, or None for all."""
    if settings.quick:
        return QUICK_CLASSIFIERS
    return FEW_CLASSIFIERS if settings.few_classifiers else None


def classifiers_words(settings):
    """How many there are, before "classifiers"."""
    some = classifiers_of(settings)
    return f"{len(some)} of the twelve" if some else "twelve"


def row_name(settings, row):
    """Under which a row is kept: few classifiers are named."""
    return f"{row}, {FEW}" if settings.few_classifiers and not settings.quick else row


def load(settings, name):
    """The tables of a dataset; in a quick run some of their rows."""
    source = prepare(settings, name)
    if source.test is None:
        raise MissingData(f"{name} has no test rows: nothing to test classifiers on")
    train, test = (pyarrow.parquet.read_table(path) for path in (source.table, source.test))
    if settings.quick:
        train, test = at_most(train, QUICK_ROWS), at_most(test, QUICK_ROWS)
        pyarrow.parquet.write_table(train, source.table)
        source = dataclasses.replace(source, rows=train.num_rows)
    return Problem(dataset_named(name), source, train, test, classifiers_of(settings))


def synthetic_rows(settings, problem, method, epsilon, seed):
    path = synthesize(
        settings,
        method,
        problem.source,
        epsilon,
        kept_as=(problem.dataset.name, row_name(settings, method), ""),
        rows=problem.source.rows,
        seed=seed,
        preset=problem.dataset.preset,
        epochs=10 if settings.quick else None,
        quick=settings.quick,
    )
    return pyarrow.parquet.read_table(path)


def evaluate(problem, seeds, training_rows):
    """Rows {"protocol", "seed", "classifier", "note", metric...}. training_rows(seed): what the classifiers are trained
    on."""
    found = []
    for seed in range(1, seeds + 1):
        train = training_rows(seed)
        for protocol in PROTOCOLS:
            means, scores = problem.score(train, seed, protocol)
            run = {"protocol": protocol, "seed": seed}
            found.append({**run, "classifier": "mean", "note": "; ".join(scores.notes), **means})
            found += [
                {
                    **run,
                    "classifier": row.classifier,
                    "note": row.note,
                    **{metric: row.metrics.get(metric) for metric in means},
                }
                for row in scores.rows
            ]
    return found


def evaluate_real(problem):
    return evaluate(problem, 1, lambda seed: problem.train)


def evaluate_method(settings, problem, method, epsilon, seeds):
    return evaluate(problem, seeds, lambda seed: synthetic_rows(settings, problem, method, epsilon, seed))


def means(rows, protocol, metric):
    """The means over the classifiers, one a seed."""
    return [row[metric] for row in rows if row["protocol"] == protocol and row["classifier"] == "mean"]
