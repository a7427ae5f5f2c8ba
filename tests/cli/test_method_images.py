"""Labelled images: from an Arrow file to a release, a model and synthetic images."""

import copy
import datetime
import json
import random

import pyarrow as pa
import pyarrow.feather as feather
import pytest

SCHEMA = {
    "mehler_schema": 1,
    "target": "label",
    "columns": [
        {"name": "label", "kind": "categorical", "categories": ["lying", "standing"]},
        {"name": "image", "kind": "image", "shape": [8, 8, 1]},
    ],
}
SPEND = ["--schema", "schema.json", "--epsilon", "3", "--delta", "1e-5"]
# Where the picture counts: with epsilon 3, 1,500 images leave 223 to 297 of 300 bars upright, with this 298 to 300.
PRECISE = ["--schema", "schema.json", "--epsilon", "30", "--delta", "1e-5"]
QUICK = ["--candidates", "1000", "--threads", "1"]


def bar(stands, chance, side=8):
    """A bar of two pixels' width at a random place, as bytes."""
    place, brightness = chance.randrange(side - 2), chance.randrange(120, 256)
    lit = [[place <= (c if stands else r) <= place + 1 for c in range(side)] for r in range(side)]
    return bytes(brightness if pixel else 0 for row in lit for pixel in row)


@pytest.fixture
def bars(tmp_path):
    chance = random.Random(1)
    labels = [chance.choice(["lying", "standing"]) for _ in range(1500)]
    pixels = b"".join(bar(label == "standing", chance) for label in labels)
    images = pa.FixedSizeListArray.from_arrays(pa.array(list(pixels), pa.uint8()), 64)
    feather.write_feather(pa.table({"label": labels, "image": images}), tmp_path / "bars.arrow", "uncompressed")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def test_a_class_without_records_is_said_to_be_hardly_known(bars, run, assert_done):
    """Its released number is above three standard deviations of its noise with a probability of .0014."""
    table = feather.read_table(bars / "bars.arrow")
    table = table.set_column(0, "label", pa.array(["lying"] * table.num_rows))
    feather.write_feather(table, bars / "bars.arrow", "uncompressed")
    result = run("synth", "bars.arrow", *PRECISE, *QUICK, "--rows", "1", "-o", "out.npz")
    assert_done(result)
    assert "Wrote out.npz with 1 synthetic record, the release" in result.stdout
    assert "classes hardly known: 'standing'." in result.stdout
    trained = run("train", "out.release", "-o", "again.mehler")
    assert "classes hardly known: 'standing'." in trained.stdout


def test_from_images_to_labelled_images(bars, run, assert_done, assert_refused):
    result = run("synth", "bars.arrow", *PRECISE, *QUICK, "--rows", "1200", "-o", "out.arrow")
    assert_done(result)
    drawn = feather.read_table(bars / "out.arrow")
    assert drawn.column_names == ["label", "image"] and drawn.num_rows == 1200
    assert len(drawn["image"][0].as_py()) == 64
    labels = drawn["label"].to_pylist()
    assert labels[:1000].count("lying") == 500

    inspected = run("inspect", "out.release", "--blocks")
    assert_done(inspected)
    assert "images" in inspected.stdout and "class scatters of codes" in inspected.stdout
    assert "gradient of a classifier" in inspected.stdout and "8 x 8 pixels" in inspected.stdout

    trained = run("train", "out.release", "--style", "plain", "-o", "plain.mehler")
    assert_done(trained)
    assert "mehler sample plain.mehler -o synthetic.npz" in trained.stdout
    sampled = run("sample", "plain.mehler", "--rows", "300", "--where", "label=standing", "-o", "standing.arrow")
    assert_done(sampled)
    standing = feather.read_table(bars / "standing.arrow")
    assert standing["label"].to_pylist() == ["standing"] * 300
    # The columns of a standing bar differ more than its rows.
    upright = 0
    for pixels in standing["image"].to_pylist():
        rows = [sum(pixels[8 * r : 8 * r + 8]) for r in range(8)]
        columns = [sum(pixels[c::8]) for c in range(8)]
        upright += sum(x * x for x in columns) > sum(x * x for x in rows)
    assert upright > 240

    compared = run("evaluate", "--release", "out.release", "--synthetic", "out.arrow")
    assert_refused(compared, "no counts of columns", "real records", output="figures.json")


@pytest.fixture
def scans(tmp_path):
    """Smaller ones with an age, which goes with the label, a sex, which may be missing, and a day."""
    chance = random.Random(2)
    labels = [chance.choice(["lying", "standing"]) for _ in range(1500)]
    pixels = b"".join(bar(label == "standing", chance, 4) for label in labels)
    columns = {
        "label": labels,
        "image": pa.FixedSizeListArray.from_arrays(pa.array(list(pixels), pa.uint8()), 16),
        "age": [chance.randrange(50, 90) if label == "standing" else chance.randrange(10, 50) for label in labels],
        "sex": [chance.choice(["f", "m", None]) for _ in labels],
        "day": [datetime.date(2020, 1, 1) + datetime.timedelta(chance.randrange(366)) for _ in labels],
    }
    feather.write_feather(pa.table(columns), tmp_path / "scans.arrow", "uncompressed")
    schema = copy.deepcopy(SCHEMA)
    schema["columns"][1]["shape"] = [4, 4, 1]
    schema["columns"] += [
        {"name": "age", "kind": "integer", "bounds": [0, 99]},
        {"name": "sex", "kind": "categorical", "categories": ["f", "m"], "missing": True},
        {"name": "day", "kind": "date", "bounds": ["2020-01-01", "2020-12-31"]},
    ]
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    return tmp_path


def test_further_columns_go_all_the_way(scans, run, assert_done):
    drafted = run("schema", "init", "scans.arrow", "-o", "draft.json")
    assert drafted.returncode == 0, drafted.stderr
    kinds = {column["name"]: column["kind"] for column in json.loads((scans / "draft.json").read_text())["columns"]}
    assert kinds["image"] == "image" and kinds["age"] == "integer" and kinds["day"] == "date"

    planned = run("plan", "schema.json", "--rows", "1500", "--epsilon", "3", "--delta", "1e-5")
    assert_done(planned)
    assert "method images" in planned.stdout and "20% of the budget" in planned.stdout

    made = run("synth", "scans.arrow", *SPEND, *QUICK, "--style", "plain", "--rows", "1000", "-o", "out.arrow")
    assert_done(made)
    assert "How close" in made.stdout
    drawn = feather.read_table(scans / "out.arrow")
    assert drawn.column_names == ["label", "image", "age", "sex", "day"] and drawn.num_rows == 1000
    assert drawn["sex"].null_count > 100
    ages = {"lying": [], "standing": []}
    for label, age in zip(drawn["label"].to_pylist(), drawn["age"].to_pylist()):
        ages[label].append(age)
    assert sum(ages["standing"]) / len(ages["standing"]) > sum(ages["lying"]) / len(ages["lying"]) + 15

    inspected = run("inspect", "out.release")
    assert_done(inspected)
    assert "given 'label', images go with no other column" in " ".join(inspected.stdout.split())

    conditions = ["--where", "age>60", "--where", "sex is not missing"]
    assert_done(run("sample", "out.mehler", "--rows", "200", *conditions, "-o", "older.arrow"))
    older = feather.read_table(scans / "older.arrow")
    assert older.num_rows == 200 and min(older["age"].to_pylist()) > 60 and older["sex"].null_count == 0

    (scans / "rows.csv").write_text("age,label\n70,\n,lying\n")
    assert_done(run("sample", "out.mehler", "--where-file", "rows.csv", "-o", "completed.arrow"))
    completed = feather.read_table(scans / "completed.arrow")
    assert completed["age"][0].as_py() == 70 and completed["label"][1].as_py() == "lying"

    compared = run("evaluate", "--release", "out.release", "--synthetic", "out.arrow")
    assert_done(compared)
    assert "label x age" in compared.stdout

    assert_done(run("train", "out.release", "--labels", "uniform", "-o", "even.mehler"))
    assert_done(run("sample", "even.mehler", "--rows", "100", "-o", "even.arrow"))
    assert feather.read_table(scans / "even.arrow")["label"].to_pylist().count("lying") == 50


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda schema: schema["columns"][2].pop("bounds"), ["'age'", "bounds"]),
        (lambda schema: schema["columns"].append(dict(schema["columns"][1], name="second")), ["'second'", "image"]),
        (lambda schema: schema.pop("target"), ["no target"]),
        (lambda schema: schema["columns"][0].update(categories=["lying"]), ["'label'", "2 to 64"]),
        (lambda schema: schema.update(target="age"), ["'age'", "categories"]),
    ],
    ids=["undeclared", "two-images", "no-target", "one-class", "target-is-a-number"],
)
def test_a_schema_that_does_not_do_is_refused_before_anything_is_spent(scans, run, assert_refused, change, words):
    schema = json.loads((scans / "schema.json").read_text())
    change(schema)
    (scans / "schema.json").write_text(json.dumps(schema))
    assert_refused(run("release", "scans.arrow", *SPEND, "-o", "out.release"), *words, output="out.release")


@pytest.mark.parametrize("share", ["0", "1", "nan", "-0.1", ""])
def test_a_share_for_columns_that_is_none_is_refused(scans, run, assert_refused, share):
    result = run("release", "scans.arrow", *SPEND, "--columns-share", share, "-o", "out.release")
    assert_refused(result, "--columns-share", output="out.release")


def test_options_of_other_methods_are_refused(bars, run, assert_refused):
    assert_refused(run("release", "bars.arrow", *SPEND, "--rounds", "1", "-o", "out.release"), "--rounds", "images")
