"""Trains one classifier with one setting and scores it: what the worker processes do."""

import warnings
from dataclasses import dataclass

import numpy as np
import threadpoolctl
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score

from mehler.evaluation import published_settings, settings
from mehler.evaluation.features import Features
from mehler.evaluation.problem import Labels

PUBLISHED, CAPPED = "published", "capped"
# Random states of one seed's settings under the published protocol: seed * this + the setting's place.
SETTINGS_PER_SEED = 100


@dataclass(frozen=True)
class Task:
    classifier: str
    place: int  # of the setting, among settings_of()
    seed: int


@dataclass(frozen=True)
class Outcome:
    task: Task
    metrics: dict[str, float]
    problem: str = ""


def settings_of(classifier, protocol, is_binary):
    if protocol == PUBLISHED:
        return (published_settings.TWO_CLASSES if is_binary else published_settings.SEVERAL_CLASSES)[classifier]
    return ((settings.CAPPED if protocol == CAPPED else settings.PAPER)[classifier],)


def metric_names(is_binary):
    return ("roc_auc", "average_precision", "accuracy") if is_binary else ("f1_weighted", "accuracy")


def _scores(estimator, features):
    """Larger where the positive class is likelier: the decision function, or else the probability."""
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(features)
    return estimator.predict_proba(features)[:, 1]


def _measure(truth, predicted, scores, is_binary):
    metrics = {"accuracy": accuracy_score(truth, predicted)}
    if is_binary:
        metrics["roc_auc"] = roc_auc_score(truth, scores)
        metrics["average_precision"] = average_precision_score(truth, scores)
    else:
        metrics["f1_weighted"] = f1_score(truth, predicted, average="weighted", zero_division=0)
    return {name: float(metrics[name]) for name in metric_names(is_binary)}


def _without_learning(labels):
    """What a classifier says that had one class only, or no feature that varies: always the commonest class."""
    commonest = np.bincount(labels.train).argmax()
    return np.full(len(labels.test), commonest), np.zeros(len(labels.test))


def _learnt(features, labels, setting, protocol, random_state):
    classes, codes = np.unique(labels.train, return_inverse=True)  # a class may be absent from the training table
    facts = settings.TrainingFacts(
        np.bincount(codes) / len(codes), features.train.shape[1], float(features.train.mean())
    )
    estimator = setting.make(facts, random_state)
    estimator.fit(features.train, codes)
    predicted = classes[estimator.predict(features.test)]
    if not labels.is_binary:
        return predicted, None
    return predicted, predicted if protocol == PUBLISHED else _scores(estimator, features.test)


def run_task(task: Task, features: Features, labels: Labels, protocol: str) -> Outcome:
    """Never fails for the estimator's reasons: an estimator that cannot be trained is an outcome with a problem."""
    setting = settings_of(task.classifier, protocol, labels.is_binary)[task.place]
    random_state = task.seed * SETTINGS_PER_SEED + task.place if protocol == PUBLISHED else task.seed
    with warnings.catch_warnings(), np.errstate(all="ignore"), threadpoolctl.threadpool_limits(1):
        warnings.simplefilter("ignore")  # iterations that end before they converge are part of the settings
        try:
            if features.train.shape[1] == 0 or labels.train.min() == labels.train.max():
                predicted, scores = _without_learning(labels)
            else:
                predicted, scores = _learnt(features, labels, setting, protocol, random_state)
            return Outcome(task, _measure(labels.test, predicted, scores, labels.is_binary))
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            return Outcome(task, {}, type(error).__name__)
