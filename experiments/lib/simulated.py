"""Simulated tables with public seeds: their distribution is known, and so is what a synthetic table should come to."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from experiments.lib.sources import Source


def number(name, low, high, decimals=None):
    column = {"name": name, "kind": "integer" if decimals is None else "numeric", "bounds": [low, high]}
    return column | ({} if decimals is None else {"decimals": decimals}) | {"missing": False}


def categories(name, count):
    return {"name": name, "kind": "categorical", "categories": list(range(count)), "missing": False}


def schema_of(*columns):
    return {"mehler_schema": 1, "relation": "add-remove-one", "columns": list(columns)}


CODES = 200
RELATED = schema_of(
    number("skewed", 0, 10000, 2),
    number("heavy_tailed", 0, 1_000_000, 2),
    number("normal", -8, 8, 3),
    number("nearly_equal", -8, 8, 3),
    number("square", 0, 64, 3),
    number("code", 0, CODES - 1),
    number("other_code", 0, CODES - 1),
    categories("group", 5),
)
# The pairs that ask most: correlation .999, y = x^2, whole numbers one to one.
HARD_PAIRS = {
    "correlation .999": ("normal", "nearly_equal"),
    "y = x^2": ("normal", "square"),
    "integers one to one": ("code", "other_code"),
}


def conform(columns, schema):
    """Columns as a table that keeps to the schema's bounds and steps."""
    found = {}
    for column in schema["columns"]:
        values = columns[column["name"]]
        if "bounds" in column:
            values = np.round(np.clip(values, *column["bounds"]), column.get("decimals", 0))
        found[column["name"]] = pa.array(values, pa.float64() if "decimals" in column else pa.int64())
    return pa.table(found)


def related_rows(count, seed):
    """Rows of RELATED: skewed, heavy-tailed (no variance), nearly equal, dependent without correlation, one to one."""
    random = np.random.default_rng(seed)
    normal, other, third = random.standard_normal((3, count))
    skewed = np.exp(4 + 1.2 * (0.8 * normal + 0.6 * other))
    code = np.minimum(random.exponential(40, count).astype(np.int64), CODES - 1)
    return conform(
        {
            "skewed": skewed,
            "heavy_tailed": 50 * (1 + skewed / 200) * random.pareto(1.5, count),
            "normal": normal,
            "nearly_equal": 0.999 * normal + np.sqrt(1 - 0.999**2) * third,
            "square": normal**2 + 0.05 * np.abs(third),
            "code": code,
            "other_code": (code * 77 + 13) % CODES,
            "group": np.clip(np.floor(np.log10(skewed) * 2 - 1 + 0.5 * other), 0, 4).astype(np.int64),
        },
        RELATED,
    )


# Shares of zeros of the columns that have some.
ZEROS = {
    "balance": 0.36,
    "deposit": 0.36,
    "fee": 0.05,
    "fine": 0.01,
    "visits": 0.3,
    "calls": 0.05,
    "refund": 0.9,
}
ACCOUNTS = schema_of(
    number("balance", 0, 300000, 2),
    number("deposit", 0, 300000, 2),
    number("fee", 0, 5000, 2),
    number("fine", 0, 100000, 2),
    number("visits", 0, 500),
    number("calls", 0, 100000),
    number("refund", 0, 100000, 2),
    number("salary", 0, 300000, 2),
    number("score", 300, 850),
    number("age", 18, 92),
    categories("country", 3),
    categories("products", 4),
    categories("active", 2),
    categories("left", 2),
)


def account_rows(count, seed):
    """Rows of ACCOUNTS, 14 columns: sums with cents and whole numbers, of which a share is zero and no other value is
    frequent; salary, score and age have no zeros."""
    random = np.random.default_rng(seed)
    wealth, need = random.standard_normal((2, count))
    some = {
        "balance": 120000 + 30000 * wealth,
        "deposit": np.exp(9 + wealth),
        "fee": np.exp(3 + 0.8 * need),
        "fine": np.exp(6 + need),
        "visits": 1 + random.poisson(40, count),
        "calls": 1 + np.exp(6 + need),
        "refund": np.exp(5 + wealth),
    }
    columns = {
        name: np.where(random.random(count) < ZEROS[name], 0, np.maximum(values, 1)) for name, values in some.items()
    }
    columns |= {
        "salary": 1000 + 199000 * random.random(count),
        "score": 650 + 90 * wealth,
        "age": 18 + random.gamma(6, 4, count),
        "country": random.choice(3, count, p=(0.5, 0.25, 0.25)),
        "products": np.clip(np.floor(1.5 + 0.7 * need), 0, 3).astype(np.int64),
        "active": (need > 0).astype(np.int64),
        "left": (random.random(count) < 0.1 + 0.2 * (columns["balance"] > 0)).astype(np.int64),
    }
    return conform(columns, ACCOUNTS)


def write(settings, name, table, schema):
    """A table and its schema in files, as a source of releases."""
    path, schema_path = settings.records / f"{name}.parquet", settings.records / f"{name}.schema.json"
    pyarrow.parquet.write_table(table, path)
    schema_path.write_text(json.dumps(schema), encoding="utf-8")
    return Source(path, table.num_rows, schema_path)
