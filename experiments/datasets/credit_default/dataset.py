"""Credit card clients in Taiwan, and whether they paid."""

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import plain

DATASET = Dataset(
    files=(("credit_default/UCI_Credit_Card.csv",),),
    read=plain,
    source=f"{UCI}/350/default+of+credit+card+clients",
)
