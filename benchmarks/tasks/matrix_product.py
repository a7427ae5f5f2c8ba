"""The matrix product on one thread beside those of oneDNN and OpenBLAS, where they are installed: products that
training calls, and those of convolutions. The program compares every library's answer with double before it prints a
time."""

from benchmarks.machine import Machine
from benchmarks.measuring import printed_by
from experiments.lib.bars import Figure

REPEATS = 100
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# op(a) op(b), m x n x k. What training of method dp-hp calls for the table people, in the order of the time it takes.
TRAINING = [
    "NN:256x200x200",
    "TN:200x200x501",
    "NT:256x200x200",
    "TN:200x17x501",
    "NN:256x17x200",
    "NT:256x200x17",
    "TN:13x200x501",
    "NN:256x200x13",
    "NT:7x6x144",
    "TN:4x144x6",
    "NN:6x144x4",
]
# Wider networks, fewer and more rows.
OTHERS = ["NN:128x784x500", "TN:200x200x1024", "NN:1000x60x200", "NN:64x200x15", "NN:24x200x200", "NN:512x512x512"]
# 5 x 5 convolutions of 28 x 28 images, one at a time: forward, by the input, by the weights.
CONVOLUTIONS = [
    "NN:1x784x400",
    "NN:16x784x400",
    "NN:32x784x400",
    "NN:64x784x800",
    "TN:400x784x16",
    "TN:400x784x32",
    "NT:16x400x784",
    "NT:32x400x784",
    "NT:64x1600x784",
]
# A library's seconds by ours. Where convolutions write more than they multiply, all depend on the memory's mood.
BARS = {"oneDNN": 0.9}


def run():
    machine = Machine()
    machine.measure()
    figures = []
    for words, shapes in (("training", TRAINING), ("others", OTHERS), ("convolutions", CONVOLUTIONS)):
        printed = printed_by("matrix_product_benchmark", "best", REPEATS, *shapes, environment=ONE_THREAD)
        for shape, libraries in printed["shapes"].items():
            name = f"{words}, {shape}"
            m, n, k = map(int, shape.split(":")[1].split("x"))
            seconds = libraries["mehler"]["seconds"]
            figures += [
                Figure(f"{name}: multiply-adds", m * n * k / seconds / 1e9, "10^9/s"),
                Figure(f"{name}: share of those in registers", machine.share("floats", m * n * k, seconds), ""),
            ]
            figures += [
                Figure(
                    f"{name}: ratio to {library}",
                    measured["ratio"],
                    "x",
                    at_least=BARS.get(library) if words != "convolutions" else None,
                    only_idle=True,
                )
                for library, measured in libraries.items()
                if library != "mehler"
            ]
    return machine.figures() + figures
