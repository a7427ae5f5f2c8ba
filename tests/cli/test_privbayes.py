"""Method privbayes: from a table to records, and what it refuses."""

import json

import pytest

pytestmark = pytest.mark.method("privbayes")


def test_it_leads_from_a_table_to_records_that_meet_a_condition(run, release, assert_done):
    assert_done(release())
    assert_done(run("train", "out.release", "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "--where", "age>=40", "-o", "out.csv"))
    inspected = run("inspect", "out.release")
    assert_done(inspected)
    assert "It matches" in inspected.stdout and "by the exponential mechanism" in inspected.stdout


def test_a_release_lists_its_choices(run, release, assert_done):
    assert_done(release())
    charges = json.loads(run("inspect", "out.release", "--json").stdout)["privacy"]["charges"]
    choices = [charge for charge in charges if charge["charge"] == "selection"]
    assert choices and all(charge["candidates"] > 1 and charge["epsilon"] > 0 for charge in choices)


def test_the_published_protocol_states_the_privacy_that_it_has(run, release, study, assert_done):
    study.write_schema("exchanged.json", schema=study.schema | {"relation": "replace-one"})
    result = release("--protocol", "published", schema="exchanged.json")
    assert_done(result)
    stated = " ".join(result.stdout.split()).split("delta is 0 with epsilon ")[1]
    # Half of it on tables and up to a quarter on choices: none where there is one candidate.
    assert 0.5 <= float(stated.split(". ")[0]) <= 0.75
    # Laplace noise has no mu: choices would have all of it.
    assert "%" not in run("inspect", "out.release").stdout.split("Parts")[1].split("Blocks")[0]


@pytest.mark.parametrize(
    "words, said",
    [
        (("--protocol", "published"), "replace-one"),
        (("--protocol", "other"), "--protocol"),
        (("--theta", "4"), "published"),
        (("--parents", "0"), "--parents"),
        (("--parents", "5"), "--parents"),
        (("--ranges", "1"), "--ranges"),
        (("--ranges", "nan"), "--ranges"),
    ],
)
def test_what_it_does_not_take_is_refused_before_it_reads(release, words, said):
    result = release(*words, table="no-such-table.csv")
    assert result.returncode == 2 and said in result.stderr
    assert result.new_files == set()
