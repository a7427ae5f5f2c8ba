"""Adult as the paper's authors coded it ("simple"), and its official test file coded alike."""

import io

import numpy as np
import pyarrow.compute as pc

from experiments.datasets.adult.dataset import DATASET as ADULT
from experiments.lib.coding import code_table, listed
from experiments.lib.datasets import Dataset, schema_of
from experiments.lib.raw import column_names, content, numbers

AUTHORS = "https://github.com/ParkLabML/DP-HP (discretised Adult, numpy arrays)"
# Categories are numbered by how often they occur in the training file, the most frequent first.
CODES = {
    "workclass": "Private Self-emp-not-inc Local-gov ? State-gov Self-emp-inc Federal-gov Without-pay Never-worked",
    "marital-status": "Married-civ-spouse Never-married Divorced Separated Widowed Married-spouse-absent "
    "Married-AF-spouse",
    "occupation": "Prof-specialty Craft-repair Exec-managerial Adm-clerical Sales Other-service Machine-op-inspct ? "
    "Transport-moving Handlers-cleaners Farming-fishing Tech-support Protective-serv Priv-house-serv Armed-Forces",
    "relationship": "Husband Not-in-family Own-child Unmarried Wife Other-relative",
    "sex": "Male Female",
    "income": "<=50K >50K",
}
# By years of schooling (education-num - 1).
EDUCATION = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 10, 11, 13, 14, 9, 15]


def read_codes(path, schema, first_age):
    """The authors' array, whose ages and years of schooling do not begin at 0."""
    codes = np.load(io.BytesIO(content(path))).astype(np.int64)
    return code_table(column_names(schema), (codes - np.array([first_age, 0, 0, 0, 1] + 10 * [0])).T)


def code_like_training_rows(rows, schema):
    value = {
        name: numbers(rows[name])
        for name in ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
    }
    code = {name: listed(pc.fill_null(rows[name], "?"), words.split()) for name, words in CODES.items()}
    years = value["education-num"].astype(int) - 1
    codes = [
        np.clip(value["age"] // 10, 1, 7) - 1,
        code["workclass"],
        np.minimum(value["fnlwgt"] // 50000, 10),
        np.array(EDUCATION)[years],
        years,
        code["marital-status"],
        code["occupation"],
        code["relationship"],
        listed(rows["race"], ["White"]),
        code["sex"],
        value["capital-gain"] >= 1500,
        value["capital-loss"] >= 300,
        np.digitize(value["hours-per-week"], [20, 40, 60]),
        listed(rows["native-country"], ["United-States"]),
        code["income"],
    ]
    return code_table(column_names(schema), codes)


def read(files, schema):
    _, test = ADULT.read(files[1:], schema_of("adult"))
    return read_codes(files[0], schema, first_age=1), code_like_training_rows(test, schema)


DATASET = Dataset(
    files=(("adult_discrete/simple.npy",), *ADULT.files), read=read, source=f"{AUTHORS} and {ADULT.source}"
)
