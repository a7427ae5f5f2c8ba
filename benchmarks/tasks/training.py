"""A training step, its loss and gradient, and sampling, beside plain formulations in float32; start-up."""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

from benchmarks.measuring import BUILD, best_of, in_fresh_process, plain_libraries, printed_by
from experiments.lib.bars import Figure

ROWS, COLUMNS, ORDER = 4884, 15, 100
# The program's default, and one so short that the features have full rank and Chebyshev series do not help.
LENGTH_SCALES = (0.15, 0.02)
INPUTS, HIDDEN = 5, (200, 200)
REPEATS, PLAIN_REPEATS, SAMPLE_ROWS = 300, 5, 500_000
MEHLER = BUILD / "mehler"


def read(folder, name, *shape):
    return numpy.fromfile(folder / name, dtype=numpy.float32).reshape(shape)


def split_parameters(flat):
    """The weights, scales and shifts of the hidden layers; the last weights and bias."""
    parts, place, width = [], 0, INPUTS
    for outputs in (*HIDDEN, COLUMNS):
        hidden = outputs != COLUMNS
        shapes = [(width, outputs), (outputs,), (outputs,)] if hidden else [(width, outputs), (outputs,)]
        for shape in shapes:
            size = math.prod(shape)
            parts.append(flat[place : place + size].reshape(shape))
            place += size
        width = outputs
    return parts


class PlainNumpy:
    """The formulas as they are written, one array operation each, in the type of `targets`."""

    def __init__(self, folder, constants, dtype=numpy.float32):
        self.targets = read(folder, "targets", COLUMNS, ORDER + 1).T.astype(dtype)
        self.parameters = [part.copy() for part in split_parameters(read(folder, "parameters", -1).astype(dtype))]
        self.moments = [(numpy.zeros_like(part), numpy.zeros_like(part)) for part in self.parameters]
        self.steps = 0
        self.dtype = dtype
        self.constants = constants
        self.rho, self.scale = constants["rho"], constants["scale"]
        self.random = numpy.random.default_rng(1)

    def features(self, values):
        """z, and phi_0 .. phi_order of every value: [order + 1][rows][columns]."""
        rho = self.rho
        z = self.scale * values
        phi = numpy.empty((ORDER + 1, *values.shape), self.dtype)
        phi[0] = (1 - rho**2) ** 0.25 * numpy.exp(-rho / (1 + rho) * z**2)
        phi[1] = math.sqrt(2 * rho) * z * phi[0]
        for k in range(1, ORDER):
            phi[k + 1] = math.sqrt(2 * rho / (k + 1)) * z * phi[k] - rho * math.sqrt(k / (k + 1)) * phi[k - 1]
        return z, phi

    def loss(self, values):
        """The mean of r1 r2 / sigma^2 over the features, r1 and r2 the residuals of half a batch each, and its
        gradient by the values."""
        half = ROWS // 2
        factor = self.constants["records"] / half
        weight = 1 / self.constants["sigma"] ** 2 / self.targets.size
        z, phi = self.features(values)
        residuals = [self.targets - factor * part.sum(axis=1) for part in (phi[:, :half], phi[:, half:])]
        raised = numpy.sqrt(2 * self.rho * numpy.arange(1, ORDER + 1)).astype(self.dtype)
        slopes = -2 * self.rho / (1 + self.rho) * z * phi
        slopes[1:] += raised[:, None, None] * phi[:-1]
        gradient = numpy.concatenate(
            [
                numpy.einsum("kc,krc->rc", residuals[1], slopes[:, :half]),
                numpy.einsum("kc,krc->rc", residuals[0], slopes[:, half:]),
            ]
        )
        return weight * (residuals[0] * residuals[1]).sum(), -factor * weight * self.scale * gradient

    def gradient(self, inputs):
        """The loss of a batch and its gradient by the parameters."""
        below, traces = inputs, []
        for layer in range(len(HIDDEN)):
            weights, scale, shift = self.parameters[3 * layer : 3 * layer + 3]
            linear = below @ weights
            deviation = numpy.sqrt(linear.var(axis=0) + 1e-5)
            normalized = (linear - linear.mean(axis=0)) / deviation
            output = numpy.maximum(scale * normalized + shift, 0)
            traces.append((below, normalized, deviation, output))
            below = output
        weights, bias = self.parameters[-2:]
        values = numpy.tanh(below @ weights + bias)
        loss, above = self.loss(values)
        above = above * (1 - values**2)
        gradients = [below.T @ above, above.sum(axis=0)]
        above = above @ weights.T
        for layer in reversed(range(len(HIDDEN))):
            below, normalized, deviation, output = traces[layer]
            weights, scale, _ = self.parameters[3 * layer : 3 * layer + 3]
            above = above * (output > 0)
            shift_gradient, scale_gradient = above.sum(axis=0), (above * normalized).sum(axis=0)
            above = scale / deviation * (above - shift_gradient / ROWS - normalized * scale_gradient / ROWS)
            gradients = [below.T @ above, scale_gradient, shift_gradient, *gradients]
            if layer > 0:
                above = above @ weights.T
        return loss, gradients

    def update(self, gradients):
        """Adam."""
        self.steps += 1
        for parameter, gradient, (first, second) in zip(self.parameters, gradients, self.moments):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            corrected = numpy.sqrt(second / (1 - 0.999**self.steps)) + 1e-8
            parameter -= self.constants["learning_rate"] / (1 - 0.9**self.steps) * first / corrected

    def step(self):
        inputs = numpy.ones((ROWS, INPUTS), self.dtype)
        inputs[:, :-1] = self.random.standard_normal((ROWS, INPUTS - 1), self.dtype)
        self.update(self.gradient(inputs)[1])

    def loss_at(self, values):
        loss, gradient = self.loss(values.astype(self.dtype))
        return float(loss), gradient

    def gradient_at(self, inputs):
        return self.gradient(inputs.astype(self.dtype))[1]

    def updated_by(self, flat):
        self.update(split_parameters(flat.astype(self.dtype)))
        return self.parameters


class PlainTorch:
    """The same with automatic derivatives and torch's own layers and optimiser."""

    def __init__(self, folder, constants):
        import torch

        self.torch = torch
        self.targets = torch.from_numpy(read(folder, "targets", COLUMNS, ORDER + 1).T.copy())
        layers, width = [], INPUTS
        for outputs in HIDDEN:
            layers += [torch.nn.Linear(width, outputs, bias=False), torch.nn.BatchNorm1d(outputs), torch.nn.ReLU()]
            width = outputs
        self.network = torch.nn.Sequential(*layers, torch.nn.Linear(width, COLUMNS), torch.nn.Tanh())
        with torch.no_grad():
            for parameter, part in zip(self.network.parameters(), split_parameters(read(folder, "parameters", -1))):
                parameter.copy_(torch.from_numpy(part.T.copy()))
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=constants["learning_rate"])
        self.constants = constants
        self.rho, self.scale = constants["rho"], constants["scale"]

    def loss(self, values):
        torch, rho, half = self.torch, self.rho, ROWS // 2
        z = self.scale * values
        phi = [(1 - rho**2) ** 0.25 * torch.exp(-rho / (1 + rho) * z**2)]
        phi.append(math.sqrt(2 * rho) * z * phi[0])
        for k in range(1, ORDER):
            phi.append(math.sqrt(2 * rho / (k + 1)) * z * phi[k] - rho * math.sqrt(k / (k + 1)) * phi[k - 1])
        phi = torch.stack(phi)
        factor = self.constants["records"] / half
        first, second = (self.targets - factor * part.sum(dim=1) for part in (phi[:, :half], phi[:, half:]))
        return (first * second).mean() / self.constants["sigma"] ** 2

    def backward(self, inputs):
        self.optimizer.zero_grad()
        self.loss(self.network(inputs)).backward()

    def step(self):
        inputs = self.torch.ones(ROWS, INPUTS)
        inputs[:, :-1] = self.torch.randn(ROWS, INPUTS - 1)
        self.backward(inputs)
        self.optimizer.step()

    def loss_at(self, values):
        tensor = self.torch.from_numpy(values.copy()).requires_grad_()
        loss = self.loss(tensor)
        loss.backward()
        return loss.item(), tensor.grad.numpy()

    def gradient_at(self, inputs):
        self.backward(self.torch.from_numpy(inputs))
        return [parameter.grad.numpy().T for parameter in self.network.parameters()]

    def updated_by(self, flat):
        for parameter, part in zip(self.network.parameters(), split_parameters(flat)):
            parameter.grad = self.torch.from_numpy(part.T.copy())
        self.optimizer.step()
        return [parameter.detach().numpy().T for parameter in self.network.parameters()]


def distance(ours, other):
    """||ours - other|| / ||other||."""
    return float(numpy.linalg.norm(ours - other) / numpy.linalg.norm(other))


def differences(plain, folder, constants):
    """How far our numbers of the first step are from a plain formulation's."""
    values = numpy.ascontiguousarray(read(folder, "values", COLUMNS, ROWS).T)
    loss, gradient = plain.loss_at(values)
    by_parameters = plain.gradient_at(read(folder, "inputs", ROWS, INPUTS))
    ours = split_parameters(read(folder, "parameter_gradient", -1))
    result = {
        "loss": abs(constants["loss"] - loss) / abs(loss),
        "gradient by the values": distance(read(folder, "value_gradient", COLUMNS, ROWS).T, gradient),
        "gradient by the parameters": max(map(distance, ours, by_parameters)),
    }
    before = split_parameters(read(folder, "parameters", -1))
    after = split_parameters(read(folder, "parameters_after", -1))
    moved = plain.updated_by(read(folder, "parameter_gradient", -1))
    # Adam divides by the size of the gradient: where that is rounding error (the weights of the constant input, which
    # normalisation takes out again), so is the step.
    result["Adam's step"] = max(
        distance((our - old)[large], (new - old)[large])
        for our, new, old, large in zip(
            after, moved, before, (numpy.abs(part) > 1e-3 * numpy.abs(part).max() for part in ours)
        )
    )
    return result


def plain_figures(library, folder):
    """Differences from a plain formulation, and its seconds."""
    constants = json.loads((folder / "constants.json").read_text())
    values = numpy.ascontiguousarray(read(folder, "values", COLUMNS, ROWS).T)
    if library == "torch":
        plain = PlainTorch(folder, constants)
        compared = [differences(plain, folder, constants)]
    else:
        plain = PlainNumpy(folder, constants)
        compared = [
            differences(plain, folder, constants),
            differences(PlainNumpy(folder, constants, numpy.float64), folder, constants),
        ]
    return {
        "differences": compared,
        "loss": best_of(PLAIN_REPEATS, lambda: plain.loss_at(values)),
        "step": best_of(PLAIN_REPEATS, plain.step),
    }


def ours(folder, length_scale, threads, sample_rows=0):
    """Our seconds; FOLDER receives what they are compared with."""
    folder.mkdir()
    printed = printed_by(
        "training_step_benchmark", folder, ROWS, COLUMNS, ORDER, length_scale, threads, REPEATS, sample_rows
    )
    (folder / "constants.json").write_text(json.dumps(printed))
    return printed["seconds"]


def plain_seconds(library, folder, threads):
    """Seconds of a plain formulation, once our answers have been compared with its."""
    os.environ["OMP_NUM_THREADS"] = str(threads)  # numpy's and torch's matrix products
    plain = in_fresh_process("training", library, folder, library=library)
    for compared in plain["differences"]:
        for what, difference in compared.items():
            if not difference <= 1e-3:
                raise SystemExit(f"{library}: the {what} differs by {difference:.2g} of its size")
    return plain


def measure(folder, length_scale, sample_rows=0):
    """Ours and every plain formulation, on one thread and on all: {name: {threads: seconds}}."""
    folders = {threads: folder / str(threads) for threads in sorted({1, os.cpu_count()})}
    measured = {"ours": {threads: ours(path, length_scale, threads, sample_rows) for threads, path in folders.items()}}
    for library in plain_libraries():
        measured[library] = {threads: plain_seconds(library, path, threads) for threads, path in folders.items()}
    return measured


def compare(measured, what, words, bar):
    """The seconds of one part, side by side. The bar is for the fastest of each: on a busy machine more threads can be
    slower."""
    figures = []
    for name, by_threads in measured.items():
        figures += [
            Figure(
                f"{words}, {name if name == 'ours' else 'plain ' + name}, {threads} thread{'s' if threads > 1 else ''}",
                1e3 * seconds[what],
                "ms",
            )
            for threads, seconds in by_threads.items()
        ]
    libraries = [name for name in measured if name != "ours"]
    figures += [
        Figure(f"{words}, ratio to {name}, 1 thread", measured[name][1][what] / measured["ours"][1][what], "x")
        for name in libraries
    ]
    fastest = {name: min(seconds[what] for seconds in by_threads.values()) for name, by_threads in measured.items()}
    best = min(libraries, key=fastest.get)
    return figures + [
        Figure(
            f"{words}, ratio to the fastest plain one ({best})",
            fastest[best] / fastest["ours"],
            "x",
            at_least=bar,
            only_idle=True,
        )
    ]


def run():
    figures, default = [], None
    with tempfile.TemporaryDirectory() as name:
        for length_scale in LENGTH_SCALES:
            folder = pathlib.Path(name) / str(length_scale)
            folder.mkdir()
            measured = measure(folder, length_scale, SAMPLE_ROWS if default is None else 0)
            figures += compare(measured, "loss", f"loss and gradient, length scale {length_scale}", 200)
            default = default or measured
    figures += compare(default, "step", f"training step, length scale {LENGTH_SCALES[0]}", 8)
    figures += [
        Figure("parts of a step, 1 thread: " + part, 1e3 * default["ours"][1][part], "ms")
        for part in ("inputs", "forward", "loss", "backward", "adam")
    ]
    for threads, seconds in default["ours"].items():
        figures.append(
            Figure(
                f"sampled rows, {threads} thread{'s' if threads > 1 else ''}",
                SAMPLE_ROWS / seconds["sample"] / 1e6,
                "10^6/s",
                at_least=1,
                only_idle=True,
            )
        )
    figures.append(
        Figure(
            "mehler --version",
            1e3 * best_of(20, lambda: subprocess.run([MEHLER, "--version"], check=True, stdout=subprocess.DEVNULL)),
            "ms",
            at_most=50,
            only_idle=True,
        )
    )
    return figures


if __name__ == "__main__":
    print(json.dumps(plain_figures(sys.argv[1], pathlib.Path(sys.argv[2]))))
