"""What experiments share: settings, findings and what is expected of them, CSV files and figures."""

import csv
import dataclasses
import pathlib
import statistics
import subprocess


@dataclasses.dataclass
class Settings:
    """Where an experiment finds the program and puts its results."""

    program: str
    folder: pathlib.Path
    quick: bool
    datasets: tuple = ()  # of these alone; empty: of all that the experiment has
    methods: tuple = ()
    seeds: int = 0  # runs of each; 0: as many as the experiment says

    def wanted(self, name, chosen):
        return not chosen or name in chosen

    def call(self, *arguments):
        """Runs the program without its summary."""
        subprocess.run([self.program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    def write(self, name, rows):
        """Writes dictionaries with the same keys to NAME.csv."""
        with open(self.folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    def table(self, name, *arguments):
        """Runs the program, which writes NAME.csv to the results; the rows, as dictionaries of texts."""
        path = self.folder / f"{name}.csv"
        self.call(*arguments, "-o", path)
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def save(self, figure, name):
        for ending in ("png", "svg"):
            figure.savefig(self.folder / f"{name}.{ending}", dpi=150)


@dataclasses.dataclass
class Finding:
    """One measured number, under the name that it has in the file of expectations; None: not measured this time."""

    name: str
    value: float | None


def spread(values):
    """Mean and standard deviation in words; the mean alone where there is one value."""
    mean = statistics.fmean(values)
    return f"{mean:.3f}" if len(values) == 1 else f"{mean:.3f} +- {statistics.stdev(values):.3f}"


def aligned(rows):
    """Rows of texts as lines, the columns below each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def pyplot():
    """matplotlib's pyplot without a window, or None where it is not installed."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "mehler"  # the same figure gives the same file
    from matplotlib import pyplot as plt

    return plt


def check(findings, expected, quick):
    """Findings beside expectations, as lines; and whether all hold. Where few draws need more room, an expectation has
    limits of its own under "quick"; where it is of one of the two ways to run alone, "only" is "quick" or "full". A finding
    without an expectation, or the other way round, is a failure: neither file may fall behind the other."""
    found = {finding.name: finding.value for finding in findings}
    way = "quick" if quick else "full"
    expected = {name: limits for name, limits in expected.items() if limits.get("only", way) == way}
    lines, all_hold = [], found.keys() == expected.keys()
    for name in sorted(found.keys() ^ expected.keys()):
        lines.append(f"FAILS  {name} is {'found but not expected' if name in found else 'expected but not found'}")
    for name in expected:
        if name not in found:
            continue
        if found[name] is None:
            lines.append(f"-      {name}: not measured")
            continue
        limits = expected[name]["quick"] if quick and "quick" in expected[name] else expected[name]
        low, high = limits.get("at_least", float("-inf")), limits.get("at_most", float("inf"))
        holds = low <= found[name] <= high  # NaN does not
        all_hold = all_hold and holds
        words = ", ".join(
            f"{word.replace('_', ' ')} {limits[word]:g}" for word in ("at_least", "at_most") if word in limits
        )
        lines.append(f"{'holds' if holds else 'FAILS'}  {name}: {found[name]:.4g}  ({words})")
        lines.append(f"       {expected[name]['why']}")
    return lines, all_hold
