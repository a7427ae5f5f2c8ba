"""Values drawn evenly from what the schema allows: needs no record and no budget, and knows nothing. The floor of a
table."""

import numpy as np
import pyarrow as pa

EXPERIMENTS = ("mixture",)


def draw(column, rows, random):
    if column["kind"] == "categorical":
        return random.choice(np.array(column["categories"]), rows)
    if column["kind"] == "boolean":
        return random.random(rows) < 0.5
    low, high = column["bounds"]
    return random.integers(low, high + 1, rows) if column["kind"] == "integer" else random.uniform(low, high, rows)


def synthesize(request):
    columns = request.schema["columns"]
    random = np.random.default_rng(request.seed)
    return pa.table({column["name"]: draw(column, request.rows, random) for column in columns})
