"""The paper's twelve classifiers, as its appendix sets them, in the words of today's scikit-learn and xgboost.

The paper has scikit-learn 0.24.2 and xgboost 0.90 and keeps their defaults for what it does not list. Where a default
has changed since, or a word is gone, the old meaning is written out here:

logistic_regression  multi_class "auto" is what lbfgs does now without saying.
linear_svc           dual=True was the default (hinge loss has no other form).
lda                  n_components=9 is for ten classes; at most classes - 1 is allowed. No effect on predictions.
adaboost             SAMME.R is gone from scikit-learn 1.6; samme_r.py has it.
gradient_boosting    the loss "deviance" is now "log_loss".
xgboost              0.90 had max_depth 3, learning_rate 0.1, base_score 0.5 and exact splits; now 6, 0.3, estimated and
                     histograms. "multi:softprob" is for three classes and more; two take "binary:logistic".
"""

import importlib.util
from dataclasses import dataclass

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mehler.evaluation.features import CODES, ONE_HOT
from mehler.evaluation.samme_r import SammeRClassifier


@dataclass(frozen=True)
class TrainingFacts:
    """What some settings depend on."""

    class_shares: np.ndarray
    feature_count: int
    feature_mean: float

    @property
    def class_count(self):
        return len(self.class_shares)


@dataclass(frozen=True)
class Setting:
    """An estimator and its parameters; those that are functions are of the TrainingFacts."""

    estimator: type
    parameters: dict

    def make(self, facts, random_state):
        """The estimator, single-threaded; `random_state` where it draws and the setting names none."""
        parameters = {name: value(facts) if callable(value) else value for name, value in self.parameters.items()}
        estimator = self.estimator(**parameters)
        known = estimator.get_params(deep=False)
        if "random_state" in known and known["random_state"] is None:
            estimator.set_params(random_state=random_state)
        return estimator


def setting(estimator, **parameters):
    return Setting(estimator, parameters)


def xgboost_is_installed():
    return importlib.util.find_spec("xgboost") is not None


def xgboost_of_the_paper(**parameters):
    """XGBClassifier with the defaults of xgboost 0.90."""
    import xgboost

    defaults = {"max_depth": 3, "learning_rate": 0.1, "base_score": 0.5, "tree_method": "exact", "n_jobs": 1}
    return xgboost.XGBClassifier(**{**defaults, **parameters})


def objective(facts):
    return "binary:logistic" if facts.class_count == 2 else "multi:softprob"


def lda_components(facts):
    return min(9, facts.class_count - 1, facts.feature_count)


# In the paper's order. Trees take codes; the others one-hot features.
ENCODINGS = {
    "logistic_regression": ONE_HOT,
    "gaussian_nb": ONE_HOT,
    "bernoulli_nb": ONE_HOT,
    "linear_svc": ONE_HOT,
    "decision_tree": CODES,
    "lda": ONE_HOT,
    "adaboost": CODES,
    "bagging": CODES,
    "random_forest": CODES,
    "gradient_boosting": CODES,
    "mlp": ONE_HOT,
    "xgboost": CODES,
}

PAPER = {
    "logistic_regression": setting(LogisticRegression, solver="lbfgs", max_iter=5000),
    "gaussian_nb": setting(GaussianNB),
    "bernoulli_nb": setting(BernoulliNB, binarize=0.5),
    "linear_svc": setting(LinearSVC, max_iter=10000, tol=1e-8, loss="hinge", dual=True),
    "decision_tree": setting(DecisionTreeClassifier, class_weight="balanced"),
    "lda": setting(LinearDiscriminantAnalysis, solver="eigen", n_components=lda_components, tol=1e-8, shrinkage=0.5),
    "adaboost": setting(SammeRClassifier, n_estimators=1000, learning_rate=0.7),
    "bagging": setting(BaggingClassifier, max_samples=0.1, n_estimators=20),
    "random_forest": setting(RandomForestClassifier, n_estimators=100, class_weight="balanced"),
    "gradient_boosting": setting(GradientBoostingClassifier, subsample=0.1, n_estimators=50),
    "mlp": setting(MLPClassifier),
    "xgboost": setting(xgboost_of_the_paper, colsample_bytree=0.1, objective=objective, n_estimators=50),
}

# Of protocol "capped": iterations that end earlier, since those of the paper take long on tens of thousands of images.
# Chosen for time alone, as they were for the prototype of method images. All other settings are the paper's.
CAPS = {
    "logistic_regression": {"max_iter": 200},
    "linear_svc": {"max_iter": 60},
    "mlp": {"max_iter": 25},
}
CAPPED = {name: setting(paper.estimator, **{**paper.parameters, **CAPS.get(name, {})}) for name, paper in PAPER.items()}

# Without randomness: one training serves every seed.
DETERMINISTIC = ("logistic_regression", "gaussian_nb", "bernoulli_nb", "lda")
# Those that take longest first, so that cores do not wait at the end.
SLOWEST_FIRST = ("mlp", "linear_svc", "adaboost", "gradient_boosting", "random_forest", "logistic_regression")
