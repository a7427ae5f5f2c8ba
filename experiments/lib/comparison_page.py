"""The tables of docs/comparison.md: for each system how good it is, the epsilon that was asked for or is stated, the one
that it has, and how long it takes. Of kept results; a row is there once it was measured."""

from experiments.lib import images
from experiments.lib.classification import metric_names
from experiments.lib.comparison import paper_cell
from experiments.lib.costs import SECONDS, TRUE_EPSILON, measure_name
from experiments.lib.datasets import dataset_named
from experiments.lib.marginal_runs import SIZES, measure_names
from experiments.lib.paper import FIGURE_3, FIGURE_3_SIZES, TABLE_1, TABLE_2
from experiments.lib.systems import STATED, WITHOUT_PRIVACY, WITHOUT_RECORDS, base_of, label_of, rows_of
from experiments.tasks import figure6, mixture, published_privacy, table1, table2

HEAD = ["", "epsilon asked for or stated", "true epsilon"]
TIME = "seconds"


def asked(row, epsilon):
    """Nothing of what has none; what is stated, where noise does not follow from it."""
    row = base_of(row)
    return "" if row in (*WITHOUT_PRIVACY, *WITHOUT_RECORDS) else f"{STATED.get(row, epsilon):g}"


def span(cells):
    """The cells of several datasets as one: from the least to the largest."""
    numbers = sorted({cell for cell in cells if cell}, key=float)
    return numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}" if numbers else ""


def costs(figures, datasets, row, part=""):
    """The true epsilon and the seconds of a row, over some datasets."""
    seconds = span(figures.mean(dataset, row, measure_name(SECONDS, part), 0) for dataset in datasets)
    if base_of(row) in (*WITHOUT_PRIVACY, *WITHOUT_RECORDS):
        return "0" if base_of(row) in WITHOUT_RECORDS else "none", seconds
    return span(figures.mean(dataset, row, measure_name(TRUE_EPSILON, part)) for dataset in datasets), seconds


def of_paper(figures, name, data):
    """Of a row of the paper, such as "DP-CGAN at 9.6": what it states, and what its authors' noise gives."""
    if name in ("Real", "full MMD") or name.endswith("without privacy"):
        return "", "none"
    system, _, stated = name.partition(" at ")
    for published in published_privacy.PUBLISHED:
        if (published.data, published.row()) == (data, f"{system} at {stated or '1'}"):
            return published.stated, published_privacy.true_epsilon(figures, published)
    return stated or "1", ""


def marginals(figures, dataset):
    """Table 1: of a discretised table at both epsilons."""
    right, _, published, _ = measure_names(dataset)
    lines = [[*HEAD, right, f'published "{SIZES[dataset][1][0] - 1}-way"', TIME]]
    for epsilon in table1.EPSILONS:
        part = f"epsilon {epsilon:g}"
        for row in rows_of(figures, (dataset, f"{right}, {part}")):
            true, seconds = costs(figures, [dataset], row, part)
            cells = [figures.cell(dataset, row, f"{measure}, {part}") for measure in (right, published)]
            lines.append([label_of(row), asked(row, epsilon), true, *cells, seconds])
        for system, numbers in TABLE_1[dataset, epsilon].items():
            lines.append([f"paper: {system}", f"{epsilon:g}", "", "", paper_cell([next(iter(numbers.values()))]), ""])
    return lines


def classifiers(figures, protocol):
    """Table 2: the first metric of every dataset."""
    measures = {name: f"{metric_names(dataset_named(name))[0]}, {protocol}" for name in TABLE_2}
    lines = [[*HEAD, *(table2.DATASETS[name] for name in measures), TIME]]
    for row in rows_of(figures, *measures.items()):
        true, seconds = costs(figures, measures, row)
        cells = [figures.cell(name, row, measure) for name, measure in measures.items()]
        lines.append([label_of(row), asked(row, table2.EPSILON), true, *cells, seconds])
    if protocol == "published":
        papers = table2.paper_rows()
        for system in papers["adult"]:
            cells = [paper_cell(papers[name][system][:1]) for name in measures]
            lines.append([f"paper: {system}", *of_paper(figures, system, "tables"), *cells, ""])
    return lines


def clusters(figures):
    """Figure 2."""
    measures = [mixture.MEASURES[name] for name in ("negative_log_likelihood", "without_class", "covered_modes")]
    lines = [[*HEAD, *measures, TIME]]
    for row in rows_of(figures, ("mixture", measures[0])):
        true, seconds = costs(figures, ["mixture"], row)
        cells = [figures.cell("mixture", row, measure, 0 if "modes" in measure else 2) for measure in measures]
        lines.append([label_of(row), asked(row, mixture.EPSILON), true, *cells, seconds])
    return lines


def image_sets(figures):
    """Figures 3 and 6: means of the twelve classifiers."""
    measure = images.measure_name(images.MEAN, figure6.IMAGES)
    lines = [[*HEAD, *images.TITLES.values(), TIME]]
    for row in rows_of(figures, *((dataset, measure) for dataset in images.DATASETS)):
        true, seconds = costs(figures, images.DATASETS, row, images.measure_part(figure6.IMAGES))
        cells = [figures.cell(dataset, row, measure) for dataset in images.DATASETS]
        epsilon = float(row.partition(", epsilon ")[2] or images.EPSILON)
        lines.append([label_of(row), asked(row, epsilon), true, *cells, seconds])
    place = FIGURE_3_SIZES.index(figure6.IMAGES)
    for system in dict.fromkeys(system for _, system in FIGURE_3):
        cells = [paper_cell([FIGURE_3[dataset, system][place]]) for dataset in images.DATASETS]
        lines.append([f"paper: {system}", *of_paper(figures, system, "images"), *cells, ""])
    return lines


# {name of a table: (experiments whose results it has, function)}
TABLES = {
    "comparison-adult": (("table1",), lambda figures: marginals(figures, "adult_discrete")),
    "comparison-census": (("table1",), lambda figures: marginals(figures, "census_discrete")),
    "comparison-scores": (("table2",), lambda figures: classifiers(figures, "scores")),
    "comparison-published": (("table2", "published-privacy"), lambda figures: classifiers(figures, "published")),
    "comparison-mixture": (("mixture",), clusters),
    "comparison-images": ((*figure6.SOURCES, "published-privacy"), image_sets),
}
