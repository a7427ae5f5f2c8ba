"""Figure 1 of the paper: error of the approximate kernel against the order of Hermite features and the number of random
ones."""

import math

from experiments.lib.bars import Figure
from experiments.lib.text import pyplot

ORDERS = "0-12"
ENTRIES = "2,4,6,8,10,14,20,30,40,60,80,100,140,200,300,400,500,700,1000"

THIRD = "rho = 1/3 (length scale 1.15)"
OTHERS = "the same, ten other sets of points"
MEDIAN = "median heuristic (length scale 1.04)"


def split(rows):
    """Errors by order, and by number of random features."""
    hermite = {int(row["order"]): row for row in rows if row["features"] == "hermite"}
    random = {int(row["entries"]): row for row in rows if row["features"] == "random"}
    return hermite, random


def error(row):
    return float(row["mean_error"])


def ratio_at(rows):
    """The paper's comparison: Hermite order 2 over 500 random features."""
    hermite, random = split(rows)
    return error(hermite[2]) / error(random[500])


def falling_power(random):
    """The slope of log error over log number, by least squares."""
    points = [(math.log(count), math.log(error(row))) for count, row in random.items()]
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def plot(settings, third, median, standard):
    plt = pyplot()
    if plt is None:
        return
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 8), layout="constrained")
    for rows, label, style in ((third, "rho = 1/3", "o-"), (median, "median heuristic", "s--")):
        hermite, random = split(rows)
        top.plot(list(hermite), [error(row) for row in hermite.values()], style, ms=4, label=label)
        (line,) = bottom.plot(list(random), [error(row) for row in random.values()], style, ms=4, label=label)
        if rows is third:
            low, high = (
                [max(1e-9, error(row) + side * float(row["spread"])) for row in random.values()] for side in (-1, 1)
            )
            bottom.fill_between(
                list(random),
                low,
                high,
                alpha=0.15,
                color=line.get_color(),
                lw=0,
                label="one standard deviation of a draw",
            )
            order_2 = error(hermite[2])
    bounds = {order: float(row["upper_bound"]) for order, row in split(standard)[0].items()}
    top.plot(
        list(bounds),
        list(bounds.values()),
        ":",
        color="gray",
        label="(1/3)^order / (3 sqrt 2), proven for N(0, 1) on both sides",
    )
    for axes in (top, bottom):
        axes.axhline(order_2, color="black", ls=":", lw=1.2)
        axes.set_yscale("log")
        axes.set_ylabel("mean |k(x, y) - <phi(x), phi(y)>|")
        axes.grid(alpha=0.3)
    top.text(12, order_2 / 1.4, "order 2, rho = 1/3", ha="right", va="top", fontsize=9)
    bottom.text(2, order_2 / 1.07, "Hermite features of order 2, rho = 1/3", ha="left", va="top", fontsize=9)
    bottom.set_xscale("log")
    top.set_xlabel("order of the Hermite features")
    bottom.set_xlabel("number of random features (cosines and sines)")
    top.set_title("Hermite features: N(0, 1) against N(1, 1), 100 x 100 pairs", fontsize=11)
    bottom.set_title("Random Fourier features: mean over the draws", fontsize=11)
    top.legend(fontsize=9, loc="lower left")
    bottom.legend(fontsize=9, loc="lower left")
    settings.save(figure, "kernel-error")


def errors_of_other_points(settings, draws):
    """The paper's comparison for other points and draws: {seed: rows}."""
    return {
        seed: settings.table(
            f"other-points-{seed}",
            *("kernel", "error", "--order", 2, "--features", 500, "--draws", draws, "--seed", seed, "--csv"),
        )
        for seed in range(2, 4 if settings.quick else 12)
    }


def keep(settings, sets_of_rows):
    """sets_of_rows: {words: several tables of errors}. Order 3 is measured where the orders are."""
    for words, tables in sets_of_rows.items():
        for order in (2, 3):
            values = [error(split(rows)[0][order]) for rows in tables if order in split(rows)[0]]
            if values:
                settings.kept.add(words, f"Hermite order {order}", "mean error", values)
        settings.kept.add(words, "500 random features", "mean error", [error(split(rows)[1][500]) for rows in tables])
        settings.kept.add(words, "Hermite order 2 over 500 random features", "ratio", map(ratio_at, tables))


def run(settings):
    draws = 10 if settings.quick else 100
    sizes = ["--order", ORDERS, "--features", ENTRIES, "--draws", draws, "--csv"]
    third = settings.table("rho-one-third", "kernel", "error", *sizes)
    median = settings.table("median-length-scale", "kernel", "error", "--length-scale", "median", *sizes)
    standard = settings.table("standard-normal", "kernel", "error", "--shift", "0", *sizes)
    others = list(errors_of_other_points(settings, draws).values())
    plot(settings, third, median, standard)
    keep(settings, {THIRD: [third], OTHERS: others, MEDIAN: [median]})

    hermite, random = split(third)
    standard_hermite, standard_random = split(standard)
    bounds = {order: float(row["upper_bound"]) for order, row in standard_hermite.items()}
    findings = [
        Figure("Hermite order 2 over 500 random features, rho 1/3", ratio_at(third)),
        Figure("Hermite order 2 over 500 random features, median length scale", ratio_at(median)),
        Figure("Hermite order 2 over 500 random features, smallest of other points", min(map(ratio_at, others))),
        Figure("Hermite order 2 over 500 random features, largest of other points", max(map(ratio_at, others))),
        Figure(
            "largest error over bound, standard normal points",
            max(error(row) / bounds[order] for order, row in standard_hermite.items()),
        ),
        Figure(
            "largest error over bound, the figure's points",
            max(error(row) / bounds[order] for order, row in hermite.items()),
        ),
        Figure(
            "smallest random error over its lower bound, standard normal points",
            min(error(row) / float(row["lower_bound"]) for row in standard_random.values()),
        ),
        Figure("factor of the Hermite error from order to order", (error(hermite[12]) / error(hermite[0])) ** (1 / 12)),
        Figure("power with which the random error falls", falling_power(random)),
        Figure("Hermite error at order 2, rho 1/3", error(hermite[2])),
    ]
    for finding in findings:
        settings.kept.add("kernel", "finding", finding.name, [finding.value])
    return findings


def comparison_table(figures):
    """For the documentation."""
    lines = [["", "Hermite order 2 (3 numbers)", "order 3", "500 random features", "order 2 over random"]]
    for words in (THIRD, OTHERS, MEDIAN):
        lines.append(
            [
                words,
                *(
                    figures.cell(words, method, "mean error", 4)
                    for method in ("Hermite order 2", "Hermite order 3", "500 random features")
                ),
                figures.cell(words, "Hermite order 2 over 500 random features", "ratio", 2),
            ]
        )
    return lines


def findings_table(figures):
    names = [name for dataset, _, name in figures.rows if dataset == "kernel"]
    return [["finding", "value"], *([name, figures.cell("kernel", "finding", name, 4)] for name in names)]


TABLES = {"kernel-error": comparison_table, "kernel-error-findings": findings_table}
