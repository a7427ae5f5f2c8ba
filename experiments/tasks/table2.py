"""Table 2 of the paper: twelve classifiers trained on synthetic rows at (1, 1e-5), tested on real ones, on eight
datasets; and the appendix's table of the same without privacy."""

from experiments.lib.classification import FEW, PROTOCOLS, evaluate_method, metric_names, row_name
from experiments.lib.comparison import compare, findings, paper_cell, score_cell
from experiments.lib.datasets import dataset_named
from experiments.lib.methods import REAL, chosen, of_experiment
from experiments.lib.paper import NON_PRIVATE, TABLE_2
from experiments.lib.text import seed_words

OPTIONS = ("few_classifiers",)
EPSILON = 1
SEEDS = 5
QUICK_SEEDS = 3  # one run's scores of dp-hp have a standard deviation of 0.09: limits around it could not fail
DATASETS = {dataset: dataset for dataset in TABLE_2} | {
    "creditcard": "creditcard (sample)",
    "covtype": "covtype (68.3 % of the rows)",
}


def paper_rows():
    """{dataset: {row: the paper's numbers}}, those without privacy last."""
    return {
        dataset: numbers | {f"{name} without privacy": values for name, values in NON_PRIVATE[dataset].items()}
        for dataset, numbers in TABLE_2.items()
    }


def run(settings):
    seeds = settings.seeds_or(SEEDS, QUICK_SEEDS)
    print(f"Epsilon {EPSILON}, {seed_words(seeds)}.")
    rows = (REAL, "dp-hp", "marginals") if settings.quick else (REAL, "dp-hp")
    # Of a quick run those alone of which something is expected.
    methods = chosen(settings, rows) if settings.quick else of_experiment(settings, "table2")

    def rows_of(problem):
        return {
            row_name(settings, method): evaluate_method(settings, problem, method, EPSILON, seeds) for method in methods
        }

    results = compare(settings, "table2", rows_of, paper_rows())
    return findings(settings, "table2", results, rows, PROTOCOLS)


def method_table(figures, method):
    """For the documentation: a method's scores in both protocols beside those of real rows and the paper's."""
    lines = [["", "runs", "real", method, "published: real", f"published: {method}", "paper: real", "paper: DP-HP"]]
    for dataset, label in DATASETS.items():
        for some, words in (("", label), (f", {FEW}", f"{label} ({FEW})")):
            rows = [f"{name}{some}" for name in (REAL, method)]
            runs = figures.runs(dataset, rows[1], f"{metric_names(dataset_named(dataset))[0]}, scores")
            if runs:
                scores = [score_cell(figures, dataset, name, way) for way in PROTOCOLS for name in rows]
                paper = [paper_cell(TABLE_2[dataset][name]) for name in ("Real", "DP-HP")]
                lines.append([words, runs, *scores, *paper])
    return lines


TABLES = {
    "table2-dp-hp": lambda figures: method_table(figures, "dp-hp"),
    "table2-marginals": lambda figures: method_table(figures, "marginals"),
}
