"""Forest cover types."""

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import column_names, fifth_held_out, strings


def read(files, schema):
    return fifth_held_out(strings(files[0], column_names(schema)))


DATASET = Dataset(
    files=(("covtype/covtype.data", "covtype/covtype_sample397050.data"),),
    read=read,
    source=f"{UCI}/31/covertype",
    parts={"covtype_sample397050.data": "68.3 % of the rows"},
    experiments=("table2",),
    preset="covtype",
    thinned={2: 0.3},
)
