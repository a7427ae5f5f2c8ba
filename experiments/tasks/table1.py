"""Table 1 of the paper: alpha-way marginals of discretised Adult and Census at epsilon 0.3 and 0.1."""

from datasets import BY_NAME, MissingData
from findings import Finding, aligned, pyplot
from marginal_runs import SIZES, bootstrap, clean, mean, prepare, repeat, words
from methods import ALL_METHODS, NOT_AVAILABLE, PUBLISHED, method_named
from paper import TABLE_1

EPSILONS = (0.3, 0.1)
SEEDS = {"adult_discrete": 5, "census_discrete": 3}
# The preset's products of seven columns, whose categories would be one-hot, exceed the engine's memory limit.
TOO_LARGE = {("census_discrete", "dp-hp")}
REAL = "real rows drawn again"


def plan(settings):
    """Dataset, epsilon pairs that are asked for and available; what is missing, in words."""
    names = ["adult_discrete"] if settings.quick else list(SEEDS)
    names = [name for name in names if settings.wanted(name, settings.datasets)]
    if not names:
        raise MissingData(f"none of the datasets is one of this experiment: {', '.join(SEEDS)}")
    missing = [BY_NAME[name].explanation() for name in names if BY_NAME[name].missing()]
    if len(missing) == len(names):
        raise MissingData("\n".join(missing))
    epsilons = EPSILONS[:1] if settings.quick else EPSILONS
    return [(name, epsilon) for name in names if not BY_NAME[name].missing() for epsilon in epsilons], missing


def run_one(settings, dataset, epsilon):
    """{row: measurements} of one dataset at one epsilon."""
    source = prepare(settings, dataset, f"{dataset.removesuffix('_discrete')}-discrete-{epsilon}")
    seeds = settings.seeds or (1 if settings.quick else SEEDS[dataset])
    subsets = 300 if settings.quick else 5000 if dataset == "adult_discrete" else 1000
    found = {}
    for method in (method_named("dp-hp"), PUBLISHED) if settings.quick else ALL_METHODS:
        if (dataset, method.name) not in TOO_LARGE and settings.wanted(method.name, settings.methods):
            more = ("--epochs", 3) if settings.quick and "dp-hp" in method.arguments else ()
            found[method.name] = repeat(settings, dataset, source, method, epsilon, seeds, more, subsets)
    found[REAL] = bootstrap(settings, dataset, source, seeds, max_subsets=subsets)
    clean(settings)
    return found


def text_of(dataset, epsilon, found):
    """The table of one dataset and epsilon: ours, then the paper's, by the sizes that were really taken."""
    names = [f"{size}-way" for size in SIZES[dataset][0]] + [f"published {size}-way" for size in SIZES[dataset][1]]
    rows = [["", *names]]
    rows += [[method, *(words(runs, name) for name in names)] for method, runs in found.items()]
    if (dataset, "dp-hp") in TOO_LARGE:
        rows.append(["dp-hp", "not run: with categories the preset's products of seven columns are too large"])
        rows[-1] += [""] * len(names[1:])
    for method, paper in TABLE_1[dataset, epsilon].items():
        rows.append(
            [
                f"paper's {method}",
                *("" for _ in SIZES[dataset][0]),
                *(f"{paper[size]:.3f}" for size in SIZES[dataset][1]),
            ]
        )
    rows += [
        [name, "not available", *("" for _ in names[1:])] for name in NOT_AVAILABLE if name in ("PrivBayes", "DP-MERF")
    ]
    note = BY_NAME[dataset].remark()
    own = "; the authors' discretisation is not published, this one is ours" if dataset == "census_discrete" else ""
    return f"{dataset}, epsilon {epsilon:g}{f' ({note}{own})' if note or own else ''}\n{aligned(rows)}\n"


def plot(settings, results):
    plt = pyplot()
    if plt is None:
        return
    figure, all_axes = plt.subplots(
        1, len(results), figsize=(1 + 4.5 * len(results), 4), layout="constrained", squeeze=False
    )
    for axes, ((dataset, epsilon), found) in zip(all_axes[0], results.items()):
        right, merged = SIZES[dataset]
        bars = [(method, [mean(runs, f"{size}-way") for size in right]) for method, runs in found.items()]
        bars += [
            (f"{method}, published metric", [mean(runs, f"published {size}-way") for size in merged])
            for method, runs in found.items()
        ]
        bars.append(("paper's DP-HP, published metric", [TABLE_1[dataset, epsilon]["DP-HP"][size] for size in merged]))
        for place, (_, values) in enumerate(reversed(bars)):
            axes.barh([place - 0.2, place + 0.2], values[::-1], height=0.36, color=["#9db8d2", "#33618f"])
        axes.set_yticks(range(len(bars)), [label for label, _ in reversed(bars)], fontsize=8)
        axes.set_title(f"{dataset}, epsilon {epsilon:g}", fontsize=10)
        axes.set_xlabel(
            f"mean total variation; dark {right[0]}-way, light {right[1]}-way\n(published: {merged[0]}- and {merged[1]}-way)",
            fontsize=8,
        )
        axes.grid(axis="x", alpha=0.3)
    settings.save(figure, "table1")


def run(settings):
    pairs, missing = plan(settings)
    print(
        "Mean total variation of marginals, 0 is best. Published: the authors' evaluation, of one column more than it says, bins merged.\n"
    )
    results, rows = {}, []
    for dataset, epsilon in pairs:
        found = results[dataset, epsilon] = run_one(settings, dataset, epsilon)
        print(text_of(dataset, epsilon, found), flush=True)
        rows += [
            {
                "dataset": dataset,
                "epsilon": epsilon,
                "method": method,
                "seed": seed + 1,
                "metric": name,
                "error": f"{value:.6f}",
            }
            for method, runs in found.items()
            for seed, run in enumerate(runs)
            for name, value in run.items()
        ]
        settings.write("table1", rows)
    print("\n".join(missing))
    plot(settings, results)

    def finding(words, dataset, epsilon, method, metric):
        runs = results.get((dataset, epsilon), {}).get(method)
        return Finding(f"{dataset} at {epsilon:g}, {words}", mean(runs, metric) if runs else None)

    findings = []
    for dataset, epsilon in [(name, epsilon) for name in SEEDS for epsilon in EPSILONS]:
        if settings.quick and (dataset, epsilon) != ("adult_discrete", 0.3):
            continue
        (first, _), (merged, _) = SIZES[dataset]
        findings.append(
            finding(
                f"dp-hp, {first}-way",
                dataset,
                epsilon,
                "dp-hp-defaults" if (dataset, "dp-hp") in TOO_LARGE else "dp-hp",
                f"{first}-way",
            )
        )
        findings.append(
            finding(
                f"dp-hp as published, published {merged}-way",
                dataset,
                epsilon,
                PUBLISHED.name,
                f"published {merged}-way",
            )
        )
        findings.append(finding(f"real rows drawn again, {first}-way", dataset, epsilon, REAL, f"{first}-way"))
    return findings
