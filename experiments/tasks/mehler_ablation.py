"""What the parts of method mehler buy: 3-way marginals of discretised Adult without one of them."""

import statistics

import numpy as np
import pyarrow.parquet

from coded_runs import available, clean, prepare, synthesize, three_way
from findings import Finding, aligned, pyplot

EPSILONS = (0.1, 0.3, 1)
SEEDS = 3
TABLE = "simple"
MEHLER = "two rounds (the default)"


def resampled(settings, synthetic, seed):
    """The rows of a synthetic table drawn again, with replacement: what independent rows would have cost."""
    table = pyarrow.parquet.read_table(synthetic)
    rows = np.random.default_rng(seed).integers(0, table.num_rows, table.num_rows)
    pyarrow.parquet.write_table(table.take(rows), synthetic)
    return synthetic


def sampled(settings, rows, seed):
    """Rows of the model beside the last synthetic table."""
    output = settings.folder / "synthetic.parquet"
    model = settings.folder / "synthetic.mehler"
    settings.call("sample", model, "--rows", rows, "--seed", seed, "--quiet", "-o", output)
    return output


def variants(settings, source, epsilon, seed):
    """{name: 3-way error}; the variants of sampling share one release with the default."""
    whole = synthesize(settings, source, epsilon)
    count = pyarrow.parquet.read_metadata(whole).num_rows
    found = {MEHLER: three_way(settings, source, whole)}
    found["its rows drawn again: independent rows"] = three_way(settings, source, resampled(settings, whole, seed))
    if not settings.quick:
        found["sampling: as many rows from the model of pairs"] = three_way(settings, source, sampled(settings, count, 2))
        found["sampling: 4 times as many"] = three_way(settings, source, sampled(settings, 4 * count, 1))
        found["sampling: a quarter"] = three_way(settings, source, sampled(settings, count // 4, 1))
    found["one round"] = three_way(settings, source, synthesize(settings, source, epsilon, ("--rounds", 1)))
    for weight in (1, 10):
        name = f"target weight {weight}"
        found[name] = three_way(settings, source, synthesize(settings, source, epsilon, ("--target-weight", weight)))
    return found


def plot(settings, means):
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    names = list(next(iter(means.values())))
    for place, (epsilon, found) in enumerate(means.items()):
        axes.barh(np.arange(len(names)) + 0.25 * place, [found[name] for name in names], 0.22, label=f"epsilon {epsilon:g}")
    axes.set_yticks(np.arange(len(names)) + 0.25, names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("3-way total variation")
    axes.legend(fontsize=8)
    axes.grid(axis="x", alpha=0.3)
    settings.save(figure, "mehler-ablation")


def run(settings):
    seeds = settings.seeds or (1 if settings.quick else SEEDS)
    epsilons = EPSILONS[-1:] if settings.quick else EPSILONS
    available(settings, [TABLE])
    source = prepare(settings, TABLE)
    rows, means = [], {}
    for epsilon in epsilons:
        runs = [variants(settings, source, epsilon, seed) for seed in range(1, seeds + 1)]
        means[epsilon] = {name: statistics.fmean(run[name] for run in runs) for name in runs[0]}
        rows += [
            {"epsilon": epsilon, "seed": seed + 1, "variant": name, "three_way": f"{value:.5f}"}
            for seed, run in enumerate(runs)
            for name, value in run.items()
        ]
    settings.write("mehler-ablation", rows)
    names = list(means[epsilons[0]])
    table = [["discretised Adult, 3-way", *(f"epsilon {epsilon:g}" for epsilon in epsilons)]]
    table += [[name, *(f"{means[epsilon][name]:.4f}" for epsilon in epsilons)] for name in names]
    print(aligned(table))
    plot(settings, means)
    clean(settings)
    last = means[1]
    findings = [
        Finding("independent rows over the default, epsilon 1", last["its rows drawn again: independent rows"] / last[MEHLER]),
        Finding("target weight 1 over the default, epsilon 1", last["target weight 1"] / last[MEHLER]),
    ]
    if not settings.quick:
        findings.append(Finding("one round over the default, epsilon 0.1", means[0.1]["one round"] / means[0.1][MEHLER]))
        findings.append(Finding("4 times as many rows over the default, epsilon 1", last["sampling: 4 times as many"] / last[MEHLER]))
        findings.append(Finding("a quarter of the rows, epsilon 1", last["sampling: a quarter"]))
    return findings
