"""Four classifiers that hundreds of columns leave time for: what a synthetic table holds for one who predicts."""

import statistics
import warnings

from mehler.evaluation.features import CODES, ONE_HOT, encode
from mehler.evaluation.problem import make_problem

METRICS = ("roc_auc", "average_precision")
BOOSTING_ROUNDS = 60


def estimators(facts, seed):
    """(encoding, estimator): three with the settings of mehler.evaluation, XGBoost with histograms in the place of
    exact splits, and scikit-learn's boosting on histograms. Without xgboost three."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    from mehler.evaluation import settings

    names = ["logistic_regression", "random_forest"] + ["xgboost"] * settings.xgboost_is_installed()
    found = [(settings.ENCODINGS[name], settings.PAPER[name].make(facts, seed)) for name in names]
    for _, estimator in found[2:]:
        estimator.set_params(tree_method="hist")
    return [*found, (CODES, HistGradientBoostingClassifier(max_iter=BOOSTING_ROUNDS, random_state=seed))]


def mean_scores(train, test, schema, seed):
    """{metric: mean over the classifiers}, trained on one table and tested on the other."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    from mehler.evaluation.settings import TrainingFacts

    problem = make_problem(train, test, schema, schema["target"])
    features = {
        encoding: encode(problem.columns, problem.train, problem.test, encoding, "standardised")
        for encoding in (ONE_HOT, CODES)
    }
    positive = problem.labels.train.mean()
    facts = TrainingFacts([1 - positive, positive], features[CODES].train.shape[1], 0)
    found = {metric: [] for metric in METRICS}
    for encoding, estimator in estimators(facts, seed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # iterations that end before they converge are part of the settings
            estimator.fit(features[encoding].train, problem.labels.train)
        scores = estimator.predict_proba(features[encoding].test)[:, 1]
        found["roc_auc"].append(roc_auc_score(problem.labels.test, scores))
        found["average_precision"].append(average_precision_score(problem.labels.test, scores))
    return {metric: statistics.fmean(values) for metric, values in found.items()}
