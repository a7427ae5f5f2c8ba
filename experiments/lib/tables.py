"""The tables of results in the documentation: between markers, made of what experiments/results/ holds.

An experiment's TABLES has for each name a function from Figures to rows of texts, the head first; its SOURCES, where it
has some, are the experiments whose results these show, the last of which counts. Figures that no experiment measures
have a file in experiments/results/ alone, and a table of that name. In a page the table stands between <!-- results:
NAME --> and <!-- end of results -->; `experiments/run tables` writes it there.
"""

import argparse
import importlib
import re
import sys
import textwrap

from experiments.lib import results, tasks
from experiments.lib.places import ROOT
from experiments.lib.text import decimals

MARKED = re.compile(r"(<!-- results: (\S+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


class UnknownTable(Exception):
    """A page asks for a table that there is not."""


def short(text, digits):
    """A number with at most so many decimals, and never more than are known; without the zero before the point."""
    known = len(text.partition(".")[2])
    return decimals(float(text), min(digits, known))


class Figures:
    """The kept figures of some experiments, and those of them that a table has shown so far."""

    def __init__(self, *experiments):
        self.rows = {key: row for experiment in experiments for key, row in results.read(experiment).items()}
        self.shown = []

    def find(self, dataset, method, measure):
        row = self.rows.get((str(dataset), str(method), str(measure)))
        if row:
            self.shown.append(row)
        return row

    def cell(self, dataset, method, measure, digits=3):
        """Mean and standard deviation; nothing where no figure is kept."""
        row = self.find(dataset, method, measure)
        if row is None:
            return ""
        value = short(row.value, digits)
        return f"{value} +- {short(row.deviation, digits)}" if row.deviation else value

    def mean(self, dataset, method, measure, digits=3):
        """The mean alone."""
        row = self.find(dataset, method, measure)
        return short(row.value, digits) if row else ""

    def runs(self, dataset, method, measure):
        row = self.find(dataset, method, measure)
        return row.runs if row else ""

    def origins(self):
        """Where and when what was shown was measured."""
        origins = sorted({(row.date, row.commit, row.machine) for row in self.shown})
        return "; ".join(f"`{commit}` ({date}, machine: {machine})" for date, commit, machine in origins)


def plain_table(figures):
    """Of figures that no experiment measures. Of one method: a row a dataset, a column a measure; of several: a column
    a dataset, a row a measure and method."""
    datasets, methods, measures = (list(dict.fromkeys(names)) for names in zip(*figures.rows))
    if len(methods) == 1:
        rows = {dataset: [(dataset, methods[0], measure) for measure in measures] for dataset in datasets}
        head = measures
    else:
        pairs = dict.fromkeys((method, measure) for _, method, measure in figures.rows)
        rows = {f"{pair[1]}, {pair[0]}": [(dataset, *pair) for dataset in datasets] for pair in pairs}
        head = datasets
    return [["", *head], *([label, *(figures.cell(*key, 4) for key in keys)] for label, keys in rows.items())]


def table_functions():
    """{name of a table: (names of its results, function)}."""
    found = {path.stem: ((path.stem,), plain_table) for path in sorted(results.FOLDER.glob("*.csv"))}
    for experiment in tasks.names():
        found.pop(experiment, None)
        task = tasks.task_named(experiment)
        sources = getattr(task, "SOURCES", (experiment,))
        found.update({name: (sources, function) for name, function in task.TABLES.items()})
    # Imported late: it needs mehler.evaluation, which an experiment without classifiers does not.
    return found | importlib.import_module("experiments.lib.comparison_page").TABLES


def markdown(name, functions):
    """The text between the markers of a table."""
    sources, function = functions[name]
    figures = Figures(*sources)
    head, *rows = function(figures)
    lines = [head, ["---"] * len(head), *rows]
    text = "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines)
    runs = " and ".join(f"`experiments/run {source}`" for source in sources)
    measured_by = "Without an experiment of its own" if function is plain_table else runs
    words = f", measured at {figures.origins()}." if figures.shown else ": no figure is kept so far."
    origin = textwrap.fill(measured_by + words, 120)
    return f"{text}\n\n{origin}\n"


def pages():
    return sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "experiments").rglob("*.md")])


def names_in(page):
    """Of the tables in a page."""
    return [name for _, name, _ in MARKED.findall(page.read_text(encoding="utf-8"))]


def filled(page, functions):
    """A page with its tables as they should be."""
    for name in names_in(page):
        if name not in functions:
            where = page.relative_to(ROOT)
            raise UnknownTable(f"{where}: '{name}' is not a table; choose from {', '.join(sorted(functions))}")
    return MARKED.sub(
        lambda match: match[1] + markdown(match[2], functions) + match[3], page.read_text(encoding="utf-8")
    )


def main(arguments):
    parser = argparse.ArgumentParser(prog="experiments/run tables", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where a page would change")
    check = parser.parse_args(arguments).check
    functions = table_functions()
    changed = [page for page in pages() if page.read_text(encoding="utf-8") != filled(page, functions)]
    for page in changed:
        if not check:
            page.write_text(filled(page, functions), encoding="utf-8")
        print(f"{'Differs from the kept results' if check else 'Wrote'}: {page.relative_to(ROOT)}")
    if check and changed:
        sys.exit(1)
