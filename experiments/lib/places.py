"""Where the repository and its experiments are."""

import pathlib

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = EXPERIMENTS.parent
