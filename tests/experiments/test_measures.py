"""What the experiments measure with: the published metric of marginals, thinned classes, expectations of one way to
run."""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from running import PACKAGE, SOURCE

sys.path[:0] = [str(SOURCE), str(PACKAGE)]

from experiments.lib import cells, correlations, marginals, simulated  # noqa: E402
from experiments.lib.bars import Figure, check, missed  # noqa: E402
from experiments.lib.settings import Settings  # noqa: E402
from experiments.lib.text import decimals, spread  # noqa: E402
from experiments.methods.dp_hp_as_published import published_schema  # noqa: E402
from experiments.tasks import marginals_convergence, marginals_zeros  # noqa: E402


def write(path, codes):
    pyarrow.parquet.write_table(pa.table({f"c{place}": column for place, column in enumerate(codes.T)}), path)
    return path


def published(real, synthetic, size):
    """The published metric in numpy's own words: one bin fewer than codes, over the range of each table."""
    bins = real.max(0) - real.min(0)
    errors = []
    for subset in itertools.combinations(range(real.shape[1]), size):
        shares = [
            np.histogramdd(table[:, subset], bins=bins[list(subset)])[0] / len(table) for table in (real, synthetic)
        ]
        errors.append(0.5 * np.abs(shares[0] - shares[1]).sum())
    return np.mean(errors)


def test_the_published_metric_is_that_of_numpy_histograms(tmp_path):
    random = np.random.default_rng(3)
    real = random.integers(0, [2, 3, 8, 5, 4], (500, 5))
    synthetic = random.integers(0, [2, 2, 6, 5, 4], (400, 5)) + [0, 1, 1, 0, 0]
    settings = Settings(os.environ["MEHLER_PROGRAM"], tmp_path, tmp_path / "records", quick=True)
    settings.records.mkdir()
    found = marginals.published_errors(
        settings, write(tmp_path / "a.parquet", real), write(tmp_path / "b.parquet", synthetic), (2, 3, 4)
    )
    assert found == pytest.approx({size: published(real, synthetic, size) for size in (2, 3, 4)}, abs=1e-12)
    assert {path.name for path in tmp_path.iterdir()} == {"a.parquet", "b.parquet", "records"}


def test_a_column_of_two_codes_counts_for_nothing_in_the_published_metric():
    assert set(marginals.merged(np.array([0, 1, 1, 0]), 1)) == {0}


def test_a_constant_column_falls_into_the_middle_bin():
    assert list(marginals.merged(np.array([3, 3]), 5)) == [2, 2]


def test_the_schema_as_published_has_numbers_and_no_classes():
    schema = published_schema(
        {"mehler_schema": 1, "target": "b", "columns": [{"name": "b", "kind": "categorical", "categories": [0, 1, 2]}]}
    )
    assert schema["relation"] == "replace-one" and "target" not in schema
    assert schema["columns"] == [{"name": "b", "kind": "integer", "bounds": [0, 2]}]


def test_classes_are_thinned_to_their_share():
    classification = pytest.importorskip("experiments.lib.classification")
    table = pa.table({"label": [0] * 4000 + [1] * 100 + [2] * 50})
    kept = classification.thin(table, "label", {0: 0.25, 2: 0})["label"].to_pylist()
    # A fixed seed: 1000 of class 0 but for 3.3 standard deviations.
    assert 910 < kept.count(0) < 1090 and kept.count(1) == 100 and kept.count(2) == 0


def test_an_expectation_of_one_way_to_run_does_not_concern_the_other():
    expected = {"a": {"why": "w", "at_most": 1}, "b": {"why": "w", "at_most": 1, "only": "full"}}
    assert check([Figure("a", 0.5)], expected, quick=True)[1]
    assert not check([Figure("a", 0.5)], expected, quick=False)[1]


def test_what_was_not_measured_neither_holds_nor_fails():
    lines, all_hold = check([Figure("a", None)], {"a": {"why": "w", "at_most": 1}}, quick=False)
    assert all_hold and lines == ["-      a: not measured"]


def test_a_bar_for_idle_machines_is_excused_on_a_busy_one_alone():
    slow, large = Figure("slow", 3, "s", at_most=1, only_idle=True), Figure("large", 3, "MB", at_most=1)
    fast = Figure("fast", 1, "s", at_most=1, only_idle=True)
    assert missed([slow, large, fast]) == [slow, large]
    assert missed([slow, large, fast], busy_machine=True) == [large]
    assert [figure.verdict(busy_machine=True) for figure in (slow, large, fast)] == ["excused", "FAILS", "holds"]


@pytest.mark.parametrize("value", [float("nan"), 0.9, 2.1])
def test_a_value_outside_its_bar_fails(value):
    assert missed([Figure("a", value, at_least=1, at_most=2)])


def test_a_spread_is_given_with_several_values_alone():
    assert spread([0.25]) == "0.250" and spread([0.2, 0.4]) == "0.300 +- 0.141"


def test_a_number_of_a_table_loses_the_zero_before_its_point_and_nothing_else():
    assert [decimals(value) for value in (0.5, -0.25, 0, 1, 10.5)] == [".500", "-.250", ".000", "1.000", "10.500"]
    assert decimals(0.25, 1) == ".2" and decimals(0.5, 0) == "0"


def test_every_expectation_says_why():
    folder = SOURCE / "experiments"
    files = [json.loads(path.read_text(encoding="utf-8")) for path in (folder / "tasks").glob("*.expected.json")]
    for path in (folder / "datasets").glob("*/expected.json"):
        files += json.loads(path.read_text(encoding="utf-8")).values()
    for expected in files:
        for name, limits in expected.items():
            assert limits["why"] and {"at_least", "at_most"} & limits.keys(), name


def a_schema_and_tables(random, rows):
    """Two tables of numbers, whole numbers, some of them missing, and categories."""
    columns = [
        {"name": "x", "kind": "numeric", "bounds": [0, 10]},
        {"name": "n", "kind": "integer", "bounds": [0, 320], "missing": True},
        {"name": "c", "kind": "categorical", "categories": ["a", "b", "c"], "missing": False},
    ]

    def table(scale):
        numbers = random.integers(0, 320, rows)
        return pa.table(
            {
                "x": np.minimum(random.exponential(scale, rows), 10),
                "n": pa.array(numbers, mask=numbers % 7 == 0),
                "c": random.choice(["a", "b", "c"], rows, p=(0.2, 0.3, 0.5)),
            }
        )

    return {"mehler_schema": 1, "columns": columns}, table(2), table(3)


def test_total_variation_in_numpy_is_that_of_the_program(tmp_path):
    schema, real, synthetic = a_schema_and_tables(np.random.default_rng(5), 3000)
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    for name, table in (("real", real), ("synthetic", synthetic)):
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet")
    settings = Settings(os.environ["MEHLER_PROGRAM"], tmp_path, tmp_path, quick=True)
    paths = [tmp_path / name for name in ("real.parquet", "synthetic.parquet", "schema.json")]
    more = ("--marginals", "1,2,3", "--bins", cells.BINS)
    found = {
        entry["columns"]: entry["mean_total_variation"]
        for entry in marginals.evaluation(settings, *paths, *more)["marginals"]
    }
    tables = [cells.CellTable(table, schema) for table in (real, synthetic)]
    expected = {size: cells.mean_total_variation(*tables, cells.subsets_of(3, size)) for size in (1, 2, 3)}
    assert found == pytest.approx(expected, abs=1e-12)


def test_subsets_are_all_or_as_many_as_wanted_and_always_the_same():
    assert len(cells.subsets_of(24, 2)) == 276
    drawn = cells.subsets_of(24, 3, 300)
    assert len(set(drawn)) == 300 and drawn == cells.subsets_of(24, 3, 300)


def test_ranks_of_equal_values_are_shared():
    assert list(correlations.ranks(np.array([5, 1, 5, 9]))) == [1.5, 0, 1.5, 3]


def test_correlations_of_ranks_see_what_is_monotonous_and_leave_rows_with_missing_values_out():
    x = np.arange(1.0, 50)
    table = pa.table({"x": [*x, 7.0], "y": [*np.exp(x / 5), None], "one": [3.0] * 50})
    found = correlations.correlations(table, ["x", "y", "one"])
    assert found["Spearman"] == pytest.approx([1, 0, 0])
    assert found["Pearson"] == pytest.approx([np.corrcoef(x, np.exp(x / 5))[0, 1], 0, 0])
    other = {kind: -values for kind, values in found.items()}
    assert correlations.mean_errors(found, other)["Spearman"] == pytest.approx(2 / 3)


def test_simulated_zeros_are_as_many_as_declared():
    table = simulated.account_rows(10_000, 1)
    for name, share in simulated.ZEROS.items():
        # A fixed seed; the deviation of the largest share is 0.005.
        assert np.mean(table[name].to_numpy() == 0) == pytest.approx(share, abs=0.02)
    assert table["salary"].to_numpy().min() >= 1000


def test_simulated_pairs_are_related_as_declared():
    table = simulated.related_rows(20_000, 1)
    assert table.equals(simulated.related_rows(20_000, 1))
    normal, nearly, square, code, other = (
        table[name].to_numpy() for name in ("normal", "nearly_equal", "square", "code", "other_code")
    )
    assert np.corrcoef(normal, nearly)[0, 1] == pytest.approx(0.999, abs=0.0001)
    assert np.abs(square - normal**2).max() < 0.4 and abs(np.corrcoef(normal, square)[0, 1]) < 0.05
    assert len(set(zip(code, other))) == len(set(code)) == len(set(other))


@pytest.mark.parametrize("schema", ["RELATED", "ACCOUNTS"])
def test_simulated_tables_keep_to_their_schemas(tmp_path, schema):
    rows = {"RELATED": simulated.related_rows, "ACCOUNTS": simulated.account_rows}[schema](2000, 1)
    settings = Settings(os.environ["MEHLER_PROGRAM"], tmp_path, tmp_path, quick=True)
    source = simulated.write(settings, "table", rows, getattr(simulated, schema))
    command = [settings.program, "schema", "check", source.schema_path, source.table]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0 and "will be moved" not in result.stdout, result.stdout + result.stderr


def test_zeros_count_where_they_stand_out_and_by_their_mean_share():
    def row(column, real, synthetic):
        return {
            "table": "t",
            "epsilon": 1,
            "column": column,
            "real": real,
            "synthetic": synthetic,
            "noise": 0.01,
        }

    rows = [row("many", 0.2, 0.19), row("many", 0.2, 0.23), row("few", 0.04, 0), row("none", 0, 0.001)]
    assert marginals_zeros.largest_error(rows, "t", 1) == pytest.approx(0.05)
    assert marginals_zeros.largest_error(rows[2:], "t", 1) is None


def test_errors_against_a_distribution_are_none_for_itself_and_see_a_pair_that_is_torn_apart():
    table = simulated.related_rows(5000, 1)
    truth = marginals_convergence.Truth(table)
    assert set(truth.errors_of(table).values()) == {0}
    shuffled = pa.array(np.random.default_rng(2).permutation(table["nearly_equal"].to_numpy()))
    torn = table.set_column(table.column_names.index("nearly_equal"), "nearly_equal", shuffled)
    errors = truth.errors_of(torn)
    assert errors["correlation .999"] > 0.8 and errors["y = x^2"] == errors["integers one to one"] == 0
    assert 0.05 < errors["Spearman"] < 0.2
