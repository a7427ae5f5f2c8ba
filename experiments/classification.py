"""What Table 2 and the table without privacy share: train classifiers on synthetic rows, test them on real ones."""

import dataclasses
import importlib.util
import pathlib
import statistics
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from datasets import BY_NAME, MissingData
from findings import aligned, spread
from methods import Source, synthesize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

from mehler.evaluation import classifier_scores  # noqa: E402

PROTOCOLS = ("scores", "published")
MOST_ROWS = 20000  # of a table for classifiers: some of the twelve would take hours with more
QUICK_CLASSIFIERS = ("logistic_regression", "random_forest", "xgboost")


@dataclasses.dataclass(frozen=True)
class Task:
    """A dataset of Table 2. thinned: the share of a class that the authors keep, of training and test rows, before all else."""

    dataset: str
    preset: str
    thinned: dict = dataclasses.field(default_factory=dict)


TASKS = (
    Task("adult", "adult", {"<=50K": 0.4}),
    Task("census", "census", {"- 50000": 0.4}),
    Task("cervical", "cervical", {0: 0.5}),
    # The authors keep a hundredth of 284,315 legitimate payments; that many are a seventh or so of the sample's 22,386.
    Task("creditcard", "credit", {0: 2843}),
    Task("epileptic", "epileptic"),
    Task("isolet", "isolet"),
    Task("covtype", "covtype", {2: 0.3}),
    Task("intrusion", "intrusion", {"dos": 0.3, "u2r": 0}),
)


def metric_names(task):
    """The paper's: ROC and PRC of two classes, F1 of more."""
    schema = BY_NAME[task.dataset].schema
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
    """The real tables of a task, and how they are scored."""

    task: Task
    source: Source
    train: pa.Table
    test: pa.Table
    classifiers: tuple | None  # None: all twelve
    most_rows: int

    def shares(self):
        """Shares of the classes to keep; a number of rows stands for their share of the whole dataset."""
        schema = BY_NAME[self.task.dataset].schema
        labels = self.train[schema["target"]].to_pylist() + self.test[schema["target"]].to_pylist()
        return {label: kept if kept <= 1 else kept / labels.count(label) for label, kept in self.task.thinned.items()}

    def score(self, train, seed, protocol):
        """{metric: mean over the classifiers} and the single rows, after training on a table."""
        schema = BY_NAME[self.task.dataset].schema
        tables = [train, self.test]
        if protocol == "published":
            tables = [thin(table, schema["target"], self.shares()) for table in tables]
        tables = [at_most(table, self.most_rows) for table in tables]
        scores = classifier_scores(*tables, schema, schema["target"], classifiers=self.classifiers, seeds=(seed,), protocol=protocol)
        found = {metric: statistics.fmean(row.metrics[metric] for row in scores.rows if row.metrics) for metric in metric_names(self.task)}
        return found, scores.rows


def load(settings, task, rows=None):
    """Prepares a dataset, or some rows of it."""
    paths = BY_NAME[task.dataset].prepare(settings.folder)
    tables = {name: pyarrow.parquet.read_table(path) for name, path in paths.items()}
    if rows:
        tables = {name: at_most(table, rows) for name, table in tables.items()}
        pyarrow.parquet.write_table(tables["train"], paths["train"])
    paths["test"].unlink()
    source = Source(paths["train"], tables["train"].num_rows, BY_NAME[task.dataset].schema_path, task.preset)
    return Problem(task, source, tables["train"], tables["test"], QUICK_CLASSIFIERS if settings.quick else None,
                   rows or MOST_ROWS)


def evaluate(settings, problem, method, epsilon, seeds, protocols=PROTOCOLS, more=()):
    """Rows {"protocol", "seed", "classifier", metric...} of a method; method None: trained on the real rows."""
    found = []
    for seed in range(1, seeds + 1):
        train = problem.train
        if method is not None:
            train = pyarrow.parquet.read_table(synthesize(settings, method, problem.source, epsilon, seed, more))
        for protocol in protocols:
            means, rows = problem.score(train, seed, protocol)
            found.append({"protocol": protocol, "seed": seed, "classifier": "mean", **means})
            found += [{"protocol": protocol, "seed": seed, "classifier": row.classifier,
                       **{metric: row.metrics.get(metric) for metric in means}} for row in rows]
    return found


def means(rows, protocol, metric):
    """The means over the classifiers, one a seed."""
    return [row[metric] for row in rows if row["protocol"] == protocol and row["classifier"] == "mean"]


def chosen_tasks(settings, quick):
    """The tasks that are asked for and whose data is there; and what is missing, in words."""
    if importlib.util.find_spec("sklearn") is None:
        raise MissingData("The classifiers need scikit-learn, which is not installed: experiments/run installs it where it can reach PyPI.")
    tasks = [task for task in TASKS if settings.wanted(task.dataset, settings.datasets)]
    if settings.quick and not settings.datasets:
        tasks = [task for task in tasks if task.dataset in quick]
    if not tasks:
        raise MissingData(f"none of the datasets is one of this experiment: {', '.join(task.dataset for task in TASKS)}")
    missing = [BY_NAME[task.dataset].explanation() for task in tasks if BY_NAME[task.dataset].missing()]
    if len(missing) == len(tasks):
        raise MissingData("\n".join(missing))
    return [task for task in tasks if not BY_NAME[task.dataset].missing()], missing


def text_of(task, found, paper, protocols=PROTOCOLS, absent=()):
    """A dataset's table. found: {row: rows of evaluate}; paper: {row: its numbers}, which are of the published protocol."""
    metrics = metric_names(task)
    columns = [(protocol, metric) for protocol in protocols for metric in metrics]
    lines = [["", *(f"{protocol} {metric}" for protocol, metric in columns)]]
    lines += [[name, *(spread(means(rows, *column)) for column in columns)] for name, rows in found.items()]
    lines += [[f"paper's {name}", *(f"{values[metrics.index(metric)]:.3f}" if protocol == "published" else ""
                                    for protocol, metric in columns)] for name, values in paper.items()]
    lines += [[name, "not available", *("" for _ in columns[1:])] for name in absent]
    remark = BY_NAME[task.dataset].remark()
    return f"{task.dataset}{f' ({remark})' if remark else ''}\n{aligned(lines)}\n"


def csv_rows(dataset, found):
    """Rows of a CSV file; all datasets have the same columns."""
    return [{"dataset": dataset, "method": method, **{name: row[name] for name in ("protocol", "seed", "classifier")},
             **{metric: f"{row[metric]:.6f}" if row.get(metric) is not None else "" for metric in ("roc_auc", "average_precision", "f1_weighted")}}
            for method, rows in found.items() for row in rows]


def plot(settings, plt, results, papers, name):
    """A panel a dataset: mean scores of each row in both protocols, the paper's beside."""
    across = min(4, len(results))
    down = -(-len(results) // across)
    figure, all_axes = plt.subplots(down, across, figsize=(1 + 3.4 * across, 0.5 + 3.4 * down), layout="constrained", squeeze=False)
    for axes in all_axes.flat[len(results):]:
        axes.remove()
    for axes, (task, found) in zip(all_axes.flat, results):
        metric = metric_names(task)[0]
        labels = list(found)
        for protocol, marker in zip(PROTOCOLS, "os"):
            points = [(place, value) for place, rows in enumerate(found.values()) for value in means(rows, protocol, metric)]
            if points:
                axes.plot(*zip(*points), marker, alpha=0.7, label=protocol)
        for label, values in papers[task.dataset].items():
            axes.plot(len(labels), values[0], "k_", ms=12)
            axes.annotate(label, (len(labels), values[0]), xytext=(-9, -2), textcoords="offset points", fontsize=6, ha="right")
        axes.set_xticks(range(len(labels) + 1), [*labels, "paper"], rotation=30, fontsize=7, ha="right")
        axes.set_title(f"{task.dataset}: {metric}", fontsize=9)
        axes.grid(alpha=0.3)
    all_axes.flat[0].legend(fontsize=7)
    settings.save(figure, name)


def clean(settings):
    """Takes tables with records out of the results."""
    for name in ("train.parquet", "test.parquet", "synthetic.parquet", "synthetic.release", "synthetic.mehler"):
        (settings.folder / name).unlink(missing_ok=True)
