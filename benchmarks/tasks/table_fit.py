"""A table of codes fitted to noisy pairs, the size of the discretised Adult, beside a plain scalar formulation; its
pairwise model and more rows; a table twice as wide."""

import os

from benchmarks.measuring import printed_by
from experiments.lib.bars import Figure

ROWS, WIDE_ROWS = 22_561, 10_000
PROGRAM = "table_fit_benchmark"


def check(found):
    """Both are draws from one distribution: their energies and distances agree up to chance."""
    for name, allowed in (("energy", 0.02), ("distance", 0.02)):
        ours, plain = found[name], found[f"plain_{name}"]
        if not abs(ours - plain) <= allowed * plain:
            raise SystemExit(f"the {name} is {ours}, but {plain} by the plain formulation")


def run():
    found = printed_by(PROGRAM, ROWS, 1, 1, 1)
    check(found)
    wide = printed_by(PROGRAM, WIDE_ROWS, 2, 0, 1)
    cores = os.cpu_count()
    shared = printed_by(PROGRAM, ROWS, 1, 0, cores)
    if shared["energy"] != found["energy"]:
        raise SystemExit("the fit depends on the number of threads")
    return [
        Figure(f"{ROWS:,} rows of 15 columns, 26 sweeps, 1 thread", found["seconds"], "s", at_most=0.6, only_idle=True),
        Figure("plain scalar formulation", found["plain_seconds"], "s"),
        Figure("ratio to it", found["plain_seconds"] / found["seconds"], "x", at_least=5, only_idle=True),
        Figure("force tables", found["bytes"] / 1e6, "MB"),
        Figure("pairwise model, 1 thread", found["model_seconds"], "s"),
        Figure(f"pairwise model, {cores} threads", shared["model_seconds"], "s"),
        Figure("the same of 8,192 rows, 1 thread", found["part_seconds"], "s"),
        Figure("1,000 rows of the table under a condition", found["own_seconds"], "s"),
        Figure("1,000 rows under rare conditions", found["rare_seconds"], "s"),
        Figure("a million rows drawn and polished, 1 thread", found["draw_seconds"] * 1e6 / ROWS, "s"),
        Figure(f"{WIDE_ROWS:,} rows of 30 columns, 1 thread", wide["seconds"], "s"),
    ]
