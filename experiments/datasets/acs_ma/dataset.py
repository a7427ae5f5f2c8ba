"""The American Community Survey, Massachusetts 2019 (an excerpt)."""

from experiments.lib.datasets import Dataset
from experiments.lib.raw import fifth_held_out, strings


def read_texts(files):
    return strings(files[0], null=("N",))


def read(files, schema):
    return fifth_held_out(read_texts(files))


DATASET = Dataset(
    files=(("acs_ma/ma2019.csv",),),
    read=read,
    source="https://github.com/usnistgov/SDNist (Diverse Community Excerpts, Massachusetts 2019)",
)
