"""Table 1 of the paper: alpha-way marginals of discretised Adult and Census at epsilon 0.3 and 0.1."""

from experiments.lib.bars import Figure
from experiments.lib.datasets import available, dataset_named
from experiments.lib.marginal_runs import SIZES, drawn_again, mean, measure_names, repeat, words
from experiments.lib.methods import chosen, of_experiment
from experiments.lib.paper import TABLE_1
from experiments.lib.sources import prepare
from experiments.lib.systems import label_of, rows_of
from experiments.lib.text import aligned, decimals, pyplot

EPSILONS = (0.3, 0.1)
SEEDS = {"adult_discrete": 5, "census_discrete": 3}
MOST_SUBSETS = {"adult_discrete": 5000, "census_discrete": 1000}
# The preset's products of seven columns, whose categories would be one-hot, exceed the engine's memory limit.
TOO_LARGE = {("census_discrete", "dp-hp")}
REAL, AS_PUBLISHED = "real rows drawn again", "dp-hp-as-published"
PRIVBAYES = ("privbayes", "privbayes-as-published")


def run_one(settings, dataset, epsilon):
    """{row: measurements} of one dataset at one epsilon."""
    source = prepare(settings, dataset)
    seeds = settings.seeds_or(SEEDS[dataset])
    subsets = 300 if settings.quick else MOST_SUBSETS[dataset]
    more = {
        "preset": f"{dataset.replace('_', '-')}-{epsilon}",
        "epochs": 3 if settings.quick else None,
        "quick": settings.quick,
        "most_subsets": subsets,
    }
    methods = chosen(settings, ("dp-hp", AS_PUBLISHED)) if settings.quick else of_experiment(settings, "table1")
    found = {
        method: repeat(
            settings,
            dataset,
            source,
            method,
            epsilon,
            seeds,
            kept_as=(dataset, method, f"epsilon {epsilon:g}"),
            **more,
        )
        for method in methods
        if (dataset, method) not in TOO_LARGE
    }
    found[REAL] = drawn_again(settings, dataset, source, seeds, subsets)
    return found


def csv_rows(settings, dataset, epsilon, found):
    """Rows of the CSV file; and keeps their means."""
    rows = []
    for method, runs in found.items():
        for metric in measure_names(dataset):
            values = [run[metric] for run in runs]
            settings.kept.add(dataset, method, f"{metric}, epsilon {epsilon:g}", values)
            rows += [
                {
                    "dataset": dataset,
                    "epsilon": epsilon,
                    "method": method,
                    "seed": seed,
                    "metric": metric,
                    "error": f"{value:.6f}",
                }
                for seed, value in enumerate(values, 1)
            ]
    return rows


def text_of(dataset, epsilon, found):
    """The table of one dataset and epsilon: ours, then the paper's, by the sizes that were really taken."""
    names = measure_names(dataset)
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
    note = dataset_named(dataset).remark()
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
            f"mean total variation; dark {right[0]}-way, light {right[1]}-way\n"
            f"(published: {merged[0]}- and {merged[1]}-way)",
            fontsize=8,
        )
        axes.grid(axis="x", alpha=0.3)
    settings.save(figure, "table1")


def findings_of(results, pairs, quick):
    """Three of each dataset and epsilon, and of Adult PrivBayes; of what was not measured, None."""

    def finding(words, dataset, epsilon, method, metric):
        runs = results.get((dataset, epsilon), {}).get(method)
        return Figure(f"{dataset} at {epsilon:g}, {words}", mean(runs, metric) if runs else None)

    findings = []
    for pair in pairs:
        right, _, published, _ = measure_names(pair[0])
        ours = "dp-hp-defaults" if (pair[0], "dp-hp") in TOO_LARGE else "dp-hp"
        findings += [
            finding(f"dp-hp, {right}", *pair, ours, right),
            finding(f"dp-hp as published, {published}", *pair, AS_PUBLISHED, published),
            finding(f"{REAL}, {right}", *pair, REAL, right),
        ]
        if pair[0] == "adult_discrete" and not quick:
            findings += [finding(f"{method}, {right}", *pair, method, right) for method in PRIVBAYES]
    return findings


def run(settings):
    members = ["adult_discrete"] if settings.quick else list(SEEDS)
    epsilons = EPSILONS[:1] if settings.quick else EPSILONS
    names, missing = available(settings, members)
    print(
        "Mean total variation of marginals, 0 is best. Published: the authors' evaluation, of one column more than it\n"
        "says, bins merged.\n"
    )
    results, rows = {}, []
    for dataset in names:
        for epsilon in epsilons:
            found = results[dataset, epsilon] = run_one(settings, dataset, epsilon)
            print(text_of(dataset, epsilon, found), flush=True)
            rows += csv_rows(settings, dataset, epsilon, found)
            settings.write("table1", rows)
    print("\n".join(missing))
    plot(settings, results)
    return findings_of(results, [(dataset, epsilon) for dataset in members for epsilon in epsilons], settings.quick)


def table(figures, dataset):
    """For the documentation."""
    names = measure_names(dataset)
    published = [f'published "{size - 1}-way"' for size in SIZES[dataset][1]]
    lines = [["epsilon", "", *(f"{size}-way" for size in SIZES[dataset][0]), *published]]
    for epsilon in EPSILONS:
        for method in rows_of(figures, (dataset, f"{names[0]}, epsilon {epsilon:g}")):
            cells = [figures.cell(dataset, method, f"{name}, epsilon {epsilon:g}") for name in names]
            lines.append([f"{epsilon:g}", label_of(method), *cells])
        paper = TABLE_1[dataset, epsilon]
        sizes = SIZES[dataset][1]
        lines.append(
            [
                f"{epsilon:g}",
                f"paper: {' / '.join(paper)}",
                *("" for _ in SIZES[dataset][0]),
                *(" / ".join(decimals(numbers[size]) for numbers in paper.values()) for size in sizes),
            ]
        )
    return lines


TABLES = {
    "table1-adult": lambda figures: table(figures, "adult_discrete"),
    "table1-census": lambda figures: table(figures, "census_discrete"),
}
