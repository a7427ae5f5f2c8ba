"""Table 2 of the paper: twelve classifiers trained on synthetic rows at (1, 1e-5), tested on real ones, on eight datasets."""

from classification import PROTOCOLS, evaluate
from comparison import compare, findings
from methods import METHODS, NOT_AVAILABLE
from paper import TABLE_2

EPSILON = 1
SEEDS = 5
QUICK_SEEDS = 3  # one run's scores of dp-hp have a standard deviation of 0.09: limits around it could not fail


def run(settings):
    seeds = settings.seeds or (QUICK_SEEDS if settings.quick else SEEDS)
    print(f"Epsilon {EPSILON}, {seeds} seed{'s' * (seeds > 1)}.")

    def rows_of(problem):
        return {
            method.name: evaluate(settings, problem, method, EPSILON, seeds)
            for method in METHODS
            if settings.wanted(method.name, settings.methods)
        }

    results = compare(settings, "table2", rows_of, TABLE_2, [name for name in NOT_AVAILABLE if name != "PrivBayes"])
    rows = ("real", "dp-hp", "marginals") if settings.quick else ("real", "dp-hp")
    return findings(settings, results, rows, PROTOCOLS)
