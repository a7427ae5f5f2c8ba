"""The datasets of the experiments: which raw files they need, and how these become a training and a test table.

Schemas stand beside, NAME.schema.json: bounds and categories from the datasets' documentation (README.md says from where), never
read off the records.
"""

import dataclasses
import json
import pathlib

import pyarrow.parquet

from datasets import coded, tables
from datasets.raw import conform, data_folder, find

HERE = pathlib.Path(__file__).resolve().parent
# Files that hold a part of a dataset: taken where the whole one is not there, and said so.
PARTS = {
    "census_train_rows186951.csv": "93.7 % of the training rows",
    "covtype_sample397050.data": "68.3 % of the rows",
    "creditcard_sample.csv": "a sample with all 492 frauds among 22,878 rows: 2.15 % instead of 0.17 %, not comparable with the paper",
}
UCI = "https://archive.ics.uci.edu/dataset"


class MissingData(Exception):
    """A raw file is not there; the message says where to get it and where to put it."""


@dataclasses.dataclass(frozen=True)
class Dataset:
    """files: for each raw file its names under $MEHLER_DATA, the whole dataset first, then parts of it that will do."""

    name: str
    files: tuple
    read: object
    source: str
    base: str = ""  # the dataset whose schema the reader needs besides its own

    @property
    def schema_path(self):
        return HERE / f"{self.name}.schema.json"

    @property
    def schema(self):
        return json.loads(self.schema_path.read_text(encoding="utf-8"))

    def missing(self):
        """Files that are not there, by the name that the whole dataset has."""
        return [names[0] for names in self.files if find(*names) is None]

    def remark(self):
        """What a reader of figures must know about the files that are there, or nothing."""
        found = [find(*names) for names in self.files]
        return "; ".join(PARTS[name] for path in found if path for name in PARTS if path.name.startswith(name))

    def explanation(self):
        """What to download and where to put it."""
        folder = data_folder()
        where = f"in {folder}" if folder else "anywhere: MEHLER_DATA is not set"
        return (
            f"{self.name}: {', '.join(self.missing())} not found {where}.\n"
            f"Download from {self.source}.\n"
            f"Put the files (packed with gzip or not) under $MEHLER_DATA with these names, and set MEHLER_DATA to that folder."
        )

    def prepare(self, folder):
        """Writes train.parquet and, where there are test rows, test.parquet to a folder; their paths by these names."""
        if self.missing():
            raise MissingData(self.explanation())
        files = [find(*names) for names in self.files]
        schemas = [self.schema] + ([BY_NAME[self.base].schema] if self.base else [])
        folder.mkdir(parents=True, exist_ok=True)
        paths = {}
        for part, rows in zip(("train", "test"), self.read(files, *schemas)):
            if rows is not None:
                paths[part] = folder / f"{part}.parquet"
                pyarrow.parquet.write_table(conform(rows, self.schema), paths[part])
        return paths


def one(*names):
    return (names,)


ADULT = (("adult/adult.data",), ("adult/adult.test",))
CENSUS = (
    ("census/census-income.data", "census/census_train_rows186951.csv"),
    ("census/census-income.test", "census/census-income.test.zip"),
)
ACS = one("acs_ma/ma2019.csv")
HOUSING = one("california_housing/housing.tgz", "california_housing/housing.csv")
DEFAULT = one("credit_default/UCI_Credit_Card.csv")
LAW = one("law_school/law_school_clean.csv")
NIST = "https://github.com/usnistgov/SDNist (Diverse Community Excerpts, Massachusetts 2019)"
AUTHORS = "https://github.com/ParkLabML/DP-HP (discretised Adult, numpy arrays)"
GERON = "https://github.com/ageron/handson-ml2 (datasets/housing)"
LSAC = "https://github.com/tailequy/fairness_dataset (Law_school)"

DATASETS = (
    Dataset("adult", ADULT, tables.adult, f"{UCI}/2/adult"),
    Dataset(
        "adult_discrete",
        (("adult_discrete/simple.npy",),) + ADULT,
        coded.adult_discrete,
        f"{AUTHORS} and {UCI}/2/adult",
        base="adult",
    ),
    Dataset("adult_discrete_bounded", one("adult_discrete/bounded.npy"), coded.adult_discrete, AUTHORS),
    Dataset("census", CENSUS, tables.census, f"{UCI}/117/census+income+kdd"),
    Dataset("census_discrete", CENSUS, coded.census_discrete, f"{UCI}/117/census+income+kdd", base="census"),
    Dataset(
        "cervical",
        one("cervical/kag_risk_factors_cervical_cancer.csv"),
        tables.plain,
        f"{UCI}/383/cervical+cancer+risk+factors",
    ),
    Dataset(
        "covtype",
        one("covtype/covtype.data", "covtype/covtype_sample397050.data"),
        tables.covtype,
        f"{UCI}/31/covertype",
    ),
    Dataset(
        "creditcard",
        one("creditcard/creditcard.csv", "creditcard/creditcard_sample.csv"),
        tables.plain,
        "https://www.kaggle.com/datasets/mlg-ulb/creditcardfraud",
    ),
    Dataset("epileptic", one("epileptic/data.csv"), tables.epileptic, f"{UCI}/388/epileptic+seizure+recognition"),
    Dataset("intrusion", one("intrusion/kddcup.data_10_percent"), tables.intrusion, f"{UCI}/130/kdd+cup+1999+data"),
    Dataset("isolet", (("isolet/isolet1+2+3+4.data",), ("isolet/isolet5.data",)), tables.isolet, f"{UCI}/54/isolet"),
    Dataset("acs_ma", ACS, tables.acs_ma, NIST),
    Dataset("acs_ma_coded", ACS, coded.acs_ma, NIST),
    Dataset("california_housing", HOUSING, tables.plain, GERON),
    Dataset("california_housing_coded", HOUSING, coded.california_housing, GERON),
    Dataset("credit_default", DEFAULT, tables.plain, f"{UCI}/350/default+of+credit+card+clients"),
    Dataset("credit_default_coded", DEFAULT, coded.credit_default, f"{UCI}/350/default+of+credit+card+clients"),
    Dataset("law_school", LAW, tables.plain, LSAC),
    Dataset("law_school_coded", LAW, coded.law_school, LSAC),
)
BY_NAME = {dataset.name: dataset for dataset in DATASETS}
