"""Method marginals: whether zeros come back as often as they are there, where they stand out of the column's noise.

Two tables in seconds, a real one and the simulated one:
PYTHONPATH=build/release/python python -m experiments marginals-zeros --datasets adult --seeds 1
"""

import dataclasses
import math
import statistics

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from experiments.lib import simulated
from experiments.lib.bars import Figure
from experiments.lib.datasets import available
from experiments.lib.methods import synthesize
from experiments.lib.sources import Source, prepare
from experiments.lib.text import aligned, decimals, pyplot, spread

METHOD = "marginals"
SEEDS = 5
EPSILONS = (0.3, 1, 3)
SIMULATED, ROWS, SEED = "simulated", 10000, 1
WITHOUT = "salary"  # a simulated column that has none
# Columns of real tables that have zeros.
COLUMNS = {
    "credit_default": tuple(f"{kind}_AMT{month}" for kind in ("BILL", "PAY") for month in range(1, 7)),
    "adult": ("capital-gain", "capital-loss"),
}
STANDS_OUT = 5  # standard deviations of the noise


@dataclasses.dataclass(frozen=True)
class Table:
    name: str
    source: Source
    columns: tuple  # those that are looked at


def tables(settings, names):
    """The simulated table, in a full run, then the real ones; one at a time, as their files have one name."""
    if not settings.quick:
        rows = simulated.account_rows(ROWS, SEED)
        source = simulated.write(settings, SIMULATED, rows, simulated.ACCOUNTS)
        yield Table(SIMULATED, source, (*simulated.ZEROS, WITHOUT))
    for name in names:
        yield Table(name, prepare(settings, name), COLUMNS[name])


def shares_of_zeros(path, columns):
    table = pyarrow.parquet.read_table(path, columns=list(columns))
    return {name: pc.sum(pc.equal(pc.cast(table[name], pa.float64()), 0)).as_py() / len(table) for name in columns}


def noise_of_counts(settings, release):
    """{column: standard deviation, in records, of one of its counts}. A block of counts has a sensitivity of about 1, so
    one over the root of its mu^2 is the noise of a count."""
    report, found = settings.json("inspect", release), {}
    for block in report["blocks"]:
        if len(block.get("cells", ())) == 1:
            column = report["cells"][block["cells"][0]]["column"]
            found[column] = min(found.get(column, math.inf), 1 / math.sqrt(block["mu_squared"]))
    return found


def measure(settings, table, epsilon, seeds):
    """Rows {"table", "epsilon", "column", "seed", "real", "synthetic", "noise"}: shares of zeros, and the noise as a
    share of the records too."""
    real = shares_of_zeros(table.source.table, table.columns)
    found = []
    for seed in range(1, seeds + 1):
        path = synthesize(settings, METHOD, table.source, epsilon)
        synthetic, noise = (
            shares_of_zeros(path, table.columns),
            noise_of_counts(settings, path.with_suffix(".release")),
        )
        found += [
            {
                "table": table.name,
                "epsilon": epsilon,
                "column": column,
                "seed": seed,
                "real": real[column],
                "synthetic": synthetic[column],
                "noise": noise[column] / table.source.rows,
            }
            for column in table.columns
        ]
    return found


def by_column(rows, table, epsilon):
    """{column: its rows}"""
    chosen = [row for row in rows if (row["table"], row["epsilon"]) == (table, epsilon)]
    columns = dict.fromkeys(row["column"] for row in chosen)
    return {column: [row for row in chosen if row["column"] == column] for column in columns}


def stands_out(runs):
    """Whether a column's zeros do, in the first release: noise hardly differs between them."""
    return runs[0]["real"] > STANDS_OUT * runs[0]["noise"]


def relative_error(runs):
    """Of the mean share over the releases: what remains of noise at five standard deviations would else be a fifth."""
    return abs(statistics.fmean(run["synthetic"] for run in runs) / runs[0]["real"] - 1)


def largest_error(rows, table, epsilon):
    """Of the columns whose zeros stand out; None where there is none."""
    errors = [relative_error(runs) for runs in by_column(rows, table, epsilon).values() if stands_out(runs)]
    return max(errors, default=None)


def mean_share(rows, table, epsilon, column):
    return statistics.fmean(run["synthetic"] for run in by_column(rows, table, epsilon)[column])


def text_of(rows):
    lines = [["table", "epsilon", "column", "real", "synthetic", f"{STANDS_OUT} sigma", "stands out"]]
    for table, epsilon in dict.fromkeys((row["table"], row["epsilon"]) for row in rows):
        for column, runs in by_column(rows, table, epsilon).items():
            shares = [f"{runs[0]['real']:.4f}", spread([run["synthetic"] for run in runs], 4)]
            noise = f"{STANDS_OUT * runs[0]['noise']:.4f}"
            lines.append([table, f"{epsilon:g}", column, *shares, noise, "yes" if stands_out(runs) else ""])
    return aligned(lines)


def plot(settings, rows):
    plt = pyplot()
    if plt is None:
        return
    names = list(dict.fromkeys(row["table"] for row in rows))
    figure, all_axes = plt.subplots(1, len(names), figsize=(3.6 * len(names), 3.6), layout="constrained", squeeze=False)
    for axes, name in zip(all_axes[0], names):
        for epsilon, colour in zip(EPSILONS, ("tab:red", "tab:orange", "tab:green")):
            chosen = [row for row in rows if (row["table"], row["epsilon"]) == (name, epsilon)]
            shares = [[row[key] for row in chosen] for key in ("real", "synthetic")]
            axes.plot(*shares, "o", ms=4, alpha=0.6, color=colour, label=f"epsilon {epsilon:g}")
        axes.plot([0, 1], [0, 1], "k:", lw=1)
        axes.set_xscale("symlog", linthresh=0.01)
        axes.set_yscale("symlog", linthresh=0.01)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks([0, 0.01, 0.1, 1], ["0", ".01", ".1", "1"])
        axes.set(title=name, xlabel="share of zeros, real", ylabel="synthetic")
        axes.grid(alpha=0.3)
    all_axes[0][0].legend(fontsize=8)
    settings.save(figure, "marginals-zeros")


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    wanted, epsilons = (["adult"], EPSILONS[1:2]) if settings.quick else (list(COLUMNS), EPSILONS)
    names, missing = available(settings, wanted)
    rows = []
    for table in tables(settings, names):
        for epsilon in epsilons:
            rows += measure(settings, table, epsilon, seeds)
        settings.write("marginals-zeros", rows)
    for table, epsilon in dict.fromkeys((row["table"], row["epsilon"]) for row in rows):
        for column, runs in by_column(rows, table, epsilon).items():
            settings.kept.add(f"{table}, {column}", METHOD, f"epsilon {epsilon:g}", [run["synthetic"] for run in runs])
            settings.kept.add(f"{table}, {column}", "real", "share of zeros", [runs[0]["real"]])
            noise = [run["noise"] for run in runs]
            settings.kept.add(f"{table}, {column}", "noise", f"epsilon {epsilon:g}", [statistics.fmean(noise)])
    print(f"Share of zeros; {seeds} releases each.\n\n{text_of(rows)}\n")
    print("\n".join(missing), flush=True)
    plot(settings, rows)
    found = [
        Figure(f"{table} at {epsilon:g}, largest relative error", largest_error(rows, table, epsilon))
        for table in (wanted if settings.quick else [SIMULATED, *wanted])
        for epsilon in epsilons
    ]
    if settings.quick:
        return found
    return found + [
        Figure(f"zeros where there are none, at {epsilon:g}", mean_share(rows, SIMULATED, epsilon, WITHOUT))
        for epsilon in epsilons
    ]


def table(figures):
    """For the documentation."""
    lines = [["column", "real", *(f"epsilon {epsilon:g} (5 sigma)" for epsilon in EPSILONS)]]
    looked_at = [(SIMULATED, name) for name in (*simulated.ZEROS, WITHOUT)] + [
        (name, column) for name, columns in COLUMNS.items() for column in columns
    ]
    for name, column in looked_at:
        key = f"{name}, {column}"
        cells = []
        for epsilon in EPSILONS:
            noise = figures.find(key, "noise", f"epsilon {epsilon:g}")
            beyond = f" ({decimals(STANDS_OUT * float(noise.value))})" if noise else ""
            cells.append(figures.cell(key, METHOD, f"epsilon {epsilon:g}") + beyond)
        lines.append([key, figures.mean(key, "real", "share of zeros"), *cells])
    return lines


TABLES = {"marginals-zeros": table}
