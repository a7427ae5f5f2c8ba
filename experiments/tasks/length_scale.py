"""The paper's appendix figure: feature values of four points at a short and at a long length scale."""

import statistics

from experiments.lib.bars import Figure
from experiments.lib.text import pyplot

LENGTH_SCALES = ("0.71", "7.07")
ORDER, ENTRIES = 30, 100
SEED = 6  # four points that lie apart; the findings are much the same for others


def values_by_point(rows, kind):
    """Feature values of every point, in the order of entries."""
    points = {}
    for row in rows:
        if row["features"] == kind:
            points.setdefault(float(row["x"]), []).append(float(row["value"]))
    return points


def cut_off(points, share=0.01):
    """The last order at which a point still has a feature of that share of the largest one."""
    largest = max(abs(value) for values in points.values() for value in values)
    return max(
        order for values in points.values() for order, value in enumerate(values) if abs(value) >= share * largest
    )


def variability(points):
    """How far a random feature differs between the points: standard deviation, averaged over the features, in units of
    the largest value that a feature can have."""
    columns = list(zip(*points.values()))
    return statistics.mean(statistics.pstdev(column) for column in columns) * (len(columns) / 2) ** 0.5


def plot(settings, tables):
    plt = pyplot()
    if plt is None:
        return
    figure, grid = plt.subplots(2, 2, figsize=(10, 6.5), layout="constrained", sharey="row")
    for column, (length_scale, rows) in enumerate(tables.items()):
        for row, (kind, words) in enumerate((("random", "random Fourier"), ("hermite", "Hermite"))):
            axes = grid[row][column]
            for x, values in values_by_point(rows, kind).items():
                if kind == "random":
                    values = values[::2] + values[1::2]  # cosines first, as the paper has them
                axes.plot(range(len(values)), values, ".-", ms=4, lw=0.8, label=f"x = {x:.2f}")
            axes.axhline(0, color="gray", lw=0.6)
            axes.set_title(f"{words} features, length scale {length_scale}", fontsize=11)
            axes.set_xlabel("order" if kind == "hermite" else "entry: cosines, then sines")
            axes.grid(alpha=0.3)
    for row in grid:
        row[0].set_ylabel("value of the feature")
    grid[1][1].legend(fontsize=9)
    settings.save(figure, "length-scale")


def run(settings):
    # Seconds at most, so that --quick has nothing to leave out.
    options = ["--points", 4, "--order", ORDER, "--features", ENTRIES, "--seed", SEED]
    tables = {
        scale: settings.table(f"features-{scale}", "kernel", "features", "--length-scale", scale, *options)
        for scale in LENGTH_SCALES
    }
    plot(settings, tables)
    cut_offs = {scale: cut_off(values_by_point(rows, "hermite")) for scale, rows in tables.items()}
    variabilities = {scale: variability(values_by_point(rows, "random")) for scale, rows in tables.items()}
    for scale in LENGTH_SCALES:
        settings.kept.add("four points", "Hermite", f"last order of 1 %, length scale {scale}", [cut_offs[scale]])
        settings.kept.add("four points", "random", f"variability, length scale {scale}", [variabilities[scale]])
    return [
        *(
            Figure(f"order after which Hermite features are below 1 %, length scale {scale}", order)
            for scale, order in cut_offs.items()
        ),
        *(
            Figure(f"variability of random features between points, length scale {scale}", value)
            for scale, value in variabilities.items()
        ),
    ]


def table(figures):
    """For the documentation."""
    lines = [["length scale", "order after which Hermite features are below 1 %", "difference of a random feature"]]
    for scale in LENGTH_SCALES:
        order = figures.cell("four points", "Hermite", f"last order of 1 %, length scale {scale}", 0)
        lines.append([scale, order, figures.cell("four points", "random", f"variability, length scale {scale}", 2)])
    return lines


TABLES = {"length-scale": table}
