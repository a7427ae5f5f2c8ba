"""Measured numbers and the bars that they should reach, of experiments and of benchmarks."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Figure:
    """A measured number. Its bar stands beside it or, for experiments, in a file of expectations under the same
    name."""

    name: str
    value: float | None  # None: not measured this time
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None
    only_idle: bool = False  # the bar is one for an idle machine alone
    why: str = ""  # where the bar comes from

    def has_bar(self):
        return self.value is not None and not (self.at_least is None and self.at_most is None)

    def holds(self):
        """Whether the bar is reached, if there is one; NaN reaches none."""
        if not self.has_bar():
            return True
        low = float("-inf") if self.at_least is None else self.at_least
        high = float("inf") if self.at_most is None else self.at_most
        return low <= self.value <= high

    def bar(self):
        """The bar in words."""
        limits = {"at least": self.at_least, "at most": self.at_most}
        return ", ".join(f"{words} {limit:g}" for words, limit in limits.items() if limit is not None)

    def verdict(self, busy_machine=False):
        """On a busy machine a bar that only an idle one can reach is excused, and said to be."""
        if self.holds():
            return "holds"
        return "excused" if busy_machine and self.only_idle else "FAILS"


def missed(figures, busy_machine=False):
    """Those whose bar is missed without an excuse."""
    return [figure for figure in figures if figure.verdict(busy_machine) == "FAILS"]


def lines_of(figures):
    """Each figure beside its bar and where that comes from."""
    lines = []
    for figure in figures:
        if figure.value is None:
            lines.append(f"-      {figure.name}: not measured")
        else:
            lines += [
                f"{figure.verdict()}  {figure.name}: {figure.value:.4g}  ({figure.bar()})",
                f"       {figure.why}",
            ]
    return lines


def check(findings, expected, quick):
    """Findings beside expectations, as lines; and whether all hold. Where few draws need more room, an expectation has
    limits of its own under "quick"; where it is of one of the two ways to run alone, "only" is "quick" or "full". A
    finding without an expectation, or the other way round, is a failure: neither file may fall behind the other."""
    found = {finding.name: finding for finding in findings}
    way = "quick" if quick else "full"
    expected = {name: limits for name, limits in expected.items() if limits.get("only", way) == way}
    figures = []
    for name in expected.keys() & found.keys():
        limits = expected[name]["quick"] if quick and "quick" in expected[name] else expected[name]
        bar = {word: limits.get(word) for word in ("at_least", "at_most")}
        figures.append(dataclasses.replace(found[name], why=expected[name]["why"], **bar))
    figures.sort(key=lambda figure: list(expected).index(figure.name))
    lines = [
        f"FAILS  {name} is {'found but not expected' if name in found else 'expected but not found'}"
        for name in sorted(found.keys() ^ expected.keys())
    ]
    return lines + lines_of(figures), not lines and not missed(figures)
