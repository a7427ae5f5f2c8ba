"""Exact sums of Hermite features against plain formulations of the same sums, one thread each and all cores."""

import json
import os
import pathlib
import subprocess
import tempfile

import numpy

from figures import Figure, best_of

ROWS, COLUMNS, ORDER, LENGTH_SCALE = 50_000, 15, 100, 0.02
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "hermite_sums_benchmark"


def features_numpy(values, rho, scale):
    """phi_0 .. phi_order of every value: the formulas as they are written."""
    z = scale * values
    phi = numpy.empty((ORDER + 1, *values.shape))
    phi[0] = (1 - rho**2) ** 0.25 * numpy.exp(-rho / (1 + rho) * z**2)
    phi[1] = numpy.sqrt(2 * rho) * z * phi[0]
    for k in range(1, ORDER):
        phi[k + 1] = (numpy.sqrt(2 * rho / (k + 1)) * z * phi[k]
                      - rho * numpy.sqrt(k / (k + 1)) * phi[k - 1])
    return phi


def plain_numpy(values, rho, scale):
    return features_numpy(values, rho, scale).sum(axis=2).T


def features_torch(torch, values, rho, scale):
    z = scale * values
    phi = [(1 - rho**2) ** 0.25 * torch.exp(-rho / (1 + rho) * z**2)]
    phi.append((2 * rho) ** 0.5 * z * phi[0])
    for k in range(1, ORDER):
        phi.append((2 * rho / (k + 1)) ** 0.5 * z * phi[k] - rho * (k / (k + 1)) ** 0.5 * phi[k - 1])
    return torch.stack(phi)


def ours(folder, threads):
    printed = subprocess.run(
        [PROGRAM, folder / "values", str(ROWS), str(COLUMNS), str(ORDER), str(LENGTH_SCALE), str(threads), "20",
         folder / "sums"], check=True, capture_output=True, text=True).stdout
    sums = numpy.fromfile(folder / "sums", dtype=numpy.int64).reshape(COLUMNS, ORDER + 1) / 2**20
    return json.loads(printed), sums


def compare(name, answer, features):
    """Our sums against the sums of the same features, rounded as ours are. Features that differ by 1e-13 fall on
    different sides of a rounding boundary about once in 10^6 times."""
    rounded = numpy.rint(features * 2**20).sum(axis=2).T / 2**20
    worst = numpy.abs(answer - rounded).max() * 2**20
    if not worst <= 5:
        raise SystemExit(f"{name}: the answers differ by {worst} grid steps")


def run():
    values = numpy.random.default_rng(1).uniform(-1, 1, (COLUMNS, ROWS))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        values.tofile(folder / "values")
        facts, sums = ours(folder, 1)
        compare("numpy", sums, features_numpy(values, facts["rho"], facts["scale"]))
        numpy_seconds = best_of(3, lambda: plain_numpy(values, facts["rho"], facts["scale"]))
        facts, _ = ours(folder, 1)
        all_facts, all_sums = ours(folder, os.cpu_count())
        if (all_sums != sums).any():
            raise SystemExit("the sums depend on the number of threads")
        features = ROWS * COLUMNS * (ORDER + 1)
        figures = [
            Figure("Hermite sums, numpy, 1 thread", 1e3 * numpy_seconds, "ms"),
            Figure(f"Hermite sums, 1 thread, {facts['instruction_set']}", 1e3 * facts["seconds"], "ms"),
            Figure(f"Hermite sums, {os.cpu_count()} threads", 1e3 * all_facts["seconds"], "ms"),
            Figure("features a second, 1 thread", features / facts["seconds"] / 1e9, "10^9/s"),
            Figure("ratio to numpy, 1 thread", numpy_seconds / facts["seconds"], "x"),
            Figure("ratio to numpy, all cores", numpy_seconds / all_facts["seconds"], "x", at_least=50),
        ]
        try:
            import torch
        except ImportError:
            return figures
        torch.set_num_threads(1)
        tensor = torch.from_numpy(values)
        compare("torch", sums, features_torch(torch, tensor, facts["rho"], facts["scale"]).numpy())
        torch_seconds = best_of(3, lambda: features_torch(torch, tensor, facts["rho"], facts["scale"]).sum(dim=2))
        return figures + [
            Figure("Hermite sums, torch, 1 thread", 1e3 * torch_seconds, "ms"),
            Figure("ratio to torch, 1 thread", torch_seconds / facts["seconds"], "x"),
            Figure("ratio to torch, all cores", torch_seconds / all_facts["seconds"], "x", at_least=50),
        ]
