"""The appendix's table without privacy: what the features and the generator lose, apart from the noise."""

from experiments.lib.classification import PROTOCOLS, evaluate_method
from experiments.lib.comparison import compare, findings, paper_cell, score_cell
from experiments.lib.paper import NON_PRIVATE, TABLE_2
from experiments.lib.text import seed_words

EPSILON = 1e6  # stands for no noise; so large, the guarantee means nothing
SEEDS = 3
ROW = "dp-hp without privacy"


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    print(f"DP-HP has no way to run without noise: epsilon {EPSILON:g} stands for it. {seed_words(seeds)}.")
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
            ROW: evaluate_method(settings, problem, "dp-hp", EPSILON, seeds),
            "dp-hp at 1": evaluate_method(settings, problem, "dp-hp", 1, seeds),
        }

    results = compare(settings, "non-private", rows_of, papers, ("DP-MERF without privacy",))
    return findings(settings, "non-private", results, (ROW,), ("scores",))


def table(figures):
    """For the documentation."""
    lines = [["", ROW, f"published: {ROW}", "paper: DP-HP without privacy"]]
    for dataset, numbers in NON_PRIVATE.items():
        measured = [score_cell(figures, dataset, ROW, protocol) for protocol in PROTOCOLS]
        if any(measured):
            lines.append([dataset, *measured, paper_cell(numbers["DP-HP"])])
    return lines


TABLES = {"non-private": table}
