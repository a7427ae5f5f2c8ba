"""What several releases spent together, and budgets that promise little."""

import json

import pytest

pytestmark = pytest.mark.method("marginals", "dp-hp")


def test_several_releases_of_the_same_records_are_added_up(run, release, assert_done):
    for name, epsilon in (("a.release", "1"), ("b.release", "1"), ("c.release", "0.5")):
        assert_done(release(epsilon=epsilon, output=name))
    files = ("a.release", "b.release", "c.release")
    told = run("inspect", *files, "--json")
    assert_done(told)
    found = json.loads(told.stdout)
    together = found["together"]
    # Gaussian noise adds up as mu^2: less than the epsilons, more than the largest of them.
    assert 1 < together["epsilon"] < 2.5
    assert together["delta"] == 1e-6
    assert [entry["file"] for entry in found["releases"]] == list(files)
    mu = sum(entry["privacy"]["mu"] ** 2 for entry in found["releases"]) ** 0.5
    (alone,) = (entry for entry in found["releases"][:1])
    assert mu > alone["privacy"]["mu"]
    text = run("inspect", *files)
    assert_done(text)
    words = " ".join(text.stdout.split())
    assert "same records" in words and "2.5" in words
    for name in files:
        assert name in text.stdout


def test_releases_that_protect_different_things_are_not_added_up(run, release, study, assert_done, assert_refused):
    assert_done(release(output="a.release"))
    study.schema["relation"] = "replace-one"
    study.write_schema()
    assert_done(release(output="b.release"))
    assert_refused(run("inspect", "a.release", "b.release"), "protect different things")


def test_a_release_that_is_none_among_several_is_refused(run, release, study, assert_done, assert_refused):
    assert_done(release(output="a.release"))
    assert_refused(run("inspect", "a.release", "study.csv"), "'study.csv'", "not a mehler release")


def test_budgets_that_promise_little_are_noted(release, assert_done):
    usual = release()
    assert_done(usual)
    assert "Note:" not in usual.stdout
    loose = release(delta="0.02", epsilon="20", output="loose.release")
    assert_done(loose)
    words = " ".join(loose.stdout.split())
    assert "delta 0.02 is more than 1 in the number of records" in words
    assert "epsilon 20 promises little" in words
