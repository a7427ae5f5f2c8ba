"""mehler plan: what an epsilon would buy, from the schema alone."""

import json

import pytest

pytestmark = pytest.mark.method("marginals")


def plan(run, *extra, rows="5000", delta="1e-6", schema="study.schema.json"):
    given = [word for name, value in (("--rows", rows), ("--delta", delta)) if value for word in (name, value)]
    return run("plan", schema, *given, *extra)


def test_a_plan_needs_no_table(run, study, assert_done):
    (study.folder / "study.csv").unlink()
    result = plan(run)
    assert_done(result)
    assert "no table was read" in " ".join(result.stdout.split()).lower()
    assert result.new_files == set()


def test_more_epsilon_and_more_records_are_worth_more(run, study, assert_done):
    result = plan(run, "--epsilon", "0.1,1,10", "--json")
    assert_done(result)
    noise = [entry["noise"]["pairs of columns"]["mean"] for entry in json.loads(result.stdout)]
    assert noise[0] > noise[1] > noise[2]
    more = json.loads(plan(run, "--epsilon", "1", "--json", rows="500000").stdout)
    assert more[0]["noise"]["pairs of columns"]["mean"] < 0.1 * noise[1]


def test_a_plan_says_what_would_help(run, study, assert_done):
    result = plan(run, "--epsilon", "0.05", rows="1000")
    assert_done(result)
    words = " ".join(result.stdout.split())
    assert "mostly noise" in words and "times the records, or epsilon" in words


def test_a_plan_writes_to_a_file(run, study, assert_done):
    assert_done(plan(run, "--json", "-o", "plan.json"))
    assert len(json.loads((study.folder / "plan.json").read_text())) == 5


@pytest.mark.parametrize(
    "extra, rows, delta, words",
    [
        ([], "0", "1e-6", ["--rows", "from 1 to"]),
        ([], "many", "1e-6", ["--rows", "'many'"]),
        ([], "100", "2", ["delta"]),
        (["--epsilon", "1,x"], "100", "1e-6", ["--epsilon", "'x'"]),
        (["--epsilon", "1,-2"], "100", "1e-6", ["epsilon"]),
        (["--epsilon", ""], "100", "1e-6", ["--epsilon"]),
        (["--method", "dp-hp"], "100", "1e-6", ["dp-hp", "counts"]),
        (["--method", "margnials"], "100", "1e-6", ["'margnials'", "marginals"]),
        (["--order", "5"], "100", "1e-6", ["--order"]),
        ([], None, "1e-6", ["--rows"]),
        ([], "100", None, ["--delta"]),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(run, study, assert_refused, extra, rows, delta, words):
    assert_refused(plan(run, *extra, rows=rows, delta=delta), *words)


def test_an_undeclared_schema_is_refused(run, study, assert_refused):
    study.write_schema(schema=study.schema_with("age", bounds=None))
    assert_refused(plan(run), "'age'", "bounds")
