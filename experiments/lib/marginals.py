"""Errors of marginals: as they should be measured, and as the published numbers were."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet

MOST_SUBSETS = 5000


def evaluation(settings, real, synthetic, schema_path, *more):
    """What `mehler evaluate --json` says of two tables."""
    return settings.json("evaluate", "--real", real, "--synthetic", synthetic, "--schema", schema_path, *more)


def errors(settings, real, synthetic, schema_path, sizes, most_subsets=MOST_SUBSETS):
    """Mean total variation over column subsets of each size: {size: error}. Where there are more subsets, so many are
    drawn."""
    more = ("--marginals", ",".join(map(str, sizes)), "--max-subsets", most_subsets)
    measured = evaluation(settings, real, synthetic, schema_path, *more)["marginals"]
    return {entry["columns"]: entry["mean_total_variation"] for entry in measured}


def merged(codes, bins):
    """A column of codes on so many bins of equal width over its own range, the last one closed: numpy's histogram."""
    low, high = codes.min(), codes.max()
    if low == high:
        return np.full_like(codes, bins // 2)
    return np.minimum((codes - low) * bins // (high - low), bins - 1)


def published_errors(settings, real, synthetic, sizes, most_subsets=MOST_SUBSETS):
    """The published metric: the marginals that the paper calls alpha-way are of alpha + 1 columns (sizes: of the
    columns that are really taken), and a column with codes 0 to m has m bins instead of m + 1, over the range of its
    own table. So its two last codes fall together, and a column with two codes counts for nothing."""
    tables = {"real": pyarrow.parquet.read_table(real), "synthetic": pyarrow.parquet.read_table(synthetic)}
    codes = {
        name: {column: table[column].to_numpy().astype(np.int64) for column in tables["real"].column_names}
        for name, table in tables.items()
    }
    bins = {column: max(1, int(values.max() - values.min())) for column, values in codes["real"].items()}
    paths = {}
    for name, columns in codes.items():
        paths[name] = settings.records / f"merged-{name}.parquet"
        pyarrow.parquet.write_table(
            pa.table({column: merged(values, bins[column]) for column, values in columns.items()}), paths[name]
        )
    schema = settings.records / "merged.schema.json"
    columns = [{"name": name, "kind": "categorical", "categories": list(range(count))} for name, count in bins.items()]
    schema.write_text(json.dumps({"mehler_schema": 1, "columns": columns}), encoding="utf-8")
    return errors(settings, paths["real"], paths["synthetic"], schema, sizes, most_subsets)
