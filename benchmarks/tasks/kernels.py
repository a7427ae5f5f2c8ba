"""The kernels beside what the machine can multiply and beside plain formulations, with answers compared first."""

import pathlib
import tempfile

from benchmarks.machine import Machine
from benchmarks.measuring import plain_libraries, printed_by
from benchmarks.tasks import hermite_sums, products, training
from experiments.lib.bars import Figure

REPEATS = 300


def sum_embedding_figures(machine):
    """Exact sums of private records. They round every feature and do without fused multiply-adds, so that every
    instruction set gives the same bits: six operations an order and value, not two."""
    one, _, plain_seconds = hermite_sums.measure()
    machine.measure()
    words = f"exact sums, order {hermite_sums.ORDER}"
    limit = 2 * hermite_sums.ROWS * hermite_sums.COLUMNS * hermite_sums.ORDER
    figures = [
        Figure(f"{words}: {hermite_sums.ROWS} x {hermite_sums.COLUMNS} values", 1e3 * one["seconds"], "ms"),
        Figure(
            f"{words}: share of two multiply-adds an order",
            machine.share("doubles", limit, one["seconds"]),
            "",
            at_least=0.7,
            only_idle=True,
        ),
    ]
    return figures + [
        Figure(f"{words}: ratio to {library}", seconds / one["seconds"], "x", at_least=200, only_idle=True)
        for library, seconds in plain_seconds.items()
    ]


def sum_loss_figures(machine):
    """Sums of features of generated records and their gradients, on either route. The program compares every answer
    with double before it prints a time."""
    sizes = (training.ROWS, training.COLUMNS, training.ORDER)
    routes = printed_by("sum_loss_benchmark", *sizes, REPEATS)
    machine.measure()
    limit = 4 * training.ROWS * training.COLUMNS * training.ORDER  # two for the sums and two for the gradient
    figures = []
    for length_scale in training.LENGTH_SCALES:
        words = f"sum loss, length scale {length_scale}"
        with tempfile.TemporaryDirectory() as name:
            folders = {threads: pathlib.Path(name) / str(threads) for threads in (1, 2)}
            in_training = {
                threads: training.ours(folder, length_scale, threads)["loss"] for threads, folder in folders.items()
            }
            plain = {library: training.plain_seconds(library, folders[1], 1)["loss"] for library in plain_libraries()}
        figures += [
            Figure(f"{words}: {sizes[0]} x {sizes[1]} values, plain {library}", 1e3 * seconds, "ms")
            for library, seconds in plain.items()
        ]
        for route in ("recursion", "chebyshev"):
            measured = routes.get(f"{route}_{length_scale}_ms")
            if measured is None:
                continue
            name = f"{words}, {route}" + (f" of degree {measured['degree']}" if "degree" in measured else "")
            seconds = 1e-3 * measured["together"]
            figures += [
                Figure(f"{name}: time", 1e3 * seconds, "ms"),
                Figure(
                    f"{name}: share of two multiply-adds an order",
                    machine.share("floats", limit, seconds),
                    "",
                    at_least=0.7,
                    only_idle=True,
                ),
            ]
            figures += ratios(name, plain, seconds)
        figures += ratios(f"{words}, in training", plain, in_training[1])
        figures += machine.thread_figures(f"{words}, in training", in_training[1], in_training[2])
    return figures


def ratios(words, plain, seconds):
    return [
        Figure(f"{words}: ratio to {library}", plain_seconds / seconds, "x", at_least=200, only_idle=True)
        for library, plain_seconds in plain.items()
    ]


def run():
    machine = Machine()
    figures = sum_embedding_figures(machine) + sum_loss_figures(machine) + products.run(machine)
    return machine.figures() + figures
