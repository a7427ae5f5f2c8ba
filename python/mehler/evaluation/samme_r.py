"""AdaBoost with real-valued predictions (SAMME.R), which scikit-learn had until version 1.5 and the paper used."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from mehler.evaluation.stumps import stump_table

# Fewer take no time either way, and keep scikit-learn's choice among equal splits.
MANY_FEATURES = 100


class SammeRClassifier(ClassifierMixin, BaseEstimator):
    """Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost" (2009), algorithm 4, over trees with one split.

    Each tree's class probabilities p vote with (K - 1)(log p - mean log p); weights grow by
    exp(-learning_rate (K - 1)/K y' log p) with y' = 1 for the true class and -1/(K - 1) for the others. Trees are
    scikit-learn's, or, where there are many features, those of stumps.py.
    """

    def __init__(self, n_estimators=50, learning_rate=1.0, random_state=None):
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X, y):
        random = check_random_state(self.random_state)
        self.classes_, codes = np.unique(y, return_inverse=True)
        count = len(self.classes_)
        coding = np.where(codes[:, None] == np.arange(count), 1.0, -1.0 / (count - 1))
        weights = np.full(len(codes), 1.0 / len(codes))
        smallest = np.finfo(np.float64).eps
        table = stump_table(X, codes, count) if X.shape[1] >= MANY_FEATURES else None
        self.estimators_ = []
        for _ in range(self.n_estimators):
            if table is not None:
                tree = table.best(weights)
            else:
                tree = DecisionTreeClassifier(max_depth=1, random_state=random.randint(2**31 - 1))
                tree.fit(X, codes, sample_weight=weights)
            self.estimators_.append(tree)
            log_shares = _log_shares(tree, X)
            if weights @ (log_shares.argmax(axis=1) != codes) <= 0:
                break  # the tree makes no error: nothing is left to learn
            # The largest exponent is taken out: with a large learning rate the weights overflow otherwise.
            exponents = np.log(weights) - self.learning_rate * (count - 1) / count * (coding * log_shares).sum(axis=1)
            weights = np.exp(exponents - exponents.max())
            weights = np.clip(weights / weights.sum(), smallest, None)
        return self

    def decision_function(self, X):
        votes = sum(self._vote(tree, X) for tree in self.estimators_) / len(self.estimators_)
        return votes[:, 1] - votes[:, 0] if len(self.classes_) == 2 else votes

    def predict(self, X):
        decision = self.decision_function(X)
        return self.classes_[(decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)]

    def _vote(self, tree, X):
        log_shares = _log_shares(tree, X)
        return (len(self.classes_) - 1) * (log_shares - log_shares.mean(axis=1, keepdims=True))


def _log_shares(tree, X):
    return np.log(np.clip(tree.predict_proba(X), np.finfo(np.float64).eps, None))
