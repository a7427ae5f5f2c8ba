"""What the parts of method marginals buy: 3-way marginals of discretised Adult with one of them replaced; and its ways
to sample."""

import statistics

import numpy as np

from experiments.lib.bars import Figure
from experiments.lib.coded_runs import EPSILONS, available_tables, measure_name
from experiments.lib.coded_runs import TABLES as CODED
from experiments.lib.sources import prepare
from experiments.lib.text import aligned, pyplot, spread
from experiments.lib.variant_runs import PARTS, SAMPLED_TABLES, SAMPLES, TABLE, measure_parts, measure_samples

SEEDS = 5


def measure(settings, names, seeds):
    """{epsilon: runs} of the parts, {table: runs} of sampling; a run is {row: error}."""
    parts, samples = {}, {}
    seeds = range(1, seeds + 1)
    for name in names:
        source = prepare(settings, CODED[name])
        if name == SAMPLED_TABLES[0]:
            for epsilon in EPSILONS[-1:] if settings.quick else EPSILONS:
                parts[epsilon] = [measure_parts(settings, source, epsilon, seed) for seed in seeds]
        samples[name] = [measure_samples(settings, source, seed) for seed in seeds]
    return parts, samples


def means(runs):
    return {row: statistics.fmean(run[row] for run in runs) for row in runs[0]}


def text(head, measured, prototype):
    """Rows beside the prototype's. measured: {title: runs}; prototype: {row: {title: number}}."""
    lines = [[head, *(word for title in measured for word in (title, "prototype"))]]
    for row, before in prototype.items():
        lines.append([row])
        for title, runs in measured.items():
            lines[-1] += [
                spread([run[row] for run in runs], digits=4),
                f"{before[title]:.4f}" if before[title] else "",
            ]
    return aligned(lines)


def plot(settings, parts):
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(9, 6), layout="constrained")
    places = np.arange(len(PARTS))
    for number, (epsilon, runs) in enumerate(parts.items()):
        found = means(runs)
        axes.barh(places + 0.25 * number, [found[part.name] for part in PARTS], 0.22, label=f"epsilon {epsilon:g}")
        before = [part.prototype[EPSILONS.index(epsilon)] or np.nan for part in PARTS]
        axes.plot(before, places + 0.25 * number, "k|", markersize=5, label=None if number else "prototype")
    axes.set_yticks(places + 0.25, [part.name for part in PARTS], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("3-way total variation")
    axes.legend(fontsize=8)
    axes.grid(axis="x", alpha=0.3)
    settings.save(figure, "marginals-ablation")


def ratio(measured, title, row, base):
    """Of two rows' means; None where the data is missing."""
    if title not in measured:
        return None
    found = means(measured[title])
    return found[row] / found[base]


def findings_of(settings, parts, samples):
    """The rows of each table over the one that they are compared with."""
    epsilons = EPSILONS[-1:] if settings.quick else (EPSILONS[0], EPSILONS[-1])
    return [
        Figure(f"epsilon {epsilon:g}: {part.name}", ratio(parts, epsilon, part.name, part.base))
        for epsilon in epsilons
        for part in PARTS
        if part.name != part.base
    ] + [
        Figure(f"{table}: {row}", ratio(samples, table, row, TABLE))
        for table in (SAMPLED_TABLES[:1] if settings.quick else SAMPLED_TABLES)
        for row in SAMPLES
        if row != TABLE
    ]


def keep(settings, parts, samples):
    """Means of both tables, and the files of all runs."""
    for name, key, measured in (("parts", "epsilon", parts), ("sampling", "table", samples)):
        rows = [
            {key: title, "seed": seed, "variant": row, "three_way": f"{value:.5f}"}
            for title, runs in measured.items()
            for seed, run in enumerate(runs, 1)
            for row, value in run.items()
        ]
        if rows:
            settings.write(f"marginals-ablation-{name}", rows)
        for title, runs in measured.items():
            for row in runs[0]:
                dataset, epsilon = (SAMPLED_TABLES[0], title) if name == "parts" else (title, 1)
                settings.kept.add(dataset, row, measure_name(epsilon), [run[row] for run in runs])


def run(settings):
    seeds = settings.seeds_or(SEEDS)
    names, missing = available_tables(settings, SAMPLED_TABLES[:1] if settings.quick else SAMPLED_TABLES)
    parts, samples = measure(settings, names, seeds)
    keep(settings, parts, samples)
    print("Mean total variation of all 3-column marginals, 0 is best; the prototype's figures beside.")
    print(f"Releases of each: {seeds}. Below, findings are a row's mean over that of the row it is compared with.\n")
    if parts:
        titles = {epsilon: f"epsilon {epsilon:g}" for epsilon in EPSILONS}
        prototype = {part.name: dict(zip(titles.values(), part.prototype)) for part in PARTS}
        print(text("discretised Adult", {titles[epsilon]: runs for epsilon, runs in parts.items()}, prototype) + "\n")
        plot(settings, parts)
    prototype = {row: dict(zip(SAMPLED_TABLES, numbers)) for row, numbers in SAMPLES.items()}
    print(text("sampling, epsilon 1", samples, prototype))
    print("\n".join(["", *missing]))
    return findings_of(settings, parts, samples)


def with_prototype(measured, prototype):
    """For the documentation: a figure, and in brackets the prototype's."""
    return f"{measured} ({prototype:g})".replace("(0.", "(.") if measured and prototype else measured


def parts_table(figures):
    lines = [["", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS)]]
    for part in PARTS:
        cells = [figures.cell(SAMPLED_TABLES[0], part.name, measure_name(epsilon), 4) for epsilon in EPSILONS]
        if any(cells):
            lines.append([part.name, *map(with_prototype, cells, part.prototype)])
    return lines


def sampling_table(figures):
    lines = [["epsilon 1", *SAMPLED_TABLES]]
    for row, prototype in SAMPLES.items():
        cells = [figures.cell(table, row, measure_name(1), 4) for table in SAMPLED_TABLES]
        lines.append([row, *map(with_prototype, cells, prototype)])
    return lines


TABLES = {"marginals-ablation-parts": parts_table, "marginals-ablation-sampling": sampling_table}
