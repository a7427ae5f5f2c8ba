"""The appendix's ablation of gamma, the weight of the product kernel in the paper's loss: discretised Adult, epsilon 0.3."""

from ablation import ablation
from paper import GAMMA


def run(settings):
    values = (0.01, 1000) if settings.quick else tuple(GAMMA)
    return ablation(settings, "gamma", "gamma", values, GAMMA, 0.3, lambda value: ("--gamma", value))
