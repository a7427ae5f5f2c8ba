"""Spoken letters: vowel or not."""

import pyarrow as pa
import pyarrow.compute as pc

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import column_names, replace, strings

VOWELS = ["1", "5", "9", "15", "21"]  # A E I O U as numbers of the alphabet


def read(files, schema):
    parts = []
    for path in files:
        part = strings(path, column_names(schema))
        vowel = pc.is_in(pc.utf8_rtrim(part["vowel"], "."), pa.array(VOWELS))
        parts.append(replace(part, "vowel", pc.cast(pc.cast(vowel, pa.int8()), pa.string())))
    return tuple(parts)


DATASET = Dataset(
    files=(("isolet/isolet1+2+3+4.data",), ("isolet/isolet5.data",)),
    read=read,
    source=f"{UCI}/54/isolet",
    experiments=("table2",),
    preset="isolet",
)
