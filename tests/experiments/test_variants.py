"""The program behind the ablation: its control is what the command line does, and a variant changes what its name says
alone."""

import itertools
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

PROGRAM = Path(os.environ["MEHLER_PROGRAM"])
VARIANTS = PROGRAM.with_name("mehler_variants")
SIZES = {"a": 3, "b": 4, "c": 2}
ROWS = 4000
FITS = [
    "as-specified",
    "chain",
    "model-rows",
    "cells-shrunk",
    "pairs-shrunk",
    "raw-targets",
    "half-weights",
    "double-weights",
    "fourfold-weights",
]


def call(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def succeed(program, *arguments):
    result = call(program, *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture
def table(tmp_path):
    """Column b repeats column a in nine rows of ten; column c is independent of both."""
    random = np.random.default_rng(5)
    a = random.integers(0, SIZES["a"], ROWS)
    b = np.where(random.random(ROWS) < 0.9, a, random.integers(0, SIZES["b"], ROWS))
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(pa.table({"a": a, "b": b, "c": random.integers(0, SIZES["c"], ROWS)}), path)
    write_schema(path.with_suffix(".json"))
    return path


def categories(name, size):
    return {"name": name, "kind": "categorical", "categories": list(range(size))}


def write_schema(path, relation="add-remove-one", first=None):
    columns = [categories(name, size) for name, size in SIZES.items()]
    columns[0] = first or columns[0]
    path.write_text(json.dumps({"mehler_schema": 1, "relation": relation, "columns": columns}))


def release(table, variant, epsilon=1):
    output = table.with_suffix(".release")
    succeed(VARIANTS, "release", table, table.with_suffix(".json"), epsilon, 1e-5, variant, output)
    return output


def fit(path, variant):
    output = path.with_name("fitted.parquet")
    succeed(VARIANTS, "fit", path, variant, output)
    return pyarrow.parquet.read_table(output)


def agreement(rows):
    return np.mean(rows["a"].to_numpy() == rows["b"].to_numpy())


def precisions(path):
    """What each block of a release was measured with, by its name; and mu^2 in all."""
    blocks = json.loads(succeed(PROGRAM, "inspect", path, "--json"))["blocks"]
    found = {block["name"]: block["sigma"] ** -2 for block in blocks}
    return found, sum((block["sensitivity"] / block["sigma"]) ** 2 for block in blocks)


def test_the_control_has_the_records_of_the_command_line(table, tmp_path):
    path = release(table, "as-specified")
    succeed(PROGRAM, "train", path, "--quiet", "-o", tmp_path / "model.mehler")
    succeed(PROGRAM, "sample", tmp_path / "model.mehler", "--quiet", "-o", tmp_path / "sampled.parquet")
    assert fit(path, "as-specified").equals(pyarrow.parquet.read_table(tmp_path / "sampled.parquet"))


@pytest.mark.parametrize("variant", FITS)
def test_without_noise_every_fit_keeps_a_dependence(table, variant):
    fitted = fit(release(table, "as-specified", 1000), variant)
    # Of 4000 independent rows the share has the standard deviation .004.
    assert agreement(fitted) == pytest.approx(agreement(pyarrow.parquet.read_table(table)), abs=0.03)


def test_fits_of_one_release_differ(table):
    path = release(table, "as-specified", 0.1)
    tables = [fit(path, variant) for variant in FITS]
    assert all(not one.equals(other) for one, other in itertools.combinations(tables, 2))


def test_pairs_have_the_noise_that_the_variant_says(table):
    pairs = {f"{i} x {j}": SIZES[i] * SIZES[j] for i, j in itertools.combinations(SIZES, 2)}
    by_size, total = precisions(release(table, "as-specified"))
    same, same_total = precisions(release(table, "equal-sigma"))
    assert same_total == pytest.approx(total)
    assert all(by_size[name] / by_size["a x b"] == pytest.approx((cells / 12) ** 0.5) for name, cells in pairs.items())
    assert all(same[name] == pytest.approx(same["a x b"]) for name in pairs)
    assert all(same[name] == pytest.approx(by_size[name]) for name in ("count", *SIZES))


def test_whole_tables_cost_what_their_contrasts_do_together(table):
    found, total = precisions(release(table, "raw-tables"))
    pairs = {(i, j): found[f"{i} x {j}"] for i, j in itertools.combinations(SIZES, 2)}
    assert sum(pairs.values()) == pytest.approx((1 - 0.03 - 0.10) * total)  # a table of counts has sensitivity 1
    of_tables = sum(precision / (SIZES[i] * SIZES[j]) for (i, j), precision in pairs.items())
    assert found["count"] == pytest.approx(0.03 * total + of_tables)


def test_an_unknown_variant_is_refused_with_the_known_names(table):
    result = call(VARIANTS, "fit", table, "chian", table.with_name("out.parquet"))
    assert result.returncode != 0 and all(name in result.stderr for name in FITS)


@pytest.mark.parametrize(
    "change",
    [
        {"relation": "replace-one"},
        {"first": {"name": "a", "kind": "integer", "bounds": [0, 2]}},
        {"first": categories("a", 1)},
    ],
)
def test_a_release_takes_tables_of_categories_under_add_remove_one_alone(table, change):
    write_schema(table.with_suffix(".json"), **change)
    output = table.with_suffix(".release")
    result = call(VARIANTS, "release", table, table.with_suffix(".json"), 1, 1e-5, "as-specified", output)
    assert result.returncode == 2 and "variant of a release" in result.stderr
    assert not output.exists()
