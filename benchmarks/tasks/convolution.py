"""Convolutions of images on one thread, with their gradients, beside matrix products of the same shapes whose pixels lie
ready for them. The program compares answers with double before it prints a time."""

from benchmarks.machine import Machine
from benchmarks.measuring import printed_by
from experiments.lib.bars import Figure

IMAGES = 64
REPEATS = 50
# ROWSxCOLUMNS:INPUTSxOUTPUTSxKERNEL. Those of the generator of images; a wider one; colour; a classifier's.
SHAPES = [
    "14x14:16x8x5",
    "28x28:8x1x5",
    "28x28:16x32x5",
    "32x32:3x16x5",
    "28x28:1x16x3",
    "28x28:1x32x3",
    "28x28:16x32x3",
    "14x14:32x32x3",
]
# The products' seconds by ours.
LEAST = 0.6


def multiply_adds(shape):
    size, channels = shape.split(":")
    rows, columns = map(int, size.split("x"))
    inputs, outputs, kernel = map(int, channels.split("x"))
    return IMAGES * rows * columns * inputs * outputs * kernel * kernel


def run():
    machine = Machine()
    machine.measure()
    figures = []
    for shape, directions in printed_by("convolution_benchmark", IMAGES, REPEATS, *SHAPES)["shapes"].items():
        for direction, measured in directions.items():
            name = f"{shape}, {direction}"
            speed = multiply_adds(shape) / measured["seconds"] / 1e9
            figures += [
                Figure(f"{name}: multiply-adds", speed, "10^9/s"),
                Figure(
                    f"{name}: ratio to products of the shape", measured["ratio"], "x", at_least=LEAST, only_idle=True
                ),
            ]
    return machine.figures() + figures
