"""Exact sums of Hermite features against plain formulations of the same sums, one thread each and all cores."""

import json
import os
import pathlib
import sys
import tempfile

import numpy

from benchmarks.measuring import best_of, in_fresh_process, plain_libraries, printed_by
from experiments.lib.bars import Figure

ROWS, COLUMNS, ORDER, LENGTH_SCALE = 50_000, 15, 100, 0.02


def features_numpy(values, rho, scale):
    """phi_0 .. phi_order of every value: the formulas as they are written."""
    z = scale * values
    phi = numpy.empty((ORDER + 1, *values.shape))
    phi[0] = (1 - rho**2) ** 0.25 * numpy.exp(-rho / (1 + rho) * z**2)
    phi[1] = numpy.sqrt(2 * rho) * z * phi[0]
    for k in range(1, ORDER):
        phi[k + 1] = numpy.sqrt(2 * rho / (k + 1)) * z * phi[k] - rho * numpy.sqrt(k / (k + 1)) * phi[k - 1]
    return phi


def features_torch(torch, values, rho, scale):
    z = scale * values
    phi = [(1 - rho**2) ** 0.25 * torch.exp(-rho / (1 + rho) * z**2)]
    phi.append((2 * rho) ** 0.5 * z * phi[0])
    for k in range(1, ORDER):
        phi.append((2 * rho / (k + 1)) ** 0.5 * z * phi[k] - rho * (k / (k + 1)) ** 0.5 * phi[k - 1])
    return torch.stack(phi)


def ours(folder, threads):
    (folder / "sums").unlink(missing_ok=True)
    printed = printed_by(
        "hermite_sums_benchmark", folder / "values", ROWS, COLUMNS, ORDER, LENGTH_SCALE, threads, 20, folder / "sums"
    )
    sums = numpy.fromfile(folder / "sums", dtype=numpy.int64).reshape(COLUMNS, ORDER + 1) / 2**20
    return printed, sums


def compare(name, answer, features):
    """Our sums against the sums of the same features, rounded as ours are. Features that differ by 1e-13 fall on
    different sides of a rounding boundary about once in 10^6 times."""
    rounded = numpy.rint(features * 2**20).sum(axis=2).T / 2**20
    worst = numpy.abs(answer - rounded).max() * 2**20
    if not worst <= 5:
        raise SystemExit(f"{name}: the answers differ by {worst} grid steps")


def plain(library, folder, rho, scale):
    """Seconds of a plain formulation, after its features have been compared with our sums."""
    values = numpy.fromfile(folder / "values").reshape(COLUMNS, ROWS)
    sums = numpy.fromfile(folder / "sums", dtype=numpy.int64).reshape(COLUMNS, ORDER + 1) / 2**20
    if library == "numpy":
        seconds = best_of(3, lambda: features_numpy(values, rho, scale).sum(axis=2))
        compare(library, sums, features_numpy(values, rho, scale))
        return seconds
    import torch

    torch.set_num_threads(1)
    tensor = torch.from_numpy(values)
    seconds = best_of(3, lambda: features_torch(torch, tensor, rho, scale).sum(dim=2))
    compare(library, sums, features_torch(torch, tensor, rho, scale).numpy())
    return seconds


def measure():
    """Our seconds on one thread and on all, and the plain formulations', once the answers have been compared."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numpy.random.default_rng(1).uniform(-1, 1, (COLUMNS, ROWS)).tofile(folder / "values")
        all_cores, all_sums = ours(folder, os.cpu_count())
        one, sums = ours(folder, 1)
        if (all_sums != sums).any():
            raise SystemExit("the sums depend on the number of threads")
        plain_seconds = {
            library: in_fresh_process("hermite_sums", library, folder, one["rho"], one["scale"], library=library)
            for library in plain_libraries()
        }
        return one, all_cores, plain_seconds


def run():
    one, all_cores, plain_seconds = measure()
    figures = [
        Figure(f"Hermite sums, 1 thread, {one['instruction_set']}", 1e3 * one["seconds"], "ms"),
        Figure(f"Hermite sums, {os.cpu_count()} threads", 1e3 * all_cores["seconds"], "ms"),
        Figure("features a second, 1 thread", ROWS * COLUMNS * (ORDER + 1) / one["seconds"] / 1e9, "10^9/s"),
    ]
    for library, seconds in plain_seconds.items():
        figures += [
            Figure(f"plain {library}, 1 thread", 1e3 * seconds, "ms"),
            Figure(f"ratio to {library}, 1 thread", seconds / one["seconds"], "x"),
            Figure(f"ratio to {library}, all cores", seconds / all_cores["seconds"], "x", at_least=50, only_idle=True),
        ]
    return figures


if __name__ == "__main__":
    print(json.dumps(plain(sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))))
