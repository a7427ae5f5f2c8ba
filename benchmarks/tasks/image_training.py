"""Training steps of method dp-hp on images, the paper's way (preset fashion-mnist, sum kernel and one product an
epoch), beside the plain formulation of the same steps in torch with autograd: CPU seconds a step, both on one thread and
in turns, as a shared machine changes seconds more than their ratio. Gradients of the layers and the loss are compared
with torch's in tests/generator_torch and tests/generator; here both are timed."""

import json
import math
import pathlib
import statistics
import sys
import tempfile
import time

from benchmarks.measuring import BUILD, in_fresh_process, interpreter_with, run_program
from experiments.lib.bars import Figure

IMAGES, CLASSES, SIDE = 10_000, 10, 28
BATCH, ORDER, PRODUCT_ORDER, LENGTH_SCALE = 200, 100, 20, 0.7746
STEPS, PLAIN_STEPS, TURNS = 200, 10, 3
MEHLER = BUILD / "mehler"
# The plain seconds by ours.
LEAST = 30


def write_table(folder):
    import numpy
    import pyarrow

    random = numpy.random.default_rng(1)
    labels = random.integers(CLASSES, size=IMAGES)
    bright = random.uniform(0, 255, (CLASSES, SIDE * SIDE))
    pixels = numpy.clip(bright[labels] + random.normal(0, 30, (IMAGES, SIDE * SIDE)), 0, 255).astype(numpy.uint8)
    images = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(pixels.ravel()), SIDE * SIDE)
    table = pyarrow.table({"image": images, "label": pyarrow.array([str(label) for label in labels])})
    with pyarrow.OSFile(str(folder / "images.arrow"), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    columns = [
        {"name": "image", "kind": "image", "shape": [SIDE, SIDE, 1]},
        {"name": "label", "kind": "categorical", "categories": [str(label) for label in range(CLASSES)]},
    ]
    schema = {"mehler_schema": 1, "target": "label", "columns": columns}
    (folder / "schema.json").write_text(json.dumps(schema))


def write_release(folder):
    write_table(folder)
    budget = ("--epsilon", 1, "--delta", 1e-5, "--preset", "fashion-mnist")
    release = folder / "images.release"
    run_program(MEHLER, "release", folder / "images.arrow", "--schema", folder / "schema.json", *budget, "-o", release)
    return release


def seconds_a_step(release, turn):
    """Of a training with many steps less one with few: start-up and the check of an epoch are in both."""
    times = {}
    for steps in (1, 1 + STEPS):
        options = ("--preset", "fashion-mnist", "--epochs", 1, "--steps", steps, "--threads", 1)
        times[steps] = run_program(
            MEHLER, "train", release, *options, "-o", release.with_name(f"{turn}-{steps}.mehler")
        )[1]
    return (times[1 + STEPS] - times[1]) / STEPS


def plain_seconds_a_step(steps):
    import torch

    torch.set_num_threads(1)
    pixels = SIDE * SIDE
    quarter = SIDE // 4
    network = torch.nn.Sequential(
        torch.nn.Linear(5 + CLASSES, 500),
        torch.nn.BatchNorm1d(500),
        torch.nn.ReLU(),
        torch.nn.Linear(500, 16 * quarter * quarter),
        torch.nn.BatchNorm1d(16 * quarter * quarter),
        torch.nn.Unflatten(1, (16, quarter, quarter)),
        torch.nn.UpsamplingBilinear2d(scale_factor=2),
        torch.nn.Conv2d(16, 8, 5, padding=2),
        torch.nn.ReLU(),
        torch.nn.UpsamplingBilinear2d(scale_factor=2),
        torch.nn.Conv2d(8, 1, 5, padding=2),
        torch.nn.Flatten(),
        torch.nn.Sigmoid(),
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    squared = (LENGTH_SCALE / 2) ** 2  # of pixels in [0, 1]
    rho = -squared + math.sqrt(squared**2 + 1)

    def features(x, order):
        phi = [(1 - rho**2) ** 0.25 * torch.exp(-rho / (1 + rho) * x**2)]
        phi.append(math.sqrt(2 * rho) * x * phi[0])
        for k in range(1, order):
            phi.append(math.sqrt(2 * rho / (k + 1)) * x * phi[k] - rho * math.sqrt(k / (k + 1)) * phi[k - 1])
        return torch.stack(phi, -1)

    target = torch.zeros(CLASSES, pixels * (ORDER + 1))
    product_target = torch.zeros(CLASSES, (PRODUCT_ORDER + 1) ** 2)

    def step():
        labels = torch.randint(CLASSES, (BATCH,))
        code = torch.cat([torch.randn(BATCH, 5), torch.nn.functional.one_hot(labels, CLASSES).float()], 1)
        images = network(code)
        loss = 0.0
        for label in range(CLASSES):
            own = images[labels == label]
            mean = features(own, ORDER).sum(0).flatten() / math.sqrt(pixels) / BATCH
            pair = features(own[:, [300, 400]], PRODUCT_ORDER)
            product = torch.einsum("ni,nj->ij", pair[:, 0], pair[:, 1]).flatten() / BATCH
            loss = loss + ((product_target[label] - product) ** 2).sum() + 10 * ((target[label] - mean) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    step()
    start = time.process_time()
    for _ in range(steps):
        step()
    return (time.process_time() - start) / steps


def run():
    has_torch = interpreter_with("torch")
    ours, plain = [], []
    with tempfile.TemporaryDirectory() as name:
        release = write_release(pathlib.Path(name))
        for turn in range(TURNS):
            ours.append(seconds_a_step(release, turn))
            if has_torch:
                plain.append(in_fresh_process("image_training", PLAIN_STEPS, library="torch")["seconds"])
    figures = [Figure("a step", min(ours) * 1e3, "CPU ms")]
    if has_torch:
        ratio = statistics.median(of_torch / of_ours for of_torch, of_ours in zip(plain, ours, strict=True))
        figures += [
            Figure("the same in plain torch", min(plain) * 1e3, "CPU ms"),
            Figure("ratio to plain torch", ratio, "x", at_least=LEAST, only_idle=True),
        ]
    return figures


if __name__ == "__main__":
    print(json.dumps({"seconds": plain_seconds_a_step(int(sys.argv[1]))}))
