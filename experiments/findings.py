"""What experiments share: settings, findings and what is expected of them, CSV files and figures."""

import csv
import dataclasses
import pathlib
import subprocess


@dataclasses.dataclass
class Settings:
    """Where an experiment finds the program and puts its results."""

    program: str
    folder: pathlib.Path
    quick: bool

    def table(self, name, *arguments):
        """Runs the program, which writes NAME.csv to the results; the rows, as dictionaries of texts."""
        path = self.folder / f"{name}.csv"
        subprocess.run([self.program, *map(str, arguments), "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def save(self, figure, name):
        for ending in ("png", "svg"):
            figure.savefig(self.folder / f"{name}.{ending}", dpi=150)


@dataclasses.dataclass
class Finding:
    """One measured number, under the name that it has in the file of expectations."""

    name: str
    value: float


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
    limits of its own under "quick". A finding without an expectation, or the other way
    round, is a failure: neither file may fall behind the other."""
    found = {finding.name: finding.value for finding in findings}
    lines, all_hold = [], found.keys() == expected.keys()
    for name in sorted(found.keys() ^ expected.keys()):
        lines.append(f"FAILS  {name} is {'found but not expected' if name in found else 'expected but not found'}")
    for name in expected:
        if name not in found:
            continue
        limits = expected[name]["quick"] if quick and "quick" in expected[name] else expected[name]
        low, high = limits.get("at_least", float("-inf")), limits.get("at_most", float("inf"))
        holds = low <= found[name] <= high  # NaN does not
        all_hold = all_hold and holds
        words = ", ".join(f"{word.replace('_', ' ')} {limits[word]:g}" for word in ("at_least", "at_most") if word in limits)
        lines.append(f"{'holds' if holds else 'FAILS'}  {name}: {found[name]:.4g}  ({words})")
        lines.append(f"       {expected[name]['why']}")
    return lines, all_hold
