"""Recordings of brain activity: seizure or not."""

import pyarrow as pa
import pyarrow.compute as pc

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import fifth_held_out, strings


def read(files, schema):
    table = strings(files[0])
    seizure = pc.cast(pc.equal(table["y"], "1"), pa.int8())
    return fifth_held_out(table.append_column("seizure", pc.cast(seizure, pa.string())))


DATASET = Dataset(
    files=(("epileptic/data.csv",),),
    read=read,
    source=f"{UCI}/388/epileptic+seizure+recognition",
    experiments=("table2",),
    preset="epileptic",
)
