"""Tables of codes 0, 1, 2, ...: numbers in bins of equal width between public constants, categories numbered."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datasets.raw import content, numbers, strings
from datasets.tables import adult as read_adult
from datasets.tables import census as read_census

# The discretised Adult numbers categories by how often they occur in the training file, the most frequent first.
ADULT_CODES = {
    "workclass": "Private Self-emp-not-inc Local-gov ? State-gov Self-emp-inc Federal-gov Without-pay Never-worked",
    "marital-status": "Married-civ-spouse Never-married Divorced Separated Widowed Married-spouse-absent Married-AF-spouse",
    "occupation": "Prof-specialty Craft-repair Exec-managerial Adm-clerical Sales Other-service Machine-op-inspct ? "
    "Transport-moving Handlers-cleaners Farming-fishing Tech-support Protective-serv Priv-house-serv Armed-Forces",
    "relationship": "Husband Not-in-family Own-child Unmarried Wife Other-relative",
    "sex": "Male Female",
    "income": "<=50K >50K",
}
# By years of schooling (education-num - 1).
EDUCATION = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 10, 11, 13, 14, 9, 15]


def bins(values, low, high, count):
    """Bins of equal width; values beyond the ends fall into the outermost ones."""
    return np.clip(((np.asarray(values, float) - low) / (high - low) * count).astype(int), 0, count - 1)


def or_missing(values, low, high, count):
    """The same, with a code of its own (the last) for missing values."""
    missing = np.isnan(values)
    return np.where(missing, count, bins(np.where(missing, low, values), low, high, count))


def numbered(column, missing="N"):
    """Codes in the order of the texts."""
    return np.unique(pc.fill_null(column, missing).to_numpy(zero_copy_only=False), return_inverse=True)[1]


def listed(column, values):
    """Codes in the order of a list; after it, one code for whatever is missing."""
    codes = pc.index_in(column, pa.array(values))
    return pc.fill_null(codes, len(values)).to_numpy(zero_copy_only=False)


def table(names, codes):
    return pa.table({name: pa.array(np.asarray(values, np.int64)) for name, values in zip(names, codes)})


def adult_discrete(files, schema, adult_schema=None):
    names = [column["name"] for column in schema["columns"]]
    first_age = 1 if files[0].name.startswith("simple") else 17
    codes = np.load(io.BytesIO(content(files[0]))).astype(np.int64)
    train = table(names, (codes - np.array([first_age, 0, 0, 0, 1] + 10 * [0])).T)
    if adult_schema is None:
        return train, None
    # The official test file, coded as the training rows are.
    rows = read_adult(files[1:], adult_schema)[1]
    value = {
        name: numbers(rows[name])
        for name in ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
    }
    code = {name: listed(pc.fill_null(rows[name], "?"), words.split()) for name, words in ADULT_CODES.items()}
    years = value["education-num"].astype(int) - 1
    test = [
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
    return train, table(names, test)


def census_discrete(files, schema, census_schema):
    """Ages in tens, weeks as none, some or all, amounts as none or some; categories in the schema's order, missing last."""

    def codes(rows):
        for column in census_schema["columns"]:
            name = column["name"]
            if "categories" in column:
                yield listed(rows[name], [str(value) for value in column["categories"]])
            elif name == "age":
                yield bins(numbers(rows[name]), 0, 100, 10)
            elif name == "weeks worked in year":
                yield np.digitize(numbers(rows[name]), [1, 52])
            else:
                yield numbers(rows[name]) if name == "num persons worked for employer" else numbers(rows[name]) > 0

    names = [column["name"] for column in schema["columns"]]
    return tuple(table(names, codes(rows)) for rows in read_census(files, census_schema))


def acs_ma(files, schema):
    rows = strings(files[0], null=("N",))
    special = {
        "AGEP": lambda x: or_missing(x, 0, 100, 20),
        "DENSITY": lambda x: or_missing(np.log(np.maximum(x, 1)), 0, 11, 16),
        "POVPIP": lambda x: or_missing(x, 0, 502, 16),
    }
    names = [column["name"] for column in schema["columns"]]
    return (
        table(
            names, [special[name](numbers(rows[name])) if name in special else numbered(rows[name]) for name in names]
        ),
        None,
    )


def california_housing(files, schema):
    rows = strings(files[0])
    names = [column["name"] for column in schema["columns"]]
    value = {name: np.nan_to_num(numbers(rows[name])) for name in names[:-1]}
    codes = [
        bins(value["longitude"], -125, -114, 20),
        bins(value["latitude"], 32, 42, 20),
        bins(value["housing_median_age"], 0, 52.01, 16),
    ]
    for name, most in (("total_rooms", 40000), ("total_bedrooms", 6500), ("population", 36000), ("households", 6100)):
        codes.append(bins(np.log1p(value[name]), 0, np.log1p(most), 20))
    codes += [
        bins(value["median_income"], 0, 15.01, 20),
        bins(value["median_house_value"], 0, 500002, 20),
        numbered(rows["ocean_proximity"]),
    ]
    return table(names, codes), None


def credit_default(files, schema):
    rows = strings(files[0])

    def code(name):
        x = numbers(rows[name])
        if name == "LIMIT_BAL":
            return bins(x, 0, 1e6, 20)
        if name == "AGE":
            return bins(x, 20, 80, 20)
        if name.startswith("BILL_AMT"):
            return bins(np.sign(x) * np.log1p(np.abs(x) / 1000), -4, 7, 16)
        if name.startswith("PAY_AMT"):
            return bins(np.log1p(x / 100), 0, 10, 16)
        if name.startswith("PAY_"):
            return np.clip(x, -2, 8) + 2
        return np.unique(x, return_inverse=True)[1]

    names = [column["name"] for column in schema["columns"]]
    return table(names, [code(name) for name in names]), None


def law_school(files, schema):
    rows = strings(files[0])
    binned = {
        "decile1b": (1, 11, 10),
        "decile3": (1, 11, 10),
        "lsat": (10, 50, 20),
        "ugpa": (1, 4.01, 16),
        "zfygpa": (-4, 4, 16),
        "zgpa": (-7, 5, 24),
    }
    names = [column["name"] for column in schema["columns"]]
    return (
        table(
            names,
            [bins(numbers(rows[name]), *binned[name]) if name in binned else numbered(rows[name]) for name in names],
        ),
        None,
    )
