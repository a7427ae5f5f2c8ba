"""Rules between columns: a schema that has them goes through every command, and every record obeys."""

import csv
import json
import os
import random
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

GUIDE = Path(os.environ["MEHLER_SOURCE"]) / "docs" / "guide" / "constraints.md"

NUMBER = {"kind": "numeric", "bounds": [0, 100], "decimals": 2}
YEAR = ["2023-01-01", "2023-12-31T23:59:59"]
# What the examples of the guide take for granted.
COLUMNS = {
    "pickup": {"kind": "datetime", "bounds": YEAR},
    "dropoff": {"kind": "datetime", "after": {"column": "pickup", "bounds": [0, 10800]}},
    "fare": NUMBER,
    "tip": NUMBER,
    "tolls": NUMBER,
    "total": {"kind": "numeric", "decimals": 2},
    "miles": NUMBER,
    "pclass": {"kind": "categorical", "categories": [1, 2, 3]},
    "month": {"kind": "integer", "bounds": [1, 12]},
    "day": {"kind": "integer", "bounds": [1, 31]},
    "age": {"kind": "integer", "bounds": [0, 110]},
    "married": {"kind": "categorical", "categories": ["yes", "no"]},
    "sex": {"kind": "categorical", "categories": ["male", "female"]},
    "pregnant": {"kind": "boolean", "missing": True},
    "percent_a": {"kind": "integer", "bounds": [0, 100]},
    "percent_b": {"kind": "integer", "bounds": [0, 100]},
    "percent_c": {"kind": "integer", "bounds": [0, 100]},
}


def named(columns):
    return [{"name": name, **column} for name, column in columns.items()]


@pytest.fixture
def trips(tmp_path):
    """A folder with trips.csv, whose total is not that of its parts, and its schema."""
    schema = {
        "mehler_schema": 1,
        "never": [{"seats": [3, 4], "kind": "bike"}, {"kind": "car", "fare": {"below": 5}}],
        "sums": [{"parts": ["fare", "tip"], "total": "total"}],
        "columns": named(
            {
                "pickup": {"kind": "datetime", "bounds": YEAR, "parts": ["hour"]},
                "dropoff": COLUMNS["dropoff"],
                "fare": NUMBER,
                "tip": NUMBER,
                "total": {"kind": "numeric", "decimals": 2},
                "seats": {"kind": "integer", "bounds": [1, 4]},
                "kind": {"kind": "categorical", "categories": ["bike", "car"]},
            }
        ),
    }
    chance = random.Random(1)
    with open(tmp_path / "trips.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["pickup", "dropoff", "fare", "tip", "total", "seats", "kind"])
        for _ in range(300):
            start = datetime(2023, 1, 1) + timedelta(days=chance.randrange(365), hours=chance.choice([8, 17]))
            end = start + timedelta(seconds=chance.randrange(3000))
            kind = chance.choice(["bike", "car"])
            fare = chance.randrange(500, 9000) / 100
            row = [
                start.isoformat(),
                end.isoformat(),
                fare,
                1,
                0,
                chance.randrange(1, 3 if kind == "bike" else 5),
                kind,
            ]
            writer.writerow(row)
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    return tmp_path


def test_every_synthetic_trip_obeys_and_every_command_knows_the_rules(run, trips):
    budget = ["--schema", "schema.json", "--epsilon", "2", "--delta", "1e-6"]
    result = run("synth", "trips.csv", *budget, "-o", "out.csv")
    assert result.returncode == 0, result.stderr
    rows = list(csv.DictReader(open(trips / "out.csv")))
    assert list(rows[0])[:3] == ["pickup", "pickup_hour", "dropoff"]
    for row in rows:
        start, end = (datetime.fromisoformat(row[name]) for name in ("pickup", "dropoff"))
        assert 0 <= (end - start).total_seconds() <= 10800
        assert int(row["pickup_hour"]) == start.hour
        assert round(float(row["fare"]) + float(row["tip"]), 2) == float(row["total"])
        assert not (row["kind"] == "bike" and int(row["seats"]) > 2)
        assert not (row["kind"] == "car" and float(row["fare"]) < 5)
    assert "dropoff - pickup" in run("inspect", "out.release").stdout
    result = run("evaluate", "--schema", "schema.json", "--real", "trips.csv", "--synthetic", "out.csv")
    assert result.returncode == 0, result.stderr
    result = run("sample", "out.mehler", "--rows", "5", "--where", "kind=bike", "--where", "seats=4", "-o", "x.csv")
    assert result.returncode == 2 and "rule 1" in result.stderr
    assert not (trips / "x.csv").exists()


def test_a_check_tells_the_owner_alone_which_rules_records_break(run, trips):
    lines = (trips / "trips.csv").read_text()
    (trips / "broken.csv").write_text(lines + "2023-05-05T08:00:00,2023-05-05T09:00:00,1.25,1,0,1,car\n")
    good = run("schema", "check", "schema.json", "trips.csv")
    broken = run("schema", "check", "schema.json", "broken.csv")
    assert good.returncode == broken.returncode == 0
    assert "2 computed from others" in good.stdout
    assert "never occurs" not in good.stdout
    assert "rule 2 of" in broken.stdout and "for their owner only" in broken.stdout
    assert "1.25" not in broken.stdout + broken.stderr


def test_a_table_without_a_header_need_not_have_computed_columns(run, trips):
    lines = list(csv.reader(open(trips / "trips.csv")))[1:]
    with open(trips / "bare.csv", "w", newline="") as file:
        csv.writer(file).writerows(lines)
    with open(trips / "read.csv", "w", newline="") as file:
        csv.writer(file).writerows([line[:4] + line[5:] for line in lines])
    for table in ("bare.csv", "read.csv"):
        result = run("schema", "check", "schema.json", table, "--no-header")
        assert result.returncode == 0, result.stderr


def test_a_rule_that_cannot_hold_is_an_error_of_the_schema(run, trips):
    schema = json.loads((trips / "schema.json").read_text())
    schema["never"].append({"kind": ["bike", "car"]})
    (trips / "bad.json").write_text(json.dumps(schema))
    result = run("schema", "check", "bad.json")
    assert result.returncode == 2 and "rule 3" in result.stderr and "none is left" in result.stderr


def test_the_examples_of_the_guide_are_valid(run, tmp_path):
    blocks = re.findall(r"```json\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        part = {"columns": json.loads(f"[{block}]")} if block.startswith("{") else json.loads(f"{{{block}}}")
        given = {column["name"] for column in part.get("columns", [])}
        known = named({name: column for name, column in COLUMNS.items() if name not in given})
        schema = {"mehler_schema": 1, **part, "columns": part.get("columns", []) + known}
        if "sums" not in part:
            schema["columns"] = [column for column in schema["columns"] if column != named(COLUMNS)[5]]
        (tmp_path / "schema.json").write_text(json.dumps(schema))
        result = run("schema", "check", "schema.json")
        assert result.returncode == 0, result.stderr
