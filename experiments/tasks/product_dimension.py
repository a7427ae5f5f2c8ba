"""The appendix's ablation of the number of columns in a product: discretised Adult, epsilon 1."""

from experiments.lib.ablation import Ablation, run_ablation, table_of
from experiments.lib.paper import PRODUCT_COLUMNS

TABLES = {"product-dimension": lambda figures: table_of(figures, "columns of a product, epsilon 1", PRODUCT_COLUMNS)}


def options(value):
    # Order 5 for all: products of seven columns of order 10 would have twenty million features.
    return "--product-columns", value, "--product-order", 5


def run(settings):
    values = (2, 5) if settings.quick else tuple(PRODUCT_COLUMNS)
    return run_ablation(
        settings, Ablation("product-dimension", "columns of a product", values, 1, PRODUCT_COLUMNS, options)
    )
