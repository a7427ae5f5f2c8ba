"""Method marginals on small tables at small epsilon: marginals of 18 settings, beside MST, AIM and independent columns.

A table in seconds: PYTHONPATH=build/release/python python -m experiments marginals-small --datasets credit_default_log --seeds 1
"""

import dataclasses
import statistics

import numpy as np
import pyarrow.parquet

from experiments.lib.bars import Figure
from experiments.lib.cells import CellTable, mean_total_variation, subsets_of
from experiments.lib.classification import at_most
from experiments.lib.datasets import available, dataset_named
from experiments.lib.methods import synthesize
from experiments.lib.sources import prepare
from experiments.lib.text import aligned, decimals, pyplot, spread

METHOD = "marginals"
SEEDS = 5
SIZES = (1, 2, 3)
MOST_TRIPLES = 300
# Of the methods that were published beside the method's note on small tables ("method-small.md", one subsample of its
# own a table): 3-way total variation. Theirs are compared with, not measured here.
OTHERS = ("MST", "AIM", "independent")


@dataclasses.dataclass(frozen=True)
class Setting:
    """So many rows of a dataset, always the same; None: all."""

    dataset: str
    rows: int | None
    epsilon: float
    published: tuple  # in the order of OTHERS

    @property
    def name(self):
        return f"{self.dataset}{f' {self.rows:,}' if self.rows else ''} at {self.epsilon:g}"


SETTINGS = tuple(
    Setting(*words)
    for words in (
        ("credit_default", 7000, 0.1, (0.292, 0.351, 0.351)),
        ("credit_default", 7000, 0.3, (0.143, 0.282, 0.273)),
        ("credit_default", 3000, 0.1, (0.504, 0.548, 0.489)),
        ("credit_default", 3000, 0.3, (0.232, 0.325, 0.335)),
        ("credit_default_log", 7000, 0.1, (0.565, 0.521, 0.471)),
        ("credit_default_log", 7000, 0.3, (0.306, 0.425, 0.421)),
        ("credit_default_log", 3000, 0.1, (0.772, 0.712, 0.588)),
        ("credit_default_log", 3000, 0.3, (0.513, 0.499, 0.473)),
        ("california_housing", 5000, 0.1, (0.426, 0.391, 0.416)),
        ("california_housing", 5000, 0.3, (0.264, 0.317, 0.358)),
        ("california_housing_log", 5000, 0.1, (0.471, 0.486, 0.466)),
        ("california_housing_log", 5000, 0.3, (0.318, 0.392, 0.421)),
        ("acs_ma_coded", None, 0.1, (0.222, 0.247, 0.220)),
        ("acs_ma_coded", None, 0.3, (0.155, 0.136, 0.174)),
        ("law_school", 5000, 0.1, (0.359, 0.295, 0.285)),
        ("law_school", 5000, 0.3, (0.192, 0.156, 0.244)),
        ("adult_discrete", 5000, 0.1, (0.267, 0.264, 0.234)),
        ("adult_discrete", 5000, 0.3, (0.169, 0.150, 0.191)),
    )
)
QUICK = SETTINGS[7]


def measure_name(size):
    return f"{size}-way"


def subsample(source, rows):
    """The source with so many rows, always the same ones."""
    if rows is None:
        return source
    table = at_most(pyarrow.parquet.read_table(source.table), rows, seed=0)
    path = source.table.with_name(f"rows-{rows}.parquet")
    pyarrow.parquet.write_table(table, path)
    return dataclasses.replace(source, table=path, rows=rows)


def measure(settings, dataset, chosen, seeds):
    """Rows {"setting", "seed", "1-way", "2-way", "3-way"} of the settings of a dataset."""
    whole, schema = prepare(settings, dataset), dataset_named(dataset).schema
    subsets = {size: subsets_of(len(schema["columns"]), size, MOST_TRIPLES if size == 3 else None) for size in SIZES}
    found = []
    for setting in chosen:
        source = subsample(whole, setting.rows)
        real = CellTable(pyarrow.parquet.read_table(source.table), schema)
        for seed in range(1, seeds + 1):
            path = synthesize(settings, METHOD, source, setting.epsilon)
            synthetic = CellTable(pyarrow.parquet.read_table(path), schema)
            errors = {measure_name(size): mean_total_variation(real, synthetic, subsets[size]) for size in SIZES}
            found.append({"setting": setting.name, "seed": seed, **errors})
    return found


def values_of(rows, setting, size):
    return [row[measure_name(size)] for row in rows if row["setting"] == setting.name]


def mean_of(rows, setting):
    values = values_of(rows, setting, 3)
    return statistics.fmean(values) if values else None


def text_of(rows):
    lines = [["setting", *map(measure_name, SIZES), *(f"{name}, 3-way" for name in OTHERS)]]
    measured = [setting for setting in SETTINGS if values_of(rows, setting, 3)]
    for setting in measured:
        errors = [spread(values_of(rows, setting, size)) for size in SIZES]
        lines.append([setting.name, *errors, *(f"{value:.3f}" for value in setting.published)])
    ours = statistics.geometric_mean(mean_of(rows, setting) for setting in measured)
    theirs = [statistics.geometric_mean(setting.published[place] for setting in measured) for place in range(3)]
    return aligned([*lines, ["geometric mean", "", "", f"{ours:.3f}", *(f"{value:.3f}" for value in theirs)]])


def plot(settings, rows):
    plt = pyplot()
    if plt is None:
        return
    measured = [setting for setting in SETTINGS if values_of(rows, setting, 3)]
    figure, axes = plt.subplots(figsize=(7, 1 + 0.3 * len(measured)), layout="constrained")
    places = np.arange(len(measured))
    axes.plot([mean_of(rows, setting) for setting in measured], places, "o", label=METHOD)
    for place, (name, mark) in enumerate(zip(OTHERS, "s^|")):
        axes.plot([setting.published[place] for setting in measured], places, mark, ms=5, alpha=0.6, label=name)
    axes.set_yticks(places, [setting.name for setting in measured], fontsize=8)
    axes.set_xlim(0)
    axes.invert_yaxis()
    axes.set_xlabel("3-way total variation")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    settings.save(figure, "marginals-small")


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    wanted = (QUICK,) if settings.quick else SETTINGS
    names, missing = available(settings, list(dict.fromkeys(setting.dataset for setting in wanted)))
    rows = []
    for name in names:
        rows += measure(settings, name, [setting for setting in wanted if setting.dataset == name], seeds)
        settings.write("marginals-small", rows)
    for setting in SETTINGS:
        for size in SIZES:
            if values := values_of(rows, setting, size):
                settings.kept.add(setting.name, METHOD, measure_name(size), values)
    print(f"Mean total variation of marginals, numbers in 16 cells; {seeds} releases each.\n\n{text_of(rows)}\n")
    print("\n".join(missing), flush=True)
    plot(settings, rows)
    found = [Figure(setting.name, mean_of(rows, setting)) for setting in wanted]
    if settings.quick:
        return found
    complete = all(figure.value for figure in found)
    mean = statistics.geometric_mean(figure.value for figure in found) if complete else None
    return [*found, Figure("geometric mean", mean)]


def table(figures):
    """For the documentation."""
    lines = [["rows, epsilon", *map(measure_name, SIZES), *OTHERS]]
    ours = []
    for setting in SETTINGS:
        errors = [figures.cell(setting.name, METHOD, measure_name(size)) for size in SIZES]
        ours.append(figures.find(setting.name, METHOD, measure_name(3)))
        lines.append([setting.name, *errors, *map(decimals, setting.published)])
    mean = decimals(statistics.geometric_mean(float(row.value) for row in ours)) if all(ours) else ""
    theirs = [statistics.geometric_mean(setting.published[place] for setting in SETTINGS) for place in range(3)]
    return [*lines, ["geometric mean", "", "", mean, *map(decimals, theirs)]]


TABLES = {"marginals-small": table}
