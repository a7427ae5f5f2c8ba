"""A private step of a critic beside the formulation that keeps every example's gradient, in torch and in numpy."""

import json
import os
import pathlib
import sys
import tempfile
import time

import numpy

from benchmarks.measuring import in_fresh_process, plain_libraries, printed_by
from experiments.lib.bars import Figure

# The critics of dp-gan: as its authors have it, and our own; records of Adult's size, batches of 400.
CRITICS = {"110-512-256-1": (110, 512, 256), "110-128-64-1": (110, 128, 64)}
BATCH, CLIP_NORM, NOISE, STEPS, LEAK = 400, 0.5, 10.0, 100, 0.2


def read(folder, name):
    return numpy.fromfile(folder / name, dtype=numpy.float32)


def split_parameters(flat, widths):
    """Weights [inputs][outputs] and bias of each layer."""
    parts, place = [], 0
    for inputs, outputs in zip(widths, (*widths[1:], 1)):
        weights = flat[place : place + inputs * outputs].reshape(inputs, outputs)
        place += inputs * outputs
        parts.append((weights, flat[place : place + outputs]))
        place += outputs
    return parts


class PlainNumpy:
    """Every example's gradient of every tensor, their norms, their clipped sum."""

    def __init__(self, records, parameters):
        self.records = records
        self.parameters = parameters
        self.random = numpy.random.default_rng(1)

    def sums(self):
        below, taken = self.records, []
        for weights, bias in self.parameters:
            taken.append(below)
            linear = below @ weights + bias
            below = numpy.where(linear > 0, linear, LEAK * linear) if weights.shape[1] > 1 else linear
        slopes, samples = -numpy.ones((len(self.records), 1), numpy.float32), []
        for layer in reversed(range(len(self.parameters))):
            samples = [numpy.einsum("ni,nj->nij", taken[layer], slopes), slopes, *samples]
            if layer > 0:
                slopes = slopes @ self.parameters[layer][0].T
                slopes = slopes * numpy.where(taken[layer] > 0, numpy.float32(1), numpy.float32(LEAK))
        flat = [sample.reshape(len(sample), -1) for sample in samples]
        norms = numpy.sqrt(sum((sample**2).sum(axis=1) for sample in flat))
        factors = numpy.minimum(1, CLIP_NORM / (norms + 1e-6)).astype(numpy.float32)
        return numpy.concatenate([factors @ sample for sample in flat])

    def step(self):
        sums = self.sums()
        return sums + NOISE * CLIP_NORM * self.random.standard_normal(len(sums), numpy.float32)


class PlainTorch:
    """The same as Opacus has it: hooks keep what a layer takes and the slopes of what it gives."""

    def __init__(self, records, parameters):
        import torch

        self.torch = torch
        self.records = torch.from_numpy(records)
        layers = []
        for weights, bias in parameters:
            layer = torch.nn.Linear(*weights.shape)
            with torch.no_grad():
                layer.weight.copy_(torch.from_numpy(weights.T.copy()))
                layer.bias.copy_(torch.from_numpy(bias.copy()))
            layer.register_forward_hook(self.keep_taken)
            layer.register_full_backward_hook(self.keep_sample)
            layers += [layer, torch.nn.LeakyReLU(LEAK)]
        self.layers = layers[:-1:2]
        self.network = torch.nn.Sequential(*layers[:-1])

    @staticmethod
    def keep_taken(layer, taken, _):
        layer.taken = taken[0]

    def keep_sample(self, layer, _, slopes):
        layer.sample = self.torch.einsum("ni,nj->nij", layer.taken.detach(), slopes[0])
        layer.bias_sample = slopes[0]

    def sums(self):
        torch = self.torch
        self.network.zero_grad()
        (-self.network(self.records)).sum().backward()
        samples = [s for layer in self.layers for s in (layer.sample, layer.bias_sample)]
        norms = torch.stack([s.flatten(1).norm(2, dim=1) for s in samples], dim=1).norm(2, dim=1)
        factors = (CLIP_NORM / (norms + 1e-6)).clamp(max=1)
        return [torch.einsum("n,n...->...", factors, s) for s in samples]

    def step(self):
        return [s + self.torch.normal(0, NOISE * CLIP_NORM, s.shape) for s in self.sums()]

    def flat_sums(self):
        return numpy.concatenate([s.detach().numpy().reshape(-1) for s in self.sums()])


def plain_figures(library, folder, widths):
    """How far our sums are from a plain formulation's, and the seconds of its steps."""
    records = read(folder, "records").reshape(BATCH, widths[0])
    parameters = split_parameters(read(folder, "parameters"), widths)
    plain = PlainTorch(records, parameters) if library == "torch" else PlainNumpy(records, parameters)
    theirs = plain.flat_sums() if library == "torch" else plain.sums()
    ours = read(folder, "sums")
    plain.step()
    start = time.perf_counter()
    for _ in range(STEPS):
        plain.step()
    return {
        "difference": float(numpy.linalg.norm(ours - theirs) / numpy.linalg.norm(theirs)),
        "seconds": time.perf_counter() - start,
    }


def compare(name, widths, folder):
    """100 steps of ours and of every plain formulation, on all cores."""
    threads = os.cpu_count()
    ours = printed_by("private_step_benchmark", folder, BATCH, *widths, CLIP_NORM, threads, STEPS)["seconds"]
    figures = [Figure(f"critic {name}, {STEPS} private steps, ours", 1e3 * ours, "ms")]
    for library in plain_libraries():
        plain = in_fresh_process("private_step", library, folder, *widths, library=library)
        if not plain["difference"] <= 1e-3:
            raise SystemExit(f"{library}: the sums differ by {plain['difference']:.2g} of their size")
        figures.append(Figure(f"critic {name}, {STEPS} steps, plain {library}", 1e3 * plain["seconds"], "ms"))
        # What is wanted is 5 times torch, which is optional; numpy is there always.
        bar = 5 if library == "torch" else None
        ratio = plain["seconds"] / ours
        figures.append(Figure(f"critic {name}, ratio to {library}", ratio, "x", at_least=bar, only_idle=True))
    return figures


def run():
    figures = []
    for name, widths in CRITICS.items():
        with tempfile.TemporaryDirectory() as folder:
            figures += compare(name, widths, pathlib.Path(folder))
    return figures


if __name__ == "__main__":
    words = sys.argv[3:]
    print(json.dumps(plain_figures(sys.argv[1], pathlib.Path(sys.argv[2]), tuple(map(int, words)))))
