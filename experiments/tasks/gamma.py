"""The appendix's ablation of gamma, the weight of the product kernel in the paper's loss: discretised Adult, epsilon
0.3."""

from experiments.lib.ablation import Ablation, run_ablation, table_of
from experiments.lib.paper import GAMMA

TABLES = {"gamma": lambda figures: table_of(figures, "gamma, epsilon 0.3", GAMMA)}


def run(settings):
    values = (0.01, 1000) if settings.quick else tuple(GAMMA)
    return run_ablation(settings, Ablation("gamma", "gamma", values, 0.3, GAMMA, lambda value: ("--gamma", value)))
