"""What the published systems of the paper's comparison state as their epsilon, and what their noise really gives, by
`mehler privacy` at delta 1e-5."""

import dataclasses
import math

from experiments.lib.bars import Figure
from experiments.lib.costs import TRUE_EPSILON
from experiments.lib.methods import DELTA
from experiments.lib.text import aligned, pyplot


@dataclasses.dataclass(frozen=True)
class Published:
    """A system as its authors ran it."""

    system: str
    data: str
    stated: str
    mechanism: str  # words of `mehler privacy`
    why: str  # what makes the difference
    is_lower_bound: bool = False  # whether something leaks on top that the mechanism does not show

    def row(self):
        """Under which its figure is kept."""
        return f"{self.system} at {self.stated}"

    def shown(self, epsilon):
        """Three digits; of a lower bound rounded down."""
        if not self.is_lower_bound:
            return f"{epsilon:.3g}"
        unit = 10 ** (math.floor(math.log10(epsilon)) - 2)
        return f"at least {math.floor(epsilon / unit) * unit:.3g}"

    def command(self):
        return f"mehler privacy {self.mechanism} --delta {DELTA:g}"


LABELS_LEAK = "; generated records take the labels of private batches, without noise"
PUBLISHED = (
    Published("DP-MERF", "images", "1", "gaussian --noise-multiplier 5", "a loose bound"),
    Published("DP-MERF", "images", ".2", "gaussian --noise-multiplier 25", "a loose bound"),
    Published(
        "DP-MERF",
        "tables of numbers",
        "1",
        "gaussian --noise-multiplier 6.93 --count 2",
        "a loose bound; with categories it does not hold, whose codes enter as numbers far beyond the norm assumed",
    ),
    Published(
        "DP-GAN",
        "images",
        "9.6",
        "subsampled --noise-multiplier 2.82 --rate 64/5421 --steps 1700",
        "the losses of ten classes are added up, but a record is in one of them; noise for exchanged records",
    ),
    Published(
        "DP-CGAN",
        "images",
        "9.6",
        "subsampled --noise-multiplier .56 --rate 600/55000 --steps 30304",
        "each of four tensors is clipped by itself, so that their norm is twice the one accounted; the clipping norm, "
        f"1.1, multiplies the noise once more in the accountant{LABELS_LEAK}",
        is_lower_bound=True,
    ),
    Published(
        "DP-CGAN",
        "tables",
        ".9",
        "gaussian --noise-multiplier .55 --count 38",
        "all 38 steps take the first 400 records, whose batches are accounted as samples",
        is_lower_bound=True,
    ),
    Published(
        "DP-CGAN",
        "mixture",
        "1",
        "subsampled --noise-multiplier 2.5 --rate 300/90000 --steps 40609",
        f"as for images, with a clipping norm of 1{LABELS_LEAK}",
        is_lower_bound=True,
    ),
    Published(
        "GS-WGAN",
        "images",
        "10",
        "subsampled --noise-multiplier .189151 --rate .001 --steps 20000",
        "32 gradients of a step come from one critic that was drawn, and are accounted as 32 draws: jointly their noise "
        "is 1.07 over the root of 32",
        is_lower_bound=True,
    ),
)


def plot(settings, found):
    plt = pyplot()
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    places = range(len(found))
    axes.barh([place - 0.2 for place in places], found.values(), height=0.36, label="as the noise gives it")
    axes.barh([place + 0.2 for place in places], [float(of.stated) for of in found], height=0.36, label="as stated")
    axes.set_yticks(places, [f"{published.system}, {published.data}" for published in found], fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel(f"epsilon at delta {DELTA:g}")
    axes.legend(fontsize=8)
    settings.save(figure, "published-privacy")


def run(settings):
    found = {published: settings.json(*published.command().split()[1:])["epsilon"] for published in PUBLISHED}
    rows = []
    for published, epsilon in found.items():
        settings.kept.add(published.data, published.row(), TRUE_EPSILON, [epsilon])
        rows.append(
            {
                "system": published.system,
                "data": published.data,
                "stated": published.stated,
                "true": f"{epsilon:.4f}",
                "command": published.command(),
            }
        )
    settings.write("published-privacy", rows)
    plot(settings, found)
    lines = [["", "data", "stated", "has", ""]]
    lines += [
        [published.system, published.data, published.stated, published.shown(epsilon), published.command()]
        for published, epsilon in found.items()
    ]
    print(f"Epsilon at delta {DELTA:g}, as stated by the authors and as their noise gives it.\n{aligned(lines)}\n")
    return [Figure(f"{published.row()}, {published.data}", epsilon) for published, epsilon in found.items()]


def table(figures):
    """For the documentation."""
    lines = [["system", "data", "states", "has", "why", "to recompute"]]
    for published in PUBLISHED:
        epsilon, command = true_epsilon(figures, published), f"`{published.command()}`"
        lines.append([published.system, published.data, published.stated, epsilon, published.why, command])
    return lines


def true_epsilon(figures, published):
    """The kept one in words; nothing where it was not computed."""
    row = figures.find(published.data, published.row(), TRUE_EPSILON)
    return published.shown(float(row.value)) if row else ""


TABLES = {"published-privacy": table}
