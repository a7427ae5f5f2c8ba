"""classifier_scores: trains classifiers on one table, tests them on another."""

from collections.abc import Callable, Sequence

from mehler import Schema
from mehler.evaluation.errors import EvaluationError, require_known
from mehler.evaluation.features import RAW, encode
from mehler.evaluation.problem import make_problem
from mehler.evaluation.results import ClassifierScores, ScoreRow

CLASSIFIER_NAMES = (
    "logistic_regression",
    "gaussian_nb",
    "bernoulli_nb",
    "linear_svc",
    "decision_tree",
    "lda",
    "adaboost",
    "bagging",
    "random_forest",
    "gradient_boosting",
    "mlp",
    "xgboost",
)
PROTOCOLS = ("scores", "capped", "published")
SCALINGS = ("standardised", "bounds")
_LARGEST_SEED = 10**7


def _require_scikit_learn():
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise EvaluationError(
            "the classifiers need scikit-learn (and xgboost for one of them), which is not installed; in a clone run "
            "scripts/classifiers, elsewhere: pip install 'mehler[evaluation]'"
        ) from None


def _require_options(classifiers, seeds, protocol, scaling, workers, records):
    require_known(protocol, PROTOCOLS, "protocol")
    require_known(scaling, SCALINGS, "scaling")
    for name in classifiers:
        require_known(name, CLASSIFIER_NAMES, "classifier")
    if not classifiers or len(set(classifiers)) != len(classifiers):
        raise EvaluationError("classifiers must be one or more names, each once")
    is_seed = [isinstance(seed, int) and 0 <= seed <= _LARGEST_SEED for seed in seeds]
    if not seeds or len(set(seeds)) != len(seeds) or not all(is_seed):
        raise EvaluationError(f"seeds must be one or more different whole numbers from 0 to {_LARGEST_SEED}")
    if workers is not None and not (isinstance(workers, int) and workers >= 1):
        raise EvaluationError("workers must be a whole number of at least 1, or None for all cores")
    if records is not None and not (isinstance(records, int) and records >= 1):
        raise EvaluationError("records must be a whole number of at least 1, or None for all of the train table")


def _run_all(tasks, features_of, problem, protocol, workers, progress):
    """The outcomes by task. Worker processes share the matrices through memory maps."""
    import joblib

    from mehler.evaluation.tasks import run_task

    outcomes = {}
    if progress:
        progress(0, len(tasks))
    workers = min(workers or joblib.cpu_count(), max(len(tasks), 1))
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1) if workers > 1 else joblib.parallel_config():
        pool = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
        calls = (
            joblib.delayed(run_task)(task, features_of(task.classifier), problem.labels, protocol) for task in tasks
        )
        for outcome in pool(calls):
            outcomes[outcome.task] = outcome
            if progress:
                progress(len(outcomes), len(tasks))
    return outcomes


def _row(classifier, seed, outcomes):
    """The best of each metric over the settings; the scores protocol has one setting."""
    best = {}
    for outcome in outcomes:
        for metric, value in outcome.metrics.items():
            best[metric] = max(value, best.get(metric, 0.0))
    failed = [outcome.problem for outcome in outcomes if outcome.problem]
    if not failed:
        return ScoreRow(classifier, seed, best)
    how_many = "could not be trained" if not best else f"{len(failed)} of {len(outcomes)} settings could not be trained"
    return ScoreRow(classifier, seed, best, f"{how_many} ({', '.join(sorted(set(failed)))})")


def classifier_scores(
    train,
    test,
    schema: Schema | dict,
    target: str,
    classifiers: Sequence[str] | None = None,
    seeds: Sequence[int] = (0,),
    protocol: str = "scores",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    positive: str | None = None,
    scaling: str = "standardised",
    records: int | None = None,
) -> ClassifierScores:
    """Trains the paper's classifiers on `train` and tests them on `test`, tables of one mehler schema.

    train, test   frames of pandas, polars, pyarrow or whatever else mehler takes. Records whose target is missing are
                  left out; values that the schema does not allow count as missing.
    schema        a mehler.Schema, or what a schema file says, as a dict
    target        a categorical, ordinal or boolean column. Two categories in the schema: roc_auc, average_precision
                  and accuracy; more: f1_weighted and accuracy.
    classifiers   of CLASSIFIER_NAMES; all twelve by default. Without xgboost its row says "not available".
    seeds         of the classifiers' random draws; a seed gives the same figures for any number of workers.
    protocol      "scores": the settings of the paper's appendix; roc_auc and average_precision from decision functions
                  or probabilities. "published": what the paper's tables have: hard predictions in their place, and the
                  best of each metric over the settings its authors searched, chosen by the test table. Too high, and
                  not comparable with "scores". For tables: refused where there are images. "capped": "scores" with
                  fewer iterations of the three classifiers that take long with many images (settings.CAPS).
    workers       processes; by default all cores.
    progress      progress(done, total) is called as trainings end.
    positive      the class that average_precision is about; by default the rarer one of `test`.
    scaling       of numbers under "scores": "standardised", or "bounds": the declared bounds to [0, 1] (as the pixels of
                  an image column always are).
    records       train on the first so many records of an order in which the classes take turns; None: on all.

    Raises mehler.Error for input that cannot be scored; docs/guide/evaluation.md describes the encoding.

    Privacy: reads real records without noise. No guarantee covers the result; it is for the data's owner.
    """
    _require_scikit_learn()
    from mehler.evaluation import settings
    from mehler.evaluation.tasks import PUBLISHED, Task, metric_names, settings_of

    classifiers = list(CLASSIFIER_NAMES if classifiers is None else classifiers)
    seeds = [int(seed) if hasattr(seed, "__index__") else seed for seed in seeds]
    _require_options(classifiers, seeds, protocol, scaling, workers, records)
    problem = make_problem(train, test, schema, target, positive)
    if problem.has_images and protocol == PUBLISHED:
        raise EvaluationError(
            "protocol published is that of the paper's tables; with images the paper has one setting a classifier: "
            "choose scores or capped"
        )
    if records is not None:
        problem = problem.beginning(records)
    is_binary = problem.labels.is_binary

    available = [name for name in classifiers if name != "xgboost" or settings.xgboost_is_installed()]
    encoding_of = {name: RAW if protocol == PUBLISHED else settings.ENCODINGS[name] for name in available}
    matrices = {
        encoding: encode(problem.columns, problem.train, problem.test, encoding, scaling)
        for encoding in set(encoding_of.values())
    }

    def tasks_of(name, seed):
        """With one setting that draws nothing, all seeds have the task of the first."""
        is_same = protocol != PUBLISHED and name in settings.DETERMINISTIC
        return [
            Task(name, place, seeds[0] if is_same else seed)
            for place in range(len(settings_of(name, protocol, is_binary)))
        ]

    order = {name: place for place, name in enumerate(settings.SLOWEST_FIRST)}
    tasks = {task for name in available for seed in seeds for task in tasks_of(name, seed)}
    tasks = sorted(
        tasks, key=lambda task: (order.get(task.classifier, len(order)), task.seed, task.place, task.classifier)
    )
    outcomes = _run_all(tasks, lambda name: matrices[encoding_of[name]], problem, protocol, workers, progress)

    rows = []
    for name in classifiers:
        for seed in seeds:
            if name in available:
                rows.append(_row(name, seed, [outcomes[task] for task in tasks_of(name, seed)]))
            else:
                rows.append(ScoreRow(name, seed, {}, "not available: xgboost is not installed"))
    return ClassifierScores(
        rows, metric_names(is_binary), protocol, problem.positive, problem.notes, len(problem.labels.train)
    )
