"""The appendix's table without privacy: what the features and the generator lose, apart from the noise."""

from classification import evaluate
from comparison import compare, findings
from methods import method_named
from paper import NON_PRIVATE, TABLE_2

EPSILON = 1e6  # stands for no noise; so large, the guarantee means nothing
SEEDS = 3
ROW = "dp-hp without privacy"


def run(settings):
    seeds = settings.seeds or (1 if settings.quick else SEEDS)
    print(f"DP-HP has no way to run without noise: epsilon {EPSILON:g} stands for it. {seeds} seed{'s' * (seeds > 1)}.")
    papers = {
        dataset: {
            "Real": TABLE_2[dataset]["Real"],
            **{f"{name} without privacy": values for name, values in numbers.items()},
            "DP-HP at 1": TABLE_2[dataset]["DP-HP"],
        }
        for dataset, numbers in NON_PRIVATE.items()
    }

    def rows_of(problem):
        return {
            ROW: evaluate(settings, problem, method_named("dp-hp"), EPSILON, seeds),
            "dp-hp at 1": evaluate(settings, problem, method_named("dp-hp"), 1, seeds),
        }

    results = compare(settings, "non-private", rows_of, papers, ("DP-MERF without privacy",))
    return findings(settings, results, (ROW,), ("scores",))
