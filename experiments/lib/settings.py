"""What an experiment is told: the program, where results go, and which part of it is wanted."""

import csv
import dataclasses
import json
import pathlib
import subprocess

from experiments.lib.results import Kept


@dataclasses.dataclass
class Settings:
    """Where an experiment finds the program and puts its results."""

    program: str
    folder: pathlib.Path  # for data and figures that stay
    records: pathlib.Path  # for tables with records, which are no result: it is removed after the run
    quick: bool
    datasets: tuple = ()  # of these alone; empty: of all that the experiment has
    methods: tuple = ()
    seeds: int = 0  # runs of each; 0: as many as the experiment says
    epsilons: tuple = ()  # of these alone; empty: of all that the experiment has
    few_classifiers: bool = False  # four of the twelve, where all take hours
    full: bool = False  # as many records as the paper, where the experiment has fewer because they take hours
    kept: Kept = dataclasses.field(default_factory=Kept)  # what --keep writes to experiments/results

    def seeds_or(self, full, quick=1):
        """Runs of each: as many as are asked for, or as this way to run has."""
        return self.seeds or (quick if self.quick else full)

    def call(self, *arguments):
        """Runs the program without its summary."""
        subprocess.run([self.program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    def json(self, *arguments):
        """Runs the program with --json; what it says. Only its output is taken: why a run failed is for the reader."""
        command = [self.program, *map(str, arguments), "--json"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)

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
