"""A whole run of method images on 60,000 images of 28 x 28, from the private set to as many synthetic ones, beside the
time that the method's matrix products alone would take at the speed that the largest of them has. CPU seconds, on one
thread."""

import json
import pathlib
import tempfile

import numpy

from benchmarks.measuring import BUILD, printed_by, run_program
from benchmarks.tasks.image_functions import SIDE, simulate
from experiments.lib.bars import Figure

IMAGES, CLASSES, REPEATS = 60_000, 10, 30
MEHLER = BUILD / "mehler"
# Half-whitening of the teacher's features: 250 images by 1,372 features by 512 directions.
LARGEST_PRODUCT = "NT:250x512x1372"
# Multiply-adds: those of features of 150,000 images, of covariances and of the teacher's rounds.
MULTIPLY_ADDS = 400e9
MOST, MOST_MEGABYTES = 4, 1500


def write_images(folder):
    """Ten kinds of stripes on ellipses."""
    random = numpy.random.default_rng(1)
    labels = random.integers(CLASSES, size=IMAGES).astype(numpy.uint8)
    across, down = numpy.arange(SIDE), numpy.arange(SIDE)[:, None]
    pictures = []
    for label in range(CLASSES):
        angle = numpy.pi * label / CLASSES
        pictures.append(0.6 + 0.4 * numpy.cos((across * numpy.cos(angle) + down * numpy.sin(angle)) * 1.2))
    images = simulate(SIDE, IMAGES) * numpy.stack(pictures)[labels]
    numpy.savez(folder / "images.npz", image=images.astype(numpy.uint8), label=labels)
    columns = [
        {"name": "image", "kind": "image", "shape": [SIDE, SIDE, 1]},
        {"name": "label", "kind": "categorical", "categories": list(range(CLASSES))},
    ]
    schema = {"mehler_schema": 1, "target": "label", "columns": columns}
    (folder / "schema.json").write_text(json.dumps(schema))


def run():
    seconds, megabytes, figures = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_images(folder)
        release, model = folder / "images.release", folder / "images.mehler"
        budget = ("--schema", folder / "schema.json", "--epsilon", 1, "--delta", 1e-5)
        commands = (
            ("release", folder / "images.npz", *budget, "-o", release),
            ("train", release, "-o", model),
            ("sample", model, "--rows", IMAGES, "-o", folder / "synthetic.npz"),
        )
        for command in commands:
            _, cpu, memory = run_program(MEHLER, *command, "--threads", 1, "--quiet")
            seconds.append(cpu)
            megabytes.append(memory)
            figures.append(Figure(command[0], cpu, "CPU s"))
    printed = printed_by("matrix_product_benchmark", "best", REPEATS, LARGEST_PRODUCT)
    m, n, k = map(int, LARGEST_PRODUCT.split(":")[1].split("x"))
    alone = MULTIPLY_ADDS / (m * n * k / printed["shapes"][LARGEST_PRODUCT]["mehler"]["seconds"])
    return [
        *figures,
        Figure("matrix products alone", alone, "CPU s"),
        Figure("the whole run over its matrix products", sum(seconds) / alone, "x", at_most=MOST, only_idle=True),
        Figure("peak memory", max(megabytes), "MB", at_most=MOST_MEGABYTES),
    ]
