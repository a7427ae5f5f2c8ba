"""Method marginals: the error of pairs and correlations against epsilon and against the number of records, down to that
of a sample, on a simulated table whose distribution is known.

The figure in docs/methods/ is the one that a full run writes to results/marginals-convergence/. In half a minute:
PYTHONPATH=build/release/python python -m experiments marginals-convergence --seeds 1
"""

import statistics

import numpy as np
import pyarrow.parquet

from experiments.lib import simulated
from experiments.lib.bars import Figure
from experiments.lib.cells import subsets_of
from experiments.lib.correlations import KINDS, correlations, mean_errors, number_names
from experiments.lib.methods import synthesize
from experiments.lib.text import aligned, pyplot, spread

METHOD, SAMPLE = "marginals", "the records themselves"
SEEDS = 5
EPSILONS = (0.1, 0.3, 1, 3, 10, 100, 1000)
RECORDS = (500, 2000, 10000, 50000, 200000)
FIXED_RECORDS, FIXED_EPSILON = 20000, 1  # of the other axis
TRUTH_ROWS, TRUTH_SEED = 2_000_000, 0  # a sample that stands for the distribution; its own error is the smallest of all
CELLS = 16
SCHEMA = simulated.RELATED
NAMES = [column["name"] for column in SCHEMA["columns"]]
PAIRS = "all pairs"
MEASURES = (PAIRS, *simulated.HARD_PAIRS, *KINDS)


class Truth:
    """Shares of the cells of all pairs and correlations under the distribution. Numbers lie in cells of equal
    probability, so that what is far from even over its bounds counts as much as what is; codes and groups each in its
    own."""

    def __init__(self, table):
        self.edges = {}
        for column in SCHEMA["columns"]:
            values = table[column["name"]].to_numpy()
            if "decimals" in column:
                self.edges[column["name"]] = np.unique(np.quantile(values, np.linspace(0, 1, CELLS + 1)[1:-1]))
            else:
                self.edges[column["name"]] = np.arange(values.max()) + 0.5
        self.pairs = [(NAMES[first], NAMES[second]) for first, second in subsets_of(len(NAMES), 2)]
        self.shares = self.shares_of(table)
        self.correlations = correlations(table, number_names(SCHEMA))

    def shares_of(self, table):
        codes = {name: np.searchsorted(edges, table[name].to_numpy()) for name, edges in self.edges.items()}
        sizes = {name: len(edges) + 1 for name, edges in self.edges.items()}
        return {
            (first, second): np.bincount(
                codes[first] * sizes[second] + codes[second], minlength=sizes[first] * sizes[second]
            )
            / table.num_rows
            for first, second in self.pairs
        }

    def errors_of(self, table):
        """{measure: error}"""
        shares = self.shares_of(table)
        errors = {pair: float(np.abs(shares[pair] - self.shares[pair]).sum() / 2) for pair in self.pairs}
        hard = {name: errors[pair] for name, pair in simulated.HARD_PAIRS.items()}
        found = mean_errors(self.correlations, correlations(table, number_names(SCHEMA)))
        return {PAIRS: statistics.fmean(errors.values()), **hard, **found}


def measure(settings, truth, records, epsilon, seeds):
    """Rows {"records", "epsilon", "method", "seed", measure...}: new records and a new release each time."""
    found = []
    for seed in range(1, seeds + 1):
        rows = simulated.related_rows(records, seed)
        source = simulated.write(settings, "related", rows, SCHEMA)
        synthetic = pyarrow.parquet.read_table(synthesize(settings, METHOD, source, epsilon))
        setting = {"records": records, "epsilon": epsilon, "seed": seed}
        found.append({**setting, "method": METHOD, **truth.errors_of(synthetic)})
        found.append({**setting, "method": SAMPLE, **truth.errors_of(rows)})
    return found


def values_of(rows, records, epsilon, method, name):
    return [row[name] for row in rows if (row["records"], row["epsilon"], row["method"]) == (records, epsilon, method)]


def mean_of(rows, records, epsilon, method, name):
    return statistics.fmean(values_of(rows, records, epsilon, method, name))


def settings_of(rows):
    """(records, epsilon) in the order in which they were measured."""
    return list(dict.fromkeys((row["records"], row["epsilon"]) for row in rows))


def text_of(rows):
    lines = [["records", "epsilon", "", *MEASURES]]
    for records, epsilon in settings_of(rows):
        for method in (METHOD, SAMPLE):
            errors = [spread(values_of(rows, records, epsilon, method, name), 4) for name in MEASURES]
            lines.append([f"{records:,}", f"{epsilon:g}", method, *errors])
    return aligned(lines)


def plot(settings, rows):
    plt = pyplot()
    if plt is None:
        return
    found = settings_of(rows)
    axis_of = {
        f"epsilon, {FIXED_RECORDS:,} records": [(key, key[1]) for key in found if key[0] == FIXED_RECORDS],
        f"records, epsilon {FIXED_EPSILON}": [(key, key[0]) for key in sorted(found) if key[1] == FIXED_EPSILON],
    }
    panels = {"total variation": (PAIRS, *simulated.HARD_PAIRS), "error of a correlation": KINDS}
    figure, all_axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained", sharey="row")
    for row, (label, names) in zip(all_axes, panels.items()):
        for axes, (words, points) in zip(row, axis_of.items()):
            for place, name in enumerate(names):
                for method, style in ((METHOD, "o-"), (SAMPLE, ":")):
                    means = [mean_of(rows, *key, method, name) for key, _ in points]
                    axes.plot(
                        [x for _, x in points],
                        means,
                        style,
                        color=f"C{place}",
                        ms=4,
                        label=name if style == "o-" else None,
                    )
            axes.set(xscale="log", yscale="log", xlabel=words)
            axes.grid(alpha=0.3)
        row[0].set_ylabel(label)
        row[0].legend(fontsize=8)
    figure.suptitle("Method marginals (lines) and the error of the records themselves (dotted)", fontsize=10)
    settings.save(figure, "marginals-convergence")


def keep(settings, rows):
    for records, epsilon in settings_of(rows):
        for method in (METHOD, SAMPLE):
            for name in MEASURES:
                values = values_of(rows, records, epsilon, method, name)
                settings.kept.add(f"{records:,} records, epsilon {epsilon:g}", method, name, values)


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    truth = Truth(simulated.related_rows(TRUTH_ROWS // 10 if settings.quick else TRUTH_ROWS, TRUTH_SEED))
    if settings.quick:
        wanted = [(2000, 1), (2000, 100)]
    else:
        wanted = [(FIXED_RECORDS, epsilon) for epsilon in EPSILONS]
        wanted += [(records, FIXED_EPSILON) for records in RECORDS]
    rows = []
    for records, epsilon in wanted:
        rows += measure(settings, truth, records, epsilon, seeds)
        settings.write("marginals-convergence", rows)
    keep(settings, rows)
    print(f"Errors against the distribution; {seeds} tables and releases each.\n\n{text_of(rows)}\n", flush=True)
    plot(settings, rows)

    def beyond(name, records, epsilon):
        """How often the error of a sample the method's is."""
        ours, theirs = (mean_of(rows, records, epsilon, method, name) for method in (METHOD, SAMPLE))
        return ours / theirs

    if settings.quick:
        gain = mean_of(rows, *wanted[0], METHOD, PAIRS) / mean_of(rows, *wanted[1], METHOD, PAIRS)
        return [Figure("error of pairs at epsilon 1 over that at 100", gain)]
    largest = EPSILONS[-1]
    return [
        Figure(f"{name} at {largest:g}, over a sample's", beyond(name, FIXED_RECORDS, largest)) for name in MEASURES
    ]


def table(figures):
    """For the documentation."""
    lines = [["records, epsilon", *MEASURES]]
    for records, epsilon in [*((FIXED_RECORDS, e) for e in EPSILONS), *((n, FIXED_EPSILON) for n in RECORDS)]:
        key = f"{records:,} records, epsilon {epsilon:g}"
        pairs = [[figures.mean(key, method, name) for method in (METHOD, SAMPLE)] for name in MEASURES]
        lines.append([f"{records:,}, {epsilon:g}", *(f"{ours} ({floor})" if ours else "" for ours, floor in pairs)])
    return lines


TABLES = {"marginals-convergence": table}
