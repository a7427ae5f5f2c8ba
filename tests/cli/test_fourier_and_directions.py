"""Random Fourier features, and products over the directions of a public matrix."""

import json

import pytest
from test_release import inspected

pytestmark = pytest.mark.method("dp-hp")

FAST = ["--epochs", "2", "--batch", "64"]


def test_fourier_features_are_released_learned_and_drawn_from(run, release, assert_done):
    assert_done(release("--kernel", "fourier", "--frequencies", "40", "--fourier-seed", "3"))
    block = inspected(run)["blocks"][-1]
    (entry,) = [entry for entry in block["maps"] if entry["map"] == "fourier"]
    assert entry["columns"] == ["income", "age", "visit"]
    assert (entry["frequencies"], entry["seed"]) == (40, 3)
    text = run("inspect", "out.release").stdout
    assert "Fourier, 40 frequencies" in text and "all numbers together" in text
    assert_done(run("train", "out.release", *FAST, "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "out.csv"))


def test_directions_are_released_learned_and_drawn_from(run, release, study, assert_done):
    linear = {"columns": ["age", "income"], "map": [[2, 1], [-1, 3]]}
    (study.folder / "map.json").write_text(json.dumps(linear))
    options = ["--kernel", "product", "--linear-map", "map.json", "--product-order", "4"]
    assert_done(release(*options))
    blocks = inspected(run)["blocks"]
    assert [block["name"] for block in blocks] == ["count", "product_1"]
    first, second = blocks[1]["maps"]
    assert first["coefficients"] == pytest.approx([2 / 3, 1 / 3])
    assert second["coefficients"] == pytest.approx([-1 / 4, 3 / 4])
    assert (first["length_scale"], second["length_scale"]) == pytest.approx((1 / 3, 1 / 4))
    assert "0.667 age + 0.333 income" in run("inspect", "out.release").stdout
    assert_done(run("train", "out.release", *FAST, "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "out.csv"))


def test_whether_a_number_is_missing_stands_beside_fourier_features(run, release, study, assert_done):
    study.write_schema(schema=study.schema_with("age", missing=True))
    assert_done(release("--kernel", "fourier", "--frequencies", "40"))
    maps = inspected(run)["blocks"][-1]["maps"]
    codes = [entry for entry in maps if entry["map"] != "fourier"]
    assert [entry["column"] for entry in codes if entry["map"] == "missing"] == ["age"]
    assert [entry["weight"] for entry in codes] == pytest.approx([len(codes) ** -0.5] * len(codes))
    assert_done(run("train", "out.release", *FAST, "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "out.csv"))


# What is refused.


@pytest.mark.parametrize("option", ["--frequencies", "--fourier-length-scale", "--fourier-seed"])
def test_fourier_options_are_refused_with_another_kernel(release, assert_refused, option):
    assert_refused(release(option, "2"), f"{option} is given", "--kernel fourier")


@pytest.mark.parametrize("value", ["0", "-1", "1000001", "many"])
def test_a_number_of_frequencies_out_of_range_is_refused(release, assert_refused, value):
    assert_refused(release("--kernel", "fourier", "--frequencies", value), "--frequencies")


@pytest.mark.parametrize(
    "text,complaints",
    [
        ("no JSON", ["linear map"]),
        ('{"columns": ["age"]}', ["map"]),
        ('{"columns": ["age"], "map": [[1]], "more": 1}', ["more"]),
        ('{"columns": ["age"], "map": 3}', ["map"]),
        ('{"columns": ["age"], "map": [3]}', ["rows of numbers"]),
        ('{"columns": ["age"], "map": [["x"]]}', ["not a number"]),
        ('{"columns": [1], "map": [[1]]}', ["not a text"]),
        ('{"columns": ["age"], "map": [[1, 2]]}', ["1 finite coefficients", "it has 2"]),
        ('{"columns": ["age"], "map": [[0]]}', ["not 0"]),
        ('{"columns": ["age"], "map": []}', ["at least one"]),
        ('{"columns": ["agee"], "map": [[1]]}', ["'agee'", "did you mean 'age'"]),
        ('{"columns": ["age", "age"], "map": [[1, 1]]}', ["twice"]),
        ('{"columns": ["region"], "map": [[1]]}', ["'region'", "numbers"]),
        ('{"columns": ["outcome"], "map": [[1]]}', ["target"]),
    ],
)
def test_a_bad_linear_map_is_refused(release, study, assert_refused, text, complaints):
    (study.folder / "map.json").write_text(text)
    assert_refused(release("--kernel", "product", "--linear-map", "map.json"), *complaints)


def test_a_missing_linear_map_is_refused(release, assert_refused):
    assert_refused(release("--linear-map", "none.json"), "none.json")


@pytest.mark.parametrize("matrix", [[[1, 0], [0.5, 0.5]], [[-2, 0], [0.5, 0.1]]])
def test_a_direction_without_a_column_that_may_be_missing_is_read_back(run, release, study, assert_done, matrix):
    """What is released can be read: a coefficient of 0 leaves the column out, missing or not."""
    study.write_schema(schema=study.schema_with("income", missing=True))
    linear = {"columns": ["age", "income"], "map": matrix}
    (study.folder / "map.json").write_text(json.dumps(linear))
    options = ["--kernel", "product", "--linear-map", "map.json", "--product-order", "3"]
    assert_done(release(*options))
    assert_done(run("inspect", "out.release"))
