"""Law students of the LSAC's study, and whether they passed the bar."""

from experiments.lib.datasets import Dataset
from experiments.lib.raw import plain

DATASET = Dataset(
    files=(("law_school/law_school_clean.csv",),),
    read=plain,
    source="https://github.com/tailequy/fairness_dataset (Law_school)",
)
