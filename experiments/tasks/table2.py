"""Table 2 of the paper: twelve classifiers trained on synthetic rows at (1, 1e-5), tested on real ones, on eight datasets."""

from classification import PROTOCOLS, evaluate
from comparison import compare, findings
from methods import METHODS, NOT_AVAILABLE
from paper import TABLE_2

EPSILON = 1
SEEDS = 5


def run(settings):
    seeds = settings.seeds or (1 if settings.quick else SEEDS)
    print(f"Epsilon {EPSILON}, {seeds} seed{'s' * (seeds > 1)}.")

    def rows_of(problem):
        return {
            method.name: evaluate(settings, problem, method, EPSILON, seeds)
            for method in METHODS
            if settings.wanted(method.name, settings.methods)
        }

    results = compare(settings, "table2", rows_of, TABLE_2, [name for name in NOT_AVAILABLE if name != "PrivBayes"])
    return findings(settings, results, ("real", "dp-hp"), PROTOCOLS)
