"""The systems of the paper's tables and figures: what a row of a method is called, and which come first."""

# In the order of tables. What is not named here comes last, under its own name.
LABELS = {
    "real": "real",
    "real rows drawn again": "real rows drawn again",
    "full-mmd": "full-mmd, without privacy",
    "dp-hp-without-privacy": "dp-hp, without privacy",
    "dp-merf-without-privacy": "dp-merf, without privacy",
    "dp-cgan-on-public-records": "dp-cgan, its authors' training, without privacy",
    "images": "images, broad",
    "images-plain": "images, plain",
    "marginals": "marginals",
    "dp-hp": "dp-hp (preset)",
    "dp-hp-defaults": "dp-hp, defaults",
    "dp-hp-as-published": "dp-hp, as published",
    "dp-merf": "dp-merf (preset)",
    "dp-merf-as-published": "dp-merf, as published",
    "privbayes": "privbayes",
    "privbayes-as-published": "privbayes, as published",
    "dp-gan": "dp-gan (preset)",
    "dp-gan-as-published": "dp-gan, as published",
    "dp-cgan": "dp-cgan (preset)",
    "dp-cgan-as-published": "dp-cgan, as published",
    "gs-wgan": "gs-wgan, reduced",
    "gs-wgan-as-published": "gs-wgan, reduced, noise as published",
    "uniform": "uniform between the schema's bounds, for comparison",
    "uniform over the clusters' square": "uniform over the clusters' square",
}
WITHOUT_PRIVACY = (
    "real",
    "real rows drawn again",
    "full-mmd",
    "dp-hp-without-privacy",
    "dp-merf-without-privacy",
    "dp-cgan-on-public-records",
)
WITHOUT_RECORDS = ("uniform", "uniform over the clusters' square")  # which cost nothing therefore
# Epsilon that their authors state, where noise is theirs whatever is asked for.
STATED = {"dp-gan-as-published": 9.6, "dp-cgan-as-published": 9.6, "gs-wgan-as-published": 10}
# Rows of images at other budgets than 1: those that the paper's have, as they are stated.
AT_STATED = tuple(f"{row.removesuffix('-as-published')}, epsilon {stated:g}" for row, stated in STATED.items())


def base_of(row):
    """A row without what it was measured with, if that is named: "dp-gan" of "dp-gan, epsilon 9.6"."""
    return row.partition(", ")[0]


def label_of(row):
    base = base_of(row)
    return LABELS.get(base, base) + row.removeprefix(base)


def rows_of(figures, *measures):
    """The rows that have a kept figure of one of the measures, (dataset, measure), in the order of tables; those with
    something added to their names behind the others."""
    order = list(LABELS)

    def place(base):
        return order.index(base) if base in order else len(order)

    rows = {method for dataset, method, measure in figures.rows if (dataset, measure) in measures}
    return sorted(rows, key=lambda row: (base_of(row) != row, place(base_of(row)), row))
