"""The appendix's ablation of the number of columns in a product: discretised Adult, epsilon 1."""

from ablation import ablation
from paper import PRODUCT_COLUMNS


def run(settings):
    values = (2, 5) if settings.quick else tuple(PRODUCT_COLUMNS)
    # Order 5 for all: products of seven columns of order 10 would have twenty million features.
    return ablation(
        settings,
        "product-dimension",
        "columns of a product",
        values,
        PRODUCT_COLUMNS,
        1,
        lambda value: ("--product-columns", value, "--product-order", 5),
    )
