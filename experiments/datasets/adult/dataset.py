"""Adult, census income of 1994."""

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import column_names, strings, without_dot


def read(files, schema):
    train, test = (
        without_dot(strings(path, column_names(schema), skip), "income") for path, skip in zip(files, (0, 1))
    )
    return train, test


DATASET = Dataset(
    files=(("adult/adult.data",), ("adult/adult.test",)),
    read=read,
    source=f"{UCI}/2/adult",
    experiments=("table2",),
    preset="adult",
    thinned={"<=50K": 0.4},
)
