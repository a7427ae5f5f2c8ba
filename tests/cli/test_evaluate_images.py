"""How good a synthetic set of images is."""

import json

import image_sets
import numpy as np
import pytest

SIDE = 8


def bars(count, seed, shape=(SIDE, SIDE), label_of=lambda stands: int(stands)):
    """Images of a bar that lies (label 0) or stands (label 1)."""
    random = np.random.default_rng(seed)
    images = random.integers(0, 40, (count, *shape), dtype=np.uint8)
    stands = random.random(count) < 0.5
    for image, is_standing, place in zip(images, stands, random.integers(1, min(shape) - 1, count)):
        (image.T if is_standing else image)[place] += 200
    return images, np.array([label_of(one) for one in stands])


@pytest.fixture
def write(tmp_path):
    """write(name, images, labels, ...): a set of images, with further columns."""

    def write_set(name, images, labels, **further):
        np.savez(tmp_path / name, image=images, label=labels, **further)
        return name

    return write_set


@pytest.fixture
def evaluate(run, tmp_path, write):
    """evaluate(*extra): of 200 synthetic bars against 150 real ones."""
    write("real.npz", *bars(150, 1))
    write("synthetic.npz", *bars(200, 2))
    image_sets.write_schema(tmp_path, (SIDE, SIDE, 1), (0, 1), target="label")

    def run_evaluate(*extra, real="real.npz", synthetic="synthetic.npz", schema="images.json", threads="1"):
        tables = ["--real", real, "--synthetic", synthetic, "--schema", schema]
        return run("evaluate", *tables, "--threads", threads, *extra)

    return run_evaluate


@pytest.fixture
def figures(evaluate, assert_done):
    def make(*extra, **options):
        result = evaluate("--json", *extra, **options)
        assert_done(result)
        return json.loads(result.stdout)

    return make


def test_a_network_learns_from_the_synthetic_images(figures):
    found = figures()
    assert "No privacy guarantee" in found["privacy"]
    assert found["columns"][0]["column"] == "label"
    assert "records" not in found, "whole records have images"
    images = found["images"]
    assert (images["column"], images["shape"], images["target"]) == ("image", [SIDE, SIDE, 1], "label")
    network = images["network"]
    assert network["accuracy"] > 0.95
    assert set(network["by_class"]) == {"0", "1"} and min(network["by_class"].values()) > 0.9
    assert (network["trained_on"], network["tested_on"], network["epochs"]) == (200, 150, 10)
    assert network["layers"].count("convolution") == 2 and network["layers"].count("dense") == 2
    assert 0.0 <= images["linear"]["accuracy"] <= 1.0
    assert sum(images["counts"]["real"].values()) == 150
    assert sum(images["counts"]["synthetic"].values()) == 200
    assert images["exact_matches"] == 0.0


def test_the_feature_distance_is_small_between_sets_of_one_kind(figures, write):
    distance = figures("--no-network")["images"]["feature_distance"]
    assert 0.0 < distance["total"] < 5 * distance["floor"]
    assert set(distance["by_class"]) == {"0", "1"}
    write("noise.npz", np.random.default_rng(1).integers(0, 256, (100, SIDE, SIDE), np.uint8), np.arange(100) % 2)
    assert figures("--no-network", synthetic="noise.npz")["images"]["feature_distance"]["total"] > 5 * distance["total"]


def test_the_network_can_be_left_out_and_the_number_of_epochs_chosen(figures):
    without = figures("--no-network")["images"]
    assert without["network"] is None and without["linear"] is None
    assert "request" in without["no_network"]
    assert figures("--epochs", "2")["images"]["network"]["epochs"] == 2


def test_the_same_figures_for_a_seed_and_any_number_of_threads(figures):
    found = [figures("--epochs", "1", "--seed", "5", threads=threads) for threads in ("1", "3")]
    assert found[0] == found[1]


def test_the_text_says_what_the_network_and_the_distance_are(evaluate, assert_done):
    result = evaluate("--epochs", "2", "--train", "real.npz")
    assert_done(result)
    for words in (
        "200 synthetic records against 150 real ones, 1 column and images",
        "No privacy guarantee",
        "8 x 8 pixels, grey",
        "feature distance",
        "two random halves of the real images",
        "convolution 3 x 3 to 32 channels",
        "2 epochs",
        "softmax regression",
        "real (training)",
        "accuracy (network)",
    ):
        assert words in " ".join(result.stdout.split()), words
    assert "FID" not in result.stdout and "learnt by heart" not in result.stdout


def test_further_columns_are_compared_as_those_of_tables(figures, write, tmp_path):
    schema = json.loads((tmp_path / "images.json").read_text())
    schema["columns"].append({"name": "size", "kind": "integer", "bounds": [0, 9]})
    (tmp_path / "sized.json").write_text(json.dumps(schema))
    for name, seed in (("real.npz", 1), ("synthetic.npz", 2)):
        images, labels = bars(100, seed)
        write(name, images, labels, size=labels * 5 + 2)
    found = figures("--epochs", "1", "--target", "label", schema="sized.json")
    assert [column["column"] for column in found["columns"]] == ["label", "size"]
    assert found["classification"]["synthetic"]["accuracy"] == 1.0, "the size tells the label"
    assert found["images"]["network"]["tested_on"] == 100


def test_images_too_small_for_the_network_have_the_other_figures(figures, write, tmp_path):
    image_sets.write_schema(tmp_path, (3, 3, 1), (0, 1), target="label")
    for name, seed in (("real.npz", 1), ("synthetic.npz", 2)):
        write(name, *bars(40, seed, (3, 3)))
    images = figures()["images"]
    assert images["network"] is None and "4 x 4" in images["no_network"]
    assert images["linear"]["tested_on"] == 40
    assert images["feature_distance"]["total"] > 0


def test_labels_that_are_not_declared_are_refused(evaluate, write, assert_refused):
    write("other.npz", *bars(20, 1, label_of=lambda stands: 7 if stands else 0))
    assert_refused(evaluate(synthetic="other.npz"), "other.npz", "'label'", "declared")


def test_images_of_another_shape_are_refused(evaluate, write, assert_refused):
    write("large.npz", *bars(20, 1, (9, 9)))
    assert_refused(evaluate(synthetic="large.npz"), "'image'", "8")


def test_a_set_without_images_is_refused(evaluate, write, assert_refused):
    write("empty.npz", np.zeros((0, SIDE, SIDE), np.uint8), np.zeros(0, np.int64))
    assert_refused(evaluate(synthetic="empty.npz"), "empty.npz")
    assert_refused(evaluate(real="empty.npz"), "empty.npz")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--epochs", "0"], ["--epochs", "1"]),
        (["--epochs", "1001"], ["--epochs", "1000"]),
        (["--epochs", "many"], ["--epochs", "many"]),
        (["--epochs", "2", "--no-network"], ["--epochs", "--no-network"]),
        (["--target", "image"], ["'image'", "categorical"]),
        (["--target", "label", "--positive", "1"], ["--positive", "other columns"]),
        (["--marginals", "2"], ["2-way", "1 column"]),
    ],
)
def test_options_without_a_meaning_are_refused(evaluate, assert_refused, extra, words):
    assert_refused(evaluate(*extra), *words)


@pytest.mark.parametrize("extra", [["--epochs", "3"], ["--no-network"]])
def test_options_of_images_are_refused_for_tables(run, study, assert_refused, extra):
    study.write_table()
    tables = ["--real", "study.csv", "--synthetic", "study.csv", "--schema", "study.schema.json"]
    assert_refused(run("evaluate", *tables, *extra), extra[0], "images")
    assert_refused(run("evaluate", "--release", "x", "--synthetic", "study.csv", *extra), extra[0], "--release")
