"""How good a synthetic table is: against real records, and against a release."""

import itertools
import json
import re
from collections import Counter

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

NO_GUARANTEE = "No privacy guarantee covers them"
CONDITION = "made from this release alone, or without private records"


@pytest.fixture
def tables(study):
    """held.csv and synthetic.csv beside study.csv, all of the study's columns."""
    study.write_table("held.csv", rows=study.simulate(300, seed=2))
    study.write_table("synthetic.csv", rows=study.simulate(250, seed=3))
    return study


@pytest.fixture
def evaluate(run):
    """evaluate(*extra, ...): `mehler evaluate` of synthetic.csv against held.csv."""

    def run_evaluate(*extra, real="held.csv", synthetic="synthetic.csv", schema="study.schema.json", **options):
        named = {"--real": real, "--synthetic": synthetic, "--schema": schema}
        given = [word for name, value in named.items() if value is not None for word in (name, value)]
        return run("evaluate", *given, *extra, **options)

    return run_evaluate


@pytest.fixture
def figures(evaluate, assert_done):
    """figures(*extra): what `mehler evaluate ... --json` prints."""

    def make(*extra, **options):
        result = evaluate(*extra, "--json", **options)
        assert_done(result)
        return json.loads(result.stdout)

    return make


def write_small(folder, name, rows, header="a,b,n"):
    (folder / name).write_text("\n".join([header, *rows, ""]))


@pytest.fixture
def small(tmp_path):
    """A schema of two categories and an integer of few values, to compute figures by hand."""
    schema = {
        "mehler_schema": 1,
        "columns": [
            {"name": "a", "kind": "categorical", "categories": ["x", "y"], "missing": True},
            {"name": "b", "kind": "categorical", "categories": ["p", "q", "r"]},
            {"name": "n", "kind": "integer", "bounds": [1, 4], "missing": True},
        ],
    }
    (tmp_path / "small.schema.json").write_text(json.dumps(schema))
    return tmp_path


def test_marginals_are_their_definition(small, figures):
    real = ["x,p,1", "x,q,2", "y,q,2", ",r,4"]
    synthetic = ["x,p,1", "x,p,2", "y,r,", "y,r,3", "x,q,2"]
    write_small(small, "real.csv", real)
    write_small(small, "made.csv", synthetic)
    found = figures(real="real.csv", synthetic="made.csv", schema="small.schema.json")
    assert [entry["columns"] for entry in found["marginals"]] == [1, 2, 3]
    for entry in found["marginals"]:
        distances = []
        for subset in itertools.combinations(range(3), entry["columns"]):
            shares = Counter()
            for rows, sign in ((real, 1), (synthetic, -1)):
                for row in rows:
                    values = row.split(",")
                    shares[tuple(values[i] for i in subset)] += sign / len(rows)
            distances.append(sum(map(abs, shares.values())) / 2)
        assert entry["mean_total_variation"] == pytest.approx(sum(distances) / len(distances))
        assert entry["worst"]["total_variation"] == pytest.approx(max(distances))
        assert entry["nist_score"] == pytest.approx(1000 * (1 - entry["mean_total_variation"]))
        assert not entry["is_sample"]


def test_scores_have_their_names(tables, figures):
    found = figures()
    metrics = {entry["column"]: entry["metric"] for entry in found["columns"]}
    assert metrics == {
        "income": "KSComplement",
        "age": "KSComplement",
        "region": "TVComplement",
        "smoker": "TVComplement",
        "visit": "KSComplement",
        "outcome": "TVComplement",
    }
    pairs = {tuple(entry["columns"]): entry["metric"] for entry in found["pairs"]}
    assert len(pairs) == 15
    assert pairs["income", "age"] == "CorrelationSimilarity"
    assert pairs["income", "region"] == pairs["region", "smoker"] == "ContingencySimilarity"
    assert 0.8 < found["quality"]["overall"] < 1
    assert found["propensity"]["parameters"] > 10 and found["propensity"]["ratio"] > 0
    assert found["records"] == {"synthetic_among_real": 0.0}


def test_every_output_says_what_covers_it(tables, evaluate, assert_done, study):
    for extra in ((), ("--json",)):
        result = evaluate(*extra)
        assert_done(result)
        assert NO_GUARANTEE in result.stdout.replace("\n", " ")
        assert CONDITION not in result.stdout
    assert_done(evaluate("-o", "figures.txt"))
    assert NO_GUARANTEE in (study.folder / "figures.txt").read_text().replace("\n", " ")


@pytest.mark.method("marginals", "dp-hp")
def test_figures_of_the_private_table_beside_its_release_are_not_called_safe(release, run, assert_done, study):
    """The program cannot know where a table comes from: what it says holds for the private one."""
    study.write_table("neighbour.csv", rows=study.rows[:-1])
    assert_done(release("--quiet"))
    for extra in ((), ("--json",)):
        for name in ("study.csv", "neighbour.csv"):
            result = run("evaluate", "--release", "out.release", "--synthetic", name, *extra)
            assert_done(result)
            said = " ".join(result.stdout.split())
            assert f"if that table was {CONDITION}" in said  # no claim without its condition
            assert "the release's guarantee does not cover them" in said
            for claim in ("safe to share", "safe_to_share", "no private record", "covered by"):
                assert claim not in said
    found = json.loads(result.stdout)
    assert found["may_be_shared_if"] == f"the synthetic table was {CONDITION}"


def test_help_calls_no_figures_safe_without_a_condition(run):
    said = " ".join(run("evaluate", "--help").stdout.split())
    assert CONDITION in said and "safe to share" not in said


def test_training_records_show_copies(tables, figures, study):
    study.write_table("copies.csv", rows=study.rows[:100])
    copied = figures("--train", "study.csv", synthetic="copies.csv")["records"]
    assert copied["synthetic_among_training"] == 1.0
    assert copied["share_nearer_to_training"] > 0.95
    fresh = figures("--train", "study.csv")["records"]
    assert fresh["synthetic_among_training"] == 0.0
    assert 0.3 < fresh["share_nearer_to_training"] < 0.7


def test_a_target_is_predicted_from_synthetic_and_from_training_records(tables, figures, evaluate):
    found = figures("--target", "outcome", "--train", "study.csv")["classification"]
    assert found["target"] == "outcome" and found["positive"] in ("well", "ill")
    for name, rows in (("synthetic", 250), ("training", len(tables.rows))):
        assert (found[name]["trained_on"], found[name]["tested_on"]) == (rows, 300)
        assert 0.3 < found[name]["roc_auc"] < 0.7  # the study's outcome depends on nothing; seeded
        assert 0 < found[name]["average_precision"] < 1 and 0 < found[name]["accuracy"] < 1
    assert "training" not in figures("--target", "outcome")["classification"]
    several = figures("--target", "region")["classification"]
    assert several["positive"] is None and "roc_auc" not in several["synthetic"]
    assert 0 < several["synthetic"]["f1_weighted"] < 1
    text = evaluate("--target", "outcome", "--positive", "well", "--train", "study.csv").stdout
    assert "looked for: 'well'" in text and "real (training)" in text and "average precision" in text
    assert "classification" not in figures()


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (("--target", "outcom"), "did you mean 'outcome'"),
        (("--target", "age"), "'age' is integer in the schema"),
        (("--target", "outcome", "--positive", "weel"), "did you mean 'well'"),
        (("--target", "region", "--positive", "north"), "a positive class is for two"),
        (("--positive", "well"), "give both"),
    ],
)
def test_a_target_that_cannot_be_predicted_is_refused(tables, evaluate, assert_refused, extra, words):
    assert_refused(evaluate(*extra), words)


def test_real_records_of_one_class_are_refused(tables, evaluate, assert_refused, study):
    rows = [[*row[:-1], "ill"] for row in study.simulate(50, seed=4)]
    study.write_table("held.csv", rows=rows)
    assert_refused(evaluate("--target", "outcome"), "fewer than two classes among the real records")


@pytest.fixture
def against_release(release, run, assert_done):
    """against_release(table, *extra): what `mehler evaluate --release` prints of a table beside
    the release of study.csv, as --json; `extra` is for the release."""

    def make(table, *extra, **options):
        assert_done(release("--quiet", *extra, **options))
        result = run("evaluate", "--release", "out.release", "--synthetic", table, "--json")
        assert_done(result)
        return json.loads(result.stdout)

    return make


@pytest.mark.method("marginals", "dp-hp")
def test_a_table_agrees_with_its_own_release(tables, against_release, method):
    found = against_release("study.csv")
    # 6 standard deviations of the root mean square of the sums' noise: fails once in 10^8 times.
    limit = 6 * (0.5 / found["all"]["sums"]) ** 0.5 + 0.2
    assert found["all"]["root_mean_square"] == pytest.approx(1, abs=limit)
    columns = ["income", "age", "region", "smoker", "visit"]
    if method == "marginals":
        columns.append("outcome")  # the label of the other method's sums
    assert [entry["column"] for entry in found["columns"]] == columns


def test_counts_are_shown_beside_their_noise(tables, against_release, run, assert_done):
    found = against_release("study.csv", "--triples", "off", epsilon="100")
    assert [(entry["columns"], entry["tables"]) for entry in found["counts"]] == [(1, 6), (2, 15)]
    # In 80 releases the ratios spread by .103 and .026 about 1; the limits are 7 of that: fails once
    # in 10^11 times.
    for entry, limit in zip(found["counts"], (0.73, 0.19), strict=True):
        ratio = entry["mean_total_variation"] / entry["mean_total_variation_of_noise"]
        assert ratio == pytest.approx(1, abs=limit)
    assert [entry["part"] for entry in found["parts"]] == [
        "number of records", "columns", "values within ranges", "pairs of columns",
    ]  # fmt: skip
    assert len(found["joint"]) == 15  # a pair's rounds under one name
    result = run("evaluate", "--release", "out.release", "--synthetic", "study.csv")
    assert_done(result)
    for words in ("Mean total variation", "noise alone", "pairs of columns", "the worst first (10 of 15)"):
        assert words in result.stdout


def test_triples_are_shown_beside_their_noise(tables, against_release):
    found = against_release("study.csv", "--triples", "on", epsilon="100")
    triples = found["counts"][2]
    assert triples["columns"] == 3
    # Thousands of cells each: within 20 % of what their noise alone would be.
    ratio = triples["mean_total_variation"] / triples["mean_total_variation_of_noise"]
    assert ratio == pytest.approx(1, abs=0.2)
    assert "triples of columns" in [entry["part"] for entry in found["parts"]]


def test_columns_that_go_together_are_told_from_independent_ones(tables, against_release):
    """outcome follows smoker: a table in which it does not is far off in that pair alone."""
    study = tables
    places = [study.columns.index(name) for name in ("smoker", "outcome")]
    for row in study.rows:
        row[places[1]] = "ill" if row[places[0]] == "true" else "well"
    study.write_table()
    turned = [row[places[1]] for row in study.rows[1:] + study.rows[:1]]
    study.write_table(
        "independent.csv",
        rows=[[*row[:-1], outcome] for row, outcome in zip(study.rows, turned, strict=True)],
    )
    assert study.columns[-1] == "outcome"
    found = against_release("independent.csv", epsilon="10")
    # In 80 releases the pair that was taken apart is at 43 with a spread of 3.5, the columns, whose
    # counts are the same, at 1 with one of .1: fails once in 10^15 times.
    worst = max(found["joint"], key=lambda entry: entry["root_mean_square"])
    assert worst["columns"] == "smoker x outcome"
    assert worst["root_mean_square"] > 15
    parts = {entry["part"]: entry["root_mean_square"] for entry in found["parts"]}
    assert parts["columns"] < 2


def test_synth_says_what_evaluate_says(run, assert_done, study):
    result = run(
        "synth", "study.csv", "--schema", "study.schema.json", "--epsilon", "1",
        "--delta", "1e-6", "-o", "made.csv",
    )  # fmt: skip
    assert_done(result)
    said = re.findall(r"([0-9.e+-]+)% ", result.stdout.replace("\n", " "))  # the noise has "%)"
    again = run("evaluate", "--release", "made.release", "--synthetic", "made.csv", "--json")
    assert_done(again)
    for words, entry in zip(said, json.loads(again.stdout)["counts"], strict=True):
        assert float(words) == pytest.approx(100 * entry["mean_total_variation"], rel=0.05)


def test_the_mixture_has_its_likelihood(run, assert_done):
    for seed in ("1", "2"):
        assert_done(run("demo", "mixture", "--rows", "5000", "--seed", seed, "-o", f"m{seed}"))
    result = run(
        "evaluate", "--real", "m1/mixture.csv", "--synthetic", "m2/mixture.csv",
        "--schema", "m1/mixture.schema.json", "--json",
    )  # fmt: skip
    assert_done(result)
    found = json.loads(result.stdout)["mixture"]["synthetic"]
    assert found["negative_log_likelihood"] == pytest.approx(2.833, abs=0.08)
    assert found["covered_modes"] == 25


def test_figures_do_not_depend_on_threads_and_samples_on_the_seed(tables, figures):
    one = figures("--threads", "1", "--max-subsets", "5")
    assert figures("--threads", "3", "--max-subsets", "5") == one
    assert figures("--seed", "2", "--max-subsets", "5")["marginals"] != one["marginals"]


def test_a_sample_of_subsets_is_called_one(tables, evaluate, figures, assert_done):
    triples = figures("--marginals", "3", "--max-subsets", "7")["marginals"][0]
    assert triples["is_sample"] and triples["subsets"] == 7 and triples["all_subsets"] == 20
    assert triples["standard_error"] > 0
    result = evaluate("--marginals", "3", "--max-subsets", "7")
    assert_done(result)
    assert "7 of 20, drawn at random" in result.stdout and "seed 1" in result.stdout


# Bad input


def test_other_columns_are_refused(tables, evaluate, assert_refused, study):
    study.write_table("other.csv", columns=["person", "wage", *study.columns[2:]])
    for tables_given in ({"real": "other.csv"}, {"synthetic": "other.csv"}):
        assert_refused(evaluate(**tables_given), "other.csv", "wage")
    study.write_table("few.csv", columns=study.columns[:-1], rows=[row[:-1] for row in study.rows])
    assert_refused(evaluate(synthetic="few.csv"), "few.csv", "outcome")


def test_other_kinds_are_refused(tables, evaluate, assert_refused, study):
    study.write_table("words.csv", rows=study.rows_with("income", "much"))
    assert_refused(evaluate(synthetic="words.csv"), "income", secrets=["much"])


def test_an_empty_table_is_refused(tables, evaluate, assert_refused, study):
    study.write_table("empty.csv", rows=[])
    assert_refused(evaluate(synthetic="empty.csv"), "'empty.csv'", "no rows")
    assert_refused(evaluate(real="empty.csv"), "'empty.csv'", "no rows")
    assert_refused(evaluate("--train", "empty.csv"), "'empty.csv'", "no rows")
    (study.folder / "nothing.csv").write_text("")
    assert_refused(evaluate(real="nothing.csv"), "nothing.csv", "empty")


@pytest.mark.parametrize("ways", ["7", "1,2,9", "0", "-1", "two", "3-1", ""])
def test_marginals_that_do_not_exist_are_refused(tables, evaluate, assert_refused, ways):
    words = {"7": "7-way", "1,2,9": "9-way"}.get(ways, "--marginals")
    assert_refused(evaluate("--marginals", ways), words)


def test_k_beyond_the_columns_says_how_many_there_are(tables, evaluate, assert_refused):
    # Before the tables are read: one of them does not even exist.
    result = evaluate("--marginals", "7", real="absent.csv")
    assert_refused(result, "7-way", "6 columns", "from 1 to 6")


@pytest.mark.parametrize(
    "option, values",
    [
        ("--bins", ["0", "1", "10001", "-5", "many", "nan"]),
        ("--max-subsets", ["0", "-1", "all"]),
        ("--seed", ["-1", "x"]),
        ("--threads", ["0", "-2"]),
    ],
)
def test_numbers_out_of_range_are_refused(tables, evaluate, assert_refused, option, values):
    for value in values:
        assert_refused(evaluate(option, value), option, f"'{value}'")


def test_exactly_one_comparison_is_needed(tables, evaluate, run, release, assert_done, assert_refused):
    assert_refused(evaluate(real=None), "--real", "--release")
    assert_refused(evaluate("--release", "out.release"), "--real", "--release", "exactly one")
    assert_refused(evaluate(schema=None), "--schema")
    assert_refused(evaluate(synthetic=None), "--synthetic")
    assert_refused(evaluate(real="-", synthetic="-"), "standard input")
    assert_done(release("--quiet", output="a.release"))
    for extra in (
        ("--schema", "study.schema.json"),
        ("--train", "held.csv"),
        ("--target", "outcome"),
        *((option, "2") for option in ("--marginals", "--bins", "--seed", "--max-subsets")),
    ):
        result = run("evaluate", "--release", "a.release", "--synthetic", "study.csv", *extra)
        assert_refused(result, extra[0], "no use with --release")


def test_constant_and_missing_columns_have_figures(small, figures, evaluate, assert_done):
    write_small(small, "real.csv", [",p,2", ",p,2", ",p,2"])
    write_small(small, "made.csv", ["x,p,2", "y,p,2"])
    names = {"real": "real.csv", "synthetic": "made.csv", "schema": "small.schema.json"}
    found = figures(**names)
    scores = {entry["column"]: entry["score"] for entry in found["columns"]}
    assert scores == {"a": None, "b": 1.0, "n": 1.0}
    result = evaluate(**names)
    assert_done(result)
    assert "not defined" in result.stdout and "100.00%" in result.stdout
    missing = {entry["column"]: entry["real_missing"] for entry in found["columns"]}
    assert missing == {"a": 3, "b": 0, "n": 0}


def test_values_that_the_schema_forbids_are_counted(tables, figures, study):
    rows = study.rows_with("age", "130")
    rows[5][study.columns.index("region")] = "atlantis"
    rows[6][study.columns.index("outcome")] = ""
    study.write_table("bad.csv", rows=rows)
    invalid = {
        entry["column"]: (entry["real_invalid"], entry["synthetic_invalid"])
        for entry in figures(synthetic="bad.csv")["columns"]
    }
    assert invalid["age"] == invalid["region"] == invalid["outcome"] == (0, 1)
    assert invalid["income"] == invalid["smoker"] == (0, 0)


def test_a_single_class_and_a_single_record_have_figures(tables, figures, study):
    one_class = study.simulate(100, seed=4)
    for row in one_class:
        row[-1] = "well"
    study.write_table("one_class.csv", rows=one_class)
    found = figures(synthetic="one_class.csv")
    outcome = next(entry for entry in found["columns"] if entry["column"] == "outcome")
    assert 0.3 < outcome["score"] < 0.7
    study.write_table("one.csv", rows=study.rows[:1])
    assert figures(synthetic="one.csv", real="one.csv")["quality"]["column_shapes"] == 1.0


def test_an_output_that_would_overwrite_a_table_is_refused(tables, evaluate, study):
    before = (study.folder / "held.csv").read_text()
    result = evaluate("-o", "held.csv")
    assert result.returncode == 2 and "held.csv" in result.stderr
    assert (study.folder / "held.csv").read_text() == before


@pytest.mark.parametrize(
    "options, dialect, columns",
    [
        (["--delimiter", ";"], {"delimiter": ";"}, None),
        (["--no-header"], {}, ()),
        (["--delimiter", ";", "--no-header", "--null", "?"], {"delimiter": ";"}, ()),
    ],
)
def test_reading_options_are_those_of_the_real_records(tables, figures, study, options, dialect, columns):
    """The synthetic table is as `synth` and `sample` write one: commas and a header."""
    study.write_table("real.csv", rows=study.simulate(300, seed=2), columns=columns, **dialect)
    study.write_table("mine.csv", rows=[row[1:] for row in study.simulate(250, seed=3)], columns=study.columns[1:])
    found = figures(*options, "--train", "real.csv", real="real.csv", synthetic="mine.csv")
    assert found == figures("--train", "held.csv", synthetic="mine.csv")


def test_a_synthetic_table_may_be_written_as_the_real_one_is(tables, figures, study):
    for name, seed, count in (("real.csv", 2, 300), ("mine.csv", 3, 250)):
        rows = study.simulate(count, seed=seed)
        study.write_table(name, rows=rows, columns=(), delimiter=";")
    found = figures("--delimiter", ";", "--no-header", real="real.csv", synthetic="mine.csv")
    assert found == figures()


def test_an_option_of_csv_is_for_the_tables_that_are_csv(tables, figures, evaluate, study, assert_refused):
    convert = pyarrow.csv.ConvertOptions(strings_can_be_null=True, column_types={"smoker": "string", "visit": "string"})
    held = pyarrow.csv.read_csv(study.folder / "held.csv", convert_options=convert)
    made = pyarrow.csv.read_csv(study.folder / "synthetic.csv", convert_options=convert)
    pq.write_table(held, study.folder / "held.parquet")
    pq.write_table(made, study.folder / "made.parquet")
    study.write_table("semi.csv", rows=study.simulate(300, seed=2), delimiter=";")
    expected = figures()
    semicolons = ["--delimiter", ";", "--null", "?"]
    assert figures(*semicolons, real="semi.csv", synthetic="made.parquet") == expected
    study.write_table("semi_made.csv", rows=study.simulate(250, seed=3), delimiter=";")
    assert figures(*semicolons, real="held.parquet", synthetic="semi_made.csv") == expected
    refused = evaluate("--delimiter", ";", real="held.parquet", synthetic="made.parquet")
    assert_refused(refused, "a delimiter", "CSV tables only", "Parquet")
