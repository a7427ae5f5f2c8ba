"""Census income of 1994 and 1995 (KDD)."""

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import column_names, strings, without_dot


def read(files, schema):
    raw_names = column_names(schema)
    raw_names.insert(24, "instance weight")
    train = strings(files[0]) if files[0].name.endswith((".csv.gz", ".csv")) else strings(files[0], raw_names)
    if "label" in train.column_names:
        train = train.rename_columns([{"label": "income"}.get(name, name) for name in train.column_names])
    return without_dot(train, "income"), without_dot(strings(files[1], raw_names), "income")


DATASET = Dataset(
    files=(
        ("census/census-income.data", "census/census_train_rows186951.csv"),
        ("census/census-income.test", "census/census-income.test.zip"),
    ),
    read=read,
    source=f"{UCI}/117/census+income+kdd",
    parts={"census_train_rows186951.csv": "93.7 % of the training rows"},
    experiments=("table2",),
    preset="census",
    thinned={"- 50000": 0.4},
)
