"""Numbers and tables in words, and matplotlib where there is one."""

import re
import statistics


def decimals(value, digits=3):
    """A number with so many decimals, without the zero before the point."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}")


def spread(values, digits=3):
    """Mean and standard deviation in words; the mean alone where there is one value."""
    mean = f"{statistics.fmean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} +- {statistics.stdev(values):.{digits}f}"


def seed_words(seeds):
    return f"{seeds} seed{'s' * (seeds > 1)}"


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
