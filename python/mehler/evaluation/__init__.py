"""Train on synthetic records, test on real ones: how much a synthetic table is worth to a classifier.

Privacy: everything here reads real records without noise. No guarantee covers the figures; they are for the owner of
the data.
"""

from mehler.evaluation.errors import EvaluationError
from mehler.evaluation.results import NO_GUARANTEE, ClassifierScores, ScoreRow, Spread
from mehler.evaluation.scores import CLASSIFIER_NAMES, PROTOCOLS, classifier_scores
from mehler.evaluation.tables import read_schema, read_table

__all__ = [
    "CLASSIFIER_NAMES",
    "NO_GUARANTEE",
    "PROTOCOLS",
    "ClassifierScores",
    "EvaluationError",
    "ScoreRow",
    "Spread",
    "classifier_scores",
    "read_schema",
    "read_table",
]
