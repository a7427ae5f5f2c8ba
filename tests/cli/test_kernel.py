"""The kernel tools: rho, errors of features, MMD, and length scales of public tables."""

import csv
import io
import json
import math

import numpy as np
import pytest


@pytest.fixture
def figures(run, assert_done):
    """figures(*args): what `mehler kernel ... --json` prints."""

    def make(*args, **options):
        result = run("kernel", *args, "--json", **options)
        assert_done(result)
        return json.loads(result.stdout)

    return make


# rho


def test_rho_and_length_scale_are_each_others_inverse(figures):
    rho = figures("rho", "--length-scale", "0.71")["rho"]
    assert rho == pytest.approx(-(0.71**2) + math.sqrt(0.71**4 + 1), rel=1e-14)
    assert figures("rho", "--rho", repr(rho))["length_scale"] == pytest.approx(0.71, rel=1e-14)
    assert figures("rho", "--rho", "0.3333333333333333")["length_scale"] == pytest.approx(math.sqrt(4 / 3), rel=1e-14)
    assert figures("rho", "--length-scale", "0.5", "--scale", "2")["rho"] == pytest.approx(math.sqrt(2) - 1, rel=1e-14)


def test_rho_prints_both(run, assert_done):
    result = run("kernel", "rho", "--length-scale", "1")
    assert_done(result)
    assert "length scale 1 " in result.stdout and "rho 0.414213562373095" in result.stdout


@pytest.mark.parametrize("rho", ["0", "1", "-0.5", "1.5", "nan", "inf"])
def test_a_rho_out_of_range_is_refused(run, assert_refused, rho):
    assert_refused(run("kernel", "rho", "--rho", rho), "rho", f"is {rho}", "(0, 1)")
    assert_refused(run("kernel", "error", "--rho", rho), "rho", f"is {rho}", "(0, 1)")


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf"])
def test_a_length_scale_without_a_rho_is_refused(run, assert_refused, scale):
    for command in ("rho", "error", "features"):
        assert_refused(
            run("kernel", command, "--length-scale", scale),
            "length scale",
            f"is {scale}",
            "greater than 0",
        )
    assert_refused(run("kernel", "rho", "--rho", "0.5", "--scale", scale), "scale", f"is {scale}")


def test_rho_needs_exactly_one_direction(run, assert_refused):
    assert_refused(run("kernel", "rho"), "--length-scale", "--rho")
    assert_refused(run("kernel", "rho", "--rho", "0.5", "--length-scale", "1"), "--length-scale", "--rho")
    assert_refused(run("kernel", "rho", "--rho", "half"), "--rho", "'half'", "number")


# error


def test_errors_fall_within_the_bounds_of_the_paper(figures):
    result = figures("error", "--shift", "0", "--order", "0-8", "--features", "2,500")
    assert result["rho"] == pytest.approx(1 / 3)
    rows = result["rows"]
    assert [row["order"] for row in rows] == [*range(9), None, None]
    for row in rows[:9]:
        assert row["entries"] == row["order"] + 1 and row["spread"] is None
        assert row["upper_bound"] == pytest.approx((1 / 3) ** row["order"] / (3 * math.sqrt(2)))
        assert 0 < row["mean_error"] < row["upper_bound"]
        assert row["mean_error"] < row["largest_error"] <= 1
    for row in rows[9:]:
        assert row["lower_bound"] == 1 / (8 * row["entries"]) < row["mean_error"]
        assert row["spread"] > 0 and row["upper_bound"] is None


def test_bounds_are_given_only_where_they_are_proven(figures):
    for options in (["--shift", "1"], ["--shift", "0", "--rho", "0.4"]):
        rows = figures("error", *options, "--draws", "2")["rows"]
        assert rows
        for row in rows:
            assert row["upper_bound"] is None and row["lower_bound"] is None


def test_errors_as_csv_are_those_of_the_json(run, figures, assert_done):
    options = ["error", "--order", "1,3-4", "--features", "2,10", "--draws", "3", "--points", "20"]
    rows = figures(*options)["rows"]
    result = run("kernel", *options, "--csv")
    assert_done(result)
    table = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["features"], row["order"], row["entries"]) for row in table] == [
        ("hermite", "1", "2"),
        ("hermite", "3", "4"),
        ("hermite", "4", "5"),
        ("random", "", "2"),
        ("random", "", "10"),
    ]
    assert [float(row["mean_error"]) for row in table] == [row["mean_error"] for row in rows]


def test_errors_follow_the_seed_and_nothing_else(figures):
    def means(*options):
        rows = figures("error", "--order", "2", "--features", "20", "--draws", "4", *options)
        return [row["mean_error"] for row in rows["rows"]]

    assert means("--seed", "5") == means("--seed", "5", "--threads", "3")
    assert means("--seed", "5") != means("--seed", "6")
    hermite, random = means("--seed", "5")
    more = figures("error", "--order", "2", "--features", "20", "--draws", "7", "--seed", "5")["rows"]
    assert more[0]["mean_error"] == hermite and more[1]["mean_error"] != random


def test_the_median_length_scale_is_that_of_the_points(figures):
    result = figures("error", "--length-scale", "median", "--draws", "1", "--points", "500")
    # Two of N(0, 1) and N(1, 1): near the median distance of their mixture.
    assert 1.0 < result["length_scale"] < 1.15


@pytest.mark.parametrize(
    "options, words",
    [
        (["--order", "1001"], ["--order", "1000", "'1001'"]),
        (["--order", "-3"], ["--order", "'-3'"]),
        (["--order", "5-2"], ["--order", "'5-2'", "ends before"]),
        (["--order", "two"], ["--order", "'two'", "whole number"]),
        (["--order", ""], ["--order", "whole number"]),
        (["--order", "1,,2"], ["--order", "whole number"]),
        (["--features", "0"], ["--features", "'0'"]),
        (["--features", "7"], ["random features", "even", "is 7", "take 8"]),
        (["--features", "20001"], ["--features", "20000"]),
        (["--points", "0"], ["--points", "'0'"]),
        (["--points", "2001"], ["--points", "2000"]),
        (["--draws", "0"], ["--draws", "'0'"]),
        (["--shift", "nan"], ["shift", "nan", "[-10, 10]"]),
        (["--shift", "far"], ["--shift", "'far'"]),
        (["--seed", "x"], ["--seed", "'x'"]),
        (["--threads", "0"], ["--threads", "1 to 1024"]),
        (["--length-scale", "wide"], ["--length-scale", "'wide'"]),
        (["--length-scale", "1", "--rho", "0.5"], ["--length-scale", "--rho"]),
        (["--json", "--csv"], ["--json", "--csv"]),
    ],
)
def test_a_bad_option_of_error_is_refused(run, assert_refused, options, words):
    assert_refused(run("kernel", "error", *options), *words)


def test_an_error_table_is_written_whole_or_not_at_all(run, study, assert_done, assert_refused):
    options = ["kernel", "error", "--draws", "1", "--csv", "-o"]
    result = run(*options, "errors.csv")
    assert_done(result)
    assert result.new_files == {"errors.csv"} and "Wrote errors.csv" in result.stdout
    assert (study.folder / "errors.csv").read_text().startswith("features,order,entries,")
    assert_refused(run(*options, "nowhere/errors.csv"), "nowhere/errors.csv", "folder")


# features


def test_features_are_the_values_behind_the_kernel(run, assert_done):
    result = run("kernel", "features", "--length-scale", "0.71", "--order", "30", "--points", "3")
    assert_done(result)
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    phi = {}
    for row in rows:
        phi.setdefault((row["features"], int(row["point"])), []).append(float(row["value"]))
    x = [float(row["x"]) for row in rows if row["features"] == "hermite" and row["entry"] == "0"]
    assert len(phi) == 6 and len(phi["hermite", 0]) == 31 and len(phi["random", 0]) == 100
    for i in range(3):
        assert np.dot(phi["random", i], phi["random", i]) == pytest.approx(1, abs=1e-12)
        for j in range(3):
            kernel = math.exp(-((x[i] - x[j]) ** 2) / (2 * 0.71**2))
            assert np.dot(phi["hermite", i], phi["hermite", j]) == pytest.approx(kernel, abs=1e-3)
            assert np.dot(phi["random", i], phi["random", j]) == pytest.approx(kernel, abs=0.5)


# mmd


@pytest.fixture
def mmd(run, study):
    def compare(*options, first="study.csv", second="other.csv", **more):
        return run("kernel", "mmd", first, second, "--schema", "study.schema.json", *options, **more)

    study.write_table("other.csv", rows=study.simulate(150, seed=2))
    return compare


def column_kernels(study, first, second, length_scale):
    """Kernels of every pair and column but the label, and whether the labels agree."""
    bounds = {"income": (0, 200000), "age": (18, 95)}
    kernels = []
    labels = None
    for i, name in enumerate(study.columns):
        a, b = [row[i] for row in first], [row[i] for row in second]
        if name == "visit":
            a, b = (np.array(side, dtype="datetime64[D]").astype(float) for side in (a, b))
            bounds["visit"] = tuple(
                np.datetime64(day).astype("datetime64[D]").astype(float) for day in ("2020-01-01", "2024-12-31")
            )
        if name in bounds:
            low, high = bounds[name]
            a, b = (2 * (np.array(side, dtype=float) - low) / (high - low) - 1 for side in (a, b))
            kernels.append(np.exp(-((a[:, None] - b) ** 2) / (2 * length_scale[name] ** 2)))
        elif name == "outcome":
            labels = np.array(a)[:, None] == np.array(b)
        elif name != "person":
            kernels.append((np.array(a)[:, None] == np.array(b)).astype(float))
    return np.array(kernels), labels


def test_mmd_agrees_with_numpy(mmd, study, assert_done):
    length_scale = {"income": 0.3, "age": 0.1, "visit": 0.3}
    result = mmd("--length-scale", "0.3", "--length-scale", "age=0.1", "--order", "60", "--json")
    assert_done(result)
    figures = json.loads(result.stdout)
    x, y = study.rows, study.simulate(150, seed=2)
    means = []
    for first, second in ((x, x), (y, y), (x, y)):
        kernels, labels = column_kernels(study, first, second, length_scale)
        means.append(((labels * kernels.mean(axis=0)).mean(), (labels * kernels.prod(axis=0)).mean()))
    expected = [means[0][k] + means[1][k] - 2 * means[2][k] for k in (0, 1)]
    assert figures["sum_kernel"]["exact_squared_mmd"] == pytest.approx(expected[0], abs=1e-12)
    assert figures["sum_kernel"]["approximate_squared_mmd"] == pytest.approx(expected[0], abs=1e-9)
    assert figures["product_kernel"]["exact_squared_mmd"] == pytest.approx(expected[1], abs=1e-12)
    assert figures["records"] == [200, 150] and figures["label"] == "outcome"
    assert figures["length_scales"] == {**length_scale, "region": None, "smoker": None}


def test_mmd_says_that_nothing_protects_it(mmd, run, assert_done):
    result = mmd()
    assert_done(result)
    words = " ".join(result.stdout.split())
    assert "records of both tables" in words and "No privacy guarantee covers them" in words
    assert "No privacy guarantee" in json.loads(mmd("--json").stdout)["privacy"]
    assert "not covered by a privacy guarantee" in " ".join(run("kernel", "mmd", "--help").stdout.split())


def test_mmd_of_a_table_with_itself_is_zero(mmd, assert_done):
    result = mmd("--json", second="study.csv")
    assert_done(result)
    figures = json.loads(result.stdout)
    assert figures["sum_kernel"]["exact_squared_mmd"] == pytest.approx(0, abs=1e-12)
    assert figures["sum_kernel"]["approximate_squared_mmd"] == 0
    assert figures["product_kernel"]["exact_squared_mmd"] == pytest.approx(0, abs=1e-12)


def test_mmd_may_leave_the_exact_figures_out(mmd, assert_done):
    result = mmd("--json", "--approximate-only")
    assert_done(result)
    figures = json.loads(result.stdout)
    assert figures["sum_kernel"]["exact_squared_mmd"] is None
    assert figures["sum_kernel"]["approximate_squared_mmd"] > 0
    assert "product" not in mmd("--approximate-only").stdout.split("The sum kernel")[0]


def test_mmd_reads_one_table_from_standard_input(mmd, study, assert_done, assert_refused):
    text = (study.folder / "other.csv").read_text()
    assert mmd("--json", second="-", stdin=text).stdout == mmd("--json").stdout
    assert_refused(mmd(first="-", second="-", stdin=text), "both tables", "standard input")


def test_mmd_reads_a_synthetic_table_beside_a_headerless_one(mmd, study, assert_done):
    study.write_table("bare.csv", columns=(), delimiter=";")
    found = mmd("--delimiter", ";", "--no-header", first="bare.csv")
    assert_done(found)
    assert found.stdout == mmd().stdout


def test_a_bad_option_of_mmd_is_refused(mmd, study, assert_refused):
    for scale in ("0", "-1", "nan", "inf"):
        assert_refused(mmd("--length-scale", scale), "length scale", f"is {scale}", "[0.001, 1000]")
        assert_refused(mmd("--length-scale", f"age={scale}"), "'age'", f"is {scale}")
    assert_refused(mmd("--length-scale", "agee=1"), "'agee'", "'age'")
    assert_refused(mmd("--length-scale", "region=1"), "'region'", "numbers")
    assert_refused(mmd("--order", "0"), "--order", "1 to 1000")
    assert_refused(mmd(second="absent.csv"), "absent.csv")
    assert_refused(mmd("-o", "study.csv", second="study.csv"), "'study.csv'", "overwritten")
    assert (study.folder / "study.csv").stat().st_size > 1000


def test_mmd_refuses_records_that_do_not_fit_without_quoting_them(mmd, study, assert_refused):
    study.write_table("odd.csv", rows=study.rows_with("region", "atlantis"))
    assert_refused(mmd(second="odd.csv"), "'region'", secrets=["atlantis"])
    study.write_table("empty.csv", rows=[])
    assert_refused(mmd(second="empty.csv"), "no rows")


# length-scale


@pytest.fixture
def length_scale(run):
    def measure(*options, table="study.csv", schema="study.schema.json"):
        return run("kernel", "length-scale", table, "--schema", schema, *options)

    return measure


def test_the_median_heuristic_refuses_a_table_that_is_not_declared_public(length_scale, assert_refused):
    assert_refused(length_scale(), "--public", "reads every record", "without noise", "needs no protection")
    # Not even the file is looked at.
    assert_refused(length_scale(table="absent.csv"), "--public")


def test_the_median_heuristic_gives_each_column_its_median_distance(length_scale, study, assert_done):
    result = length_scale("--public", "--json")
    assert_done(result)
    found = {row["column"]: row for row in json.loads(result.stdout)}
    assert set(found) == {"income", "age", "visit"}
    ages = np.array([float(row[2]) for row in study.rows])
    median = np.median(np.abs(ages[:, None] - ages)[np.triu_indices(len(ages), 1)])
    assert found["age"]["median_distance"] == pytest.approx(median)
    assert found["age"]["length_scale"] == pytest.approx(2 * median / (95 - 18))
    text = length_scale("--public").stdout
    assert "--length-scale 'age=" in text and "--public says" in " ".join(text.split())


def test_a_column_of_equal_values_has_no_length_scale(length_scale, study, assert_done):
    rows = study.simulate(100)
    for row in rows:
        row[2] = "40"
    study.write_table("equal.csv", rows=rows)
    result = length_scale("--public", "--json", table="equal.csv")
    assert_done(result)
    age = next(row for row in json.loads(result.stdout) if row["column"] == "age")
    assert age["length_scale"] is None and age["median_distance"] == 0
    assert "equal" in age["problem"]
    assert "age=" not in length_scale("--public", table="equal.csv").stdout


def test_a_median_distance_on_a_transformed_scale_has_no_units(length_scale, study, assert_done):
    study.write_schema("log.json", study.schema_with("income", transform="log"))
    result = length_scale("--public", "--json", schema="log.json")
    assert_done(result)
    found = {entry["column"]: entry for entry in json.loads(result.stdout)}
    assert found["income"]["median_distance"] is None and found["income"]["length_scale"] > 0
    assert found["age"]["median_distance"] > 0


def test_the_median_heuristic_needs_a_column_of_numbers(length_scale, study, assert_refused):
    schema = study.schema
    for column in schema["columns"]:
        if column["name"] in ("income", "age", "visit"):
            column["kind"] = "ignored"
            column.pop("bounds")
    study.write_schema("categories.json", schema)
    assert_refused(length_scale("--public", schema="categories.json"), "no column of numbers")


def test_an_unknown_kernel_command_is_refused_with_the_near_name(run, assert_refused):
    assert_refused(run("kernel", "eror"), "'eror'", "'error'")
    assert_refused(run("kernel"), "subcommand", "mehler kernel --help")
