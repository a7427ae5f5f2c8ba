"""Fashion-MNIST, pictures of clothes."""

from experiments.lib.datasets import Dataset
from experiments.lib.raw import IDX_NAMES, image_sets

DATASET = Dataset(
    files=tuple((f"fashion_mnist/{name}",) for name in IDX_NAMES),
    read=image_sets,
    source=(
        "Debian's package dataset-fashion-mnist (`apt install dataset-fashion-mnist`; its files are found where it puts "
        "them) or https://github.com/zalandoresearch/fashion-mnist"
    ),
    system_folder="fashion-mnist",
    preset="fashion-mnist",
)
