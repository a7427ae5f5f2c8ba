"""Results that are kept: experiments/results/NAME.csv, one row a figure, with the commit, the day and the machine of
its run."""

import csv
import dataclasses
import datetime
import os
import pathlib
import platform
import statistics
import subprocess

from experiments.lib.places import EXPERIMENTS, ROOT

FOLDER = EXPERIMENTS / "results"


class CannotBeKept(Exception):
    """Figures of this run could not be traced to a commit."""


@dataclasses.dataclass(frozen=True)
class Row:
    """A figure: the mean over some runs. Numbers are texts, with the digits that are known of them."""

    dataset: str
    method: str
    measure: str
    value: str
    deviation: str  # standard deviation between the runs; empty where there is one
    runs: str
    commit: str
    date: str
    machine: str

    def key(self):
        return self.dataset, self.method, self.measure


class Kept:
    """The figures of a run."""

    def __init__(self):
        self.values = {}

    def add(self, dataset, method, measure, values):
        """values: one a run."""
        self.values[str(dataset), str(method), str(measure)] = list(values)

    def append(self, dataset, method, measure, value):
        """That of one more run."""
        self.values.setdefault((str(dataset), str(method), str(measure)), []).append(value)

    def rows(self, origin):
        return [
            Row(
                *key,
                f"{statistics.fmean(values):.6g}",
                f"{statistics.stdev(values):#.3g}" if len(values) > 1 else "",
                str(len(values)),
                **origin,
            )
            for key, values in self.values.items()
        ]


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def processor():
    """The model's name, as the kernel has it where there is /proc."""
    path = pathlib.Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def origin():
    """Commit, day (UTC) and machine of figures that are measured now. Refuses where the commit does not tell the
    code."""
    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ":!experiments/results", ":!*.md")
        commit = git("rev-parse", "--short=7", "HEAD").strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotBeKept(f"--keep needs a git clone, to say which commit was measured: {error}") from error
    if changed:
        raise CannotBeKept(f"--keep needs committed code, to say what was measured; changed are:\n{changed}")
    return {
        "commit": commit,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores",
    }


def read(name):
    """The kept figures of an experiment, by dataset, method and measure."""
    path = FOLDER / f"{name}.csv"
    if not path.is_file():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        return {row.key(): row for row in (Row(**fields) for fields in csv.DictReader(file))}


def write(name, rows):
    """Replaces the figures that were measured again; others stay as they are."""
    kept = read(name)
    kept.update({row.key(): row for row in rows})
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(dataclasses.asdict(row) for row in kept.values())
