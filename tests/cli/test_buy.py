"""Bounds and categories that are bought with a part of the privacy budget."""

import csv
import json

import pytest

BUDGET = ["--epsilon", "20", "--delta", "1e-6"]
FRUIT = ["apple", "fig", "pear"]


@pytest.fixture
def orchard(tmp_path):
    """A table whose schema nobody has written."""
    with open(tmp_path / "orchard.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["fruit", "weight", "picked"])
        for i in range(3000):
            writer.writerow([FRUIT[i % 3], 12 + i % 70, f"202{i % 3}-0{1 + i % 9}-1{i % 9}"])
        writer.writerow(["the only quince", 99999999, "1871-01-01"])
    return tmp_path


def test_a_table_without_a_schema_becomes_a_synthetic_one(run, orchard, assert_done):
    drafted = run("schema", "init", "orchard.csv", "--buy", "-o", "s.json")
    assert drafted.returncode == 0
    assert "will be found with a part of the privacy budget" in " ".join(drafted.stderr.split())
    columns = json.loads((orchard / "s.json").read_text())["columns"]
    assert [column.get("bounds", column.get("categories")) for column in columns] == ["buy"] * 3
    checked = run("schema", "check", "s.json", "orchard.csv")
    assert_done(checked)
    assert "To be bought with a part of the privacy budget" in checked.stdout
    made = run("synth", "orchard.csv", "--schema", "s.json", *BUDGET, "-o", "out.csv")
    assert_done(made)
    with open(orchard / "out.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # Noise may let a few be missing or "other", as the draft allows.
    assert {row["fruit"] for row in rows} - {"other", ""} == set(FRUIT)
    assert all(10 <= int(row["weight"]) <= 100 for row in rows if row["weight"])
    assert all("2020-01-01" <= row["picked"] <= "2022-12-31" for row in rows if row["picked"])
    for name in ("out.csv", "out.release", "out.mehler"):
        assert b"quince" not in (orchard / name).read_bytes()
    shown = run("inspect", "out.release")
    assert "bought: 10 to 100" in shown.stdout and "categories of 'fruit': sensitivity 1" in shown.stdout
    assert_done(run("evaluate", "--real", "orchard.csv", "--synthetic", "out.csv", "--schema", "out.release"))


def write_schema(folder, **more):
    schema = {
        "mehler_schema": 1,
        "columns": [
            {"name": "fruit", "kind": "categorical", "categories": FRUIT, "other": "other"},
            {"name": "weight", "kind": "integer", "bounds": "buy"},
            {"name": "picked", "kind": "date", "bounds": ["2020-01-01", "2022-12-31"]},
        ],
    }
    schema["columns"][1].update(more)
    (folder / "s.json").write_text(json.dumps(schema))


@pytest.mark.parametrize(
    "words, more, mentions",
    [
        (["--buy-share", "0"], {}, ["share", "0.001"]),
        (["--buy-share", "much"], {}, ["--buy-share", "'much'"]),
        (["--buy-share", ".1"], {"bounds": [0, 100]}, ["--buy-share", "leaves none"]),
        (["--method", "dp-hp", "--accounting", "published"], {}, ["published accounting", "declare"]),
        (["--method", "dp-merf", "--protocol", "published"], {}, ["published accounting", "--protocol"]),
        (["--method", "dp-hp", "--product", "fruit,wieght"], {}, ["'wieght'", "'weight'"]),
    ],
)
def test_what_cannot_be_bought_is_refused(run, orchard, words, more, mentions):
    write_schema(orchard, **more)
    result = run("release", "orchard.csv", "--schema", "s.json", *BUDGET, *words, "-o", "out.release")
    assert result.returncode == 2
    assert all(word in result.stderr for word in mentions)
    assert "spent" not in result.stderr
    assert not (orchard / "out.release").exists()


@pytest.mark.method("dp-hp", "dp-merf")
def test_a_rate_of_a_class_that_is_yet_to_be_bought_is_taken(run, orchard, method, assert_done):
    write_schema(orchard)
    schema = json.loads((orchard / "s.json").read_text())
    schema["target"] = "fruit"
    schema["columns"][0]["categories"] = "buy"
    (orchard / "s.json").write_text(json.dumps(schema))
    words = ["--schema", "s.json", *BUDGET, "--method", method, "--epochs", "1", "--steps", "1"]
    refused = run("synth", "orchard.csv", *words, "--class-rate", "fig=-1", "-o", "none.csv")
    assert refused.returncode == 2 and "spent" not in refused.stderr
    assert_done(run("synth", "orchard.csv", *words, "--class-rate", "fig=2", "-o", "out.csv"))
    # Classes are known by then, and so is what to do about a name that is none of them.
    late = run("synth", "orchard.csv", *words, "--class-rate", "treat=2", "-o", "late.csv")
    assert late.returncode == 2 and "'treat'" in late.stderr and "'late.release'" in late.stderr


def test_a_pipe_cannot_be_read_twice(run, orchard):
    write_schema(orchard)
    text = (orchard / "orchard.csv").read_text()
    result = run("release", "-", "--schema", "s.json", *BUDGET, "-o", "out.release", stdin=text)
    assert result.returncode == 2
    assert "read only once" in result.stderr and "files" in result.stderr


def test_a_column_that_the_noise_hides_is_left_out_and_said(run, orchard, assert_done):
    write_schema(orchard)
    result = run(
        "release", "orchard.csv", "--schema", "s.json", "--epsilon", "1e-4", "--delta", "1e-6", "-o", "out.release"
    )
    assert_done(result)
    assert "nothing of 'weight' stood out of the noise" in " ".join(result.stdout.split())


def test_public_and_buy_exclude_each_other(run, orchard):
    result = run("schema", "init", "orchard.csv", "--buy", "--public")
    assert result.returncode == 2
    assert "--public" in result.stderr and "--buy" in result.stderr


def test_a_plan_takes_off_what_is_bought(run, orchard):
    write_schema(orchard)
    result = run("plan", "s.json", "--rows", "3000", "--epsilon", "1", "--delta", "1e-6")
    assert result.returncode == 0
    assert "take 10% of the budget" in result.stderr
