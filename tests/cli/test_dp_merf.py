"""Method dp-merf: random Fourier features of numbers, codes of the rest, and its published protocol."""

import math

import pytest
from test_release import inspected

pytestmark = pytest.mark.method("dp-merf")

FAST = ["--epochs", "2", "--batch", "64", "--threads", "1"]


def multipliers(told):
    """Noise in units of what a record can change, block by block."""
    return [block["sigma"] / block["sensitivity"] for block in told["blocks"]]


def test_a_table_is_released_learned_and_drawn_from(run, release, assert_done):
    assert_done(release("--frequencies", "40"))
    told = inspected(run)
    assert told["method"] == "dp-merf"
    assert [block["name"] for block in told["blocks"]] == ["count", "fourier"]
    assert told["blocks"][0]["sensitivity"] == pytest.approx(1)
    assert told["blocks"][1]["sensitivity"] == pytest.approx(math.sqrt(2), abs=1e-4)
    text = run("inspect", "out.release").stdout
    assert "Re-derived from this file: epsilon 1 " in text.replace("0.9999999999", "1") and "It matches." in text
    assert_done(run("train", "out.release", *FAST, "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "out.csv"))


def test_an_exchanged_record_of_a_mixed_table_counts_the_root_of_6(run, release, study, assert_done):
    study.write_schema(schema={**study.schema, "relation": "replace-one"})
    assert_done(release("--frequencies", "40"))
    assert inspected(run)["blocks"][1]["sensitivity"] == pytest.approx(math.sqrt(6), abs=1e-4)


def test_a_table_of_categories_alone_has_codes_alone(run, release, study, assert_done):
    numbers = ("income", "age", "visit")
    columns = [
        {**column, "kind": "ignored"} if column["name"] in numbers else column for column in study.schema["columns"]
    ]
    for column in columns:
        if column["kind"] == "ignored":
            column.pop("bounds", None), column.pop("decimals", None)
    study.write_schema(schema={**study.schema, "columns": columns})
    assert_done(release())
    block = inspected(run)["blocks"][1]
    assert {entry["map"] for entry in block["maps"]} == {"one-hot"}
    assert block["sensitivity"] == pytest.approx(1)


def test_the_length_scale_grows_with_the_root_of_the_numbers(run, release, assert_done):
    assert_done(release())
    (entry,) = [entry for entry in inspected(run)["blocks"][1]["maps"] if entry["map"] == "fourier"]
    assert entry["length_scale"] == pytest.approx(0.5 * math.sqrt(3))


def test_the_published_protocol_has_its_noise_and_states_the_truth(run, release, assert_done):
    """Epsilon 1 at delta 1e-5 has the noise multiplier 6.93 twice: by exact accounting 0.742."""
    assert_done(release("--protocol", "published", delta="1e-5"))
    told = inspected(run)
    assert multipliers(told) == pytest.approx([6.93, 6.93], abs=0.005)
    words = " ".join(run("inspect", "out.release").stdout.split())
    assert "by the exact one the same noise gives epsilon 0.7417" in words
    assert "Re-derived from this file: epsilon 0.74163" in words
    assert_done(run("train", "out.release", *FAST, "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "out.csv"))


def test_the_published_protocol_takes_the_published_bounds(run, release, study, assert_done):
    study.write_schema(schema={**study.schema, "relation": "replace-one"})
    assert_done(release("--protocol", "published"))
    assert inspected(run)["blocks"][1]["sensitivity"] == pytest.approx(2 * math.sqrt(2))


def test_numbers_that_may_be_missing_come_back_missing(run, study, assert_done):
    rows = [row[:2] + ["" if place % 2 else row[2]] + row[3:] for place, row in enumerate(study.simulate(2000))]
    study.write_table(rows=rows)
    study.write_schema(schema=study.schema_with("age", missing=True))
    given = ["--schema", "study.schema.json", "--epsilon", "20", "--delta", "1e-6", "--method", "dp-merf"]
    assert_done(run("synth", "study.csv", *given, "--epochs", "8", "--seed", "1", "--rows", "1000", "-o", "out.csv"))
    lines = (study.folder / "out.csv").read_text().splitlines()
    age = lines[0].split(",").index("age")
    missing = sum(line.split(",")[age] == "" for line in lines[1:])
    # Half of them: noise moves that by less than 1 % (its sum has a sigma below 10 of 2,000), drawing 1,000 records by 1.6
    # %, and eight epochs of training by a few; the limits are twenty times the spread of drawing.
    assert 180 < missing < 820


# What is refused.


@pytest.mark.parametrize(
    "words, mentions",
    [
        (["--protocol", "secret"], ["--protocol", "'secret'", "own", "published"]),
        (["--frequencies", "0"], ["--frequencies"]),
        (["--frequencies", "-1"], ["--frequencies"]),
        (["--frequencies", "many"], ["--frequencies", "'many'"]),
        (["--frequencies", "1000001"], ["--frequencies"]),
        (["--fourier-length-scale", "0"], ["length scale", "but is 0"]),
        (["--fourier-length-scale", "-1"], ["length scale", "but is -1"]),
        (["--fourier-length-scale", "nan"], ["length scale", "but is nan"]),
        (["--fourier-length-scale", "inf"], ["length scale", "but is inf"]),
        (["--fourier-seed", "-1"], ["--fourier-seed"]),
        (["--order", "5"], ["--order belongs to method dp-hp", "dp-merf"]),
    ],
)
def test_a_bad_option_is_refused(release, assert_refused, words, mentions):
    assert_refused(release(*words), *mentions)


@pytest.mark.parametrize("words", [["--gamma", "1"], ["--one-product-per-epoch"]])
def test_there_are_no_products_to_train_on(run, release, assert_done, assert_refused, words):
    assert_done(release("--frequencies", "10"))
    refused = run("train", "out.release", *words, "-o", "out.mehler")
    assert_refused(refused, f"{words[0]} belongs to method dp-hp", "dp-merf", output="out.mehler")
