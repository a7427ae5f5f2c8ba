"""What the experiments on method marginals share: tables of codes, and the error of all their 3-column marginals."""

import resource

from experiments.lib.datasets import available
from experiments.lib.marginals import errors

# The tables of codes, with a short name.
TABLES = {
    "simple": "adult_discrete",
    "bounded": "adult_discrete_bounded",
    "acs_ma": "acs_ma_coded",
    "law_school": "law_school_coded",
    "california_housing": "california_housing_coded",
    "credit_default": "credit_default_coded",
}
EPSILONS = (0.1, 0.3, 1)


def available_tables(settings, names):
    """Those of the tables that are asked for and there; what is missing, in words."""
    found, missing = available(settings, [TABLES[name] for name in names])
    return [name for name in names if TABLES[name] in found], missing


def three_way(settings, source, synthetic):
    return errors(settings, source.table, synthetic, source.schema_path, (3,))[3]


def measure_name(epsilon):
    """Under which an error is kept."""
    return f"3-way, epsilon {epsilon:g}"


def processor_seconds():
    """That the programs called so far have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
