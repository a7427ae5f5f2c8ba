"""Risk factors of cervical cancer."""

from experiments.lib.datasets import UCI, Dataset
from experiments.lib.raw import plain

DATASET = Dataset(
    files=(("cervical/kag_risk_factors_cervical_cancer.csv",),),
    read=plain,
    source=f"{UCI}/383/cervical+cancer+risk+factors",
    experiments=("table2",),
    quick=True,
    preset="cervical",
    thinned={0: 0.5},
)
