"""What classifier_scores has measured."""

import csv
import os
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

NO_GUARANTEE = (
    "These figures were computed from real records, without noise. No privacy guarantee covers them, neither that of a "
    "release nor any other: they are for the owner of the data and must not be published."
)


@dataclass(frozen=True)
class ScoreRow:
    """One classifier, one seed. `metrics` is empty where it could not be trained; `note` says why."""

    classifier: str
    seed: int
    metrics: dict[str, float]
    note: str = ""


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over seeds (n - 1 in the denominator; None for a single seed)."""

    mean: float
    sd: float | None

    @classmethod
    def of(cls, values: Sequence[float]):
        return cls(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True)
class ClassifierScores:
    """Scores of classifiers trained on one table and tested on another.

    `metrics` names what was measured; `positive` the class that roc_auc and average_precision are about (None for
    several classes); `notes` say what was done to the tables; `records` is how many were trained on.
    """

    rows: list[ScoreRow]
    metrics: tuple[str, ...]
    protocol: str
    positive: str | None = None
    notes: list[str] = field(default_factory=list)
    records: int = 0

    def summary(self) -> dict[str, dict[str, Spread]]:
        """classifier -> metric -> Spread; and "mean": the mean over the classifiers, per seed, and its spread.

        Classifiers that were not trained (see `note` of their rows) are absent, and not in the mean.
        """
        summary = {}
        by_seed = {}
        for row in self.rows:
            for metric, value in row.metrics.items():
                summary.setdefault(row.classifier, {}).setdefault(metric, []).append(value)
                by_seed.setdefault(metric, {}).setdefault(row.seed, []).append(value)
        summary["mean"] = {
            metric: [statistics.fmean(values) for values in seeds.values()] for metric, seeds in by_seed.items()
        }
        return {
            name: {metric: Spread.of(values) for metric, values in metrics.items()} for name, metrics in summary.items()
        }

    def to_csv(self, path):
        """Writes a line per row, whole or not at all."""
        write_csv([self], path)


def write_csv(all_scores, path):
    """Writes a line per row of scores with the same metrics, whole or not at all."""
    path = Path(path)
    metrics = all_scores[0].metrics
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["classifier", "seed", "protocol", "records", *metrics, "note", "privacy_guarantee"])
            for scores in all_scores:
                for row in scores.rows:
                    figures = [f"{row.metrics[metric]:.6f}" if metric in row.metrics else "" for metric in metrics]
                    writer.writerow(
                        [
                            row.classifier,
                            row.seed,
                            scores.protocol,
                            scores.records,
                            *figures,
                            row.note,
                            "none: computed from real records",
                        ]
                    )
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
