"""Method dp-hp on image sets, from their files to synthetic ones."""

import json

import image_sets
import numpy as np
import pytest

BUDGET = ("--epsilon", "20", "--delta", "1e-6", "--method", "dp-hp")
SHORT = ("--epochs", "2", "--steps", "5", "--batch", "32")


@pytest.fixture
def images(tmp_path):
    """images(rows, columns): a set of dark and light images with a schema whose target they have."""

    def write(rows=8, columns=4, count=600):
        random = np.random.default_rng(1)
        labels = random.integers(0, 2, count)
        light = np.where(labels == 1, 200, 5)[:, None, None]
        name = image_sets.write_idx(
            tmp_path, (light + random.integers(0, 50, (count, rows, columns))).astype(np.uint8), labels
        )
        schema = image_sets.write_schema(tmp_path, shape=(rows, columns, 1), categories=(0, 1))
        text = json.loads((tmp_path / schema).read_text())
        (tmp_path / schema).write_text(json.dumps(text | {"target": "label"}))
        return name, schema

    return write


@pytest.mark.parametrize("generator", ["convolutional", "fully-connected"])
def test_an_image_set_becomes_a_synthetic_one(run, images, tmp_path, generator):
    table, schema = images()
    result = run("synth", table, "--schema", schema, *BUDGET, *SHORT, "--generator", generator, "-o", "synthetic.npz")
    assert result.returncode == 0, result.stderr
    with np.load(tmp_path / "synthetic.npz") as synthetic:
        (pixels,) = (array for array in synthetic.values() if array.ndim == 3)
        assert pixels.shape[1:] == (8, 4) and pixels.dtype == np.uint8
        assert abs(len(pixels) - 600) < 60
    inspected = run("inspect", "synthetic.release", "--blocks")
    assert "every pixel alone" in inspected.stdout, inspected.stdout
    assert "image[" in inspected.stdout, inspected.stdout


def test_a_label_can_be_asked_for(run, images, tmp_path):
    table, schema = images()
    assert run("release", table, "--schema", schema, *BUDGET, "-o", "a.release").returncode == 0
    assert run("train", "a.release", *SHORT, "-o", "a.mehler").returncode == 0
    result = run("sample", "a.mehler", "--rows", "20", "--where", "label=1", "-o", "light.parquet")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("preset", ["mnist", "fashion-mnist"])
def test_the_papers_settings_are_presets(run, images, preset):
    table, schema = images()
    budget = ("--epsilon", "20", "--delta", "1e-6", "--preset", preset)
    assert run("release", table, "--schema", schema, *budget, "-o", "a.release").returncode == 0
    told = json.loads(run("inspect", "a.release", "--json").stdout)
    assert sum(block["name"].startswith("product") for block in told["blocks"]) == 10


def test_a_convolutional_network_is_refused_where_sides_are_no_multiples_of_4(run, images, assert_refused):
    table, schema = images(rows=5)
    given = ("--generator", "convolutional", "-o", "synthetic.npz")
    result = run("synth", table, "--schema", schema, *BUDGET, *given)
    assert_refused(result, "5 x 4", "multiples of 4", "--generator fully-connected", output="synthetic.npz")


def test_a_network_of_images_is_refused_without_images(run, study, assert_refused):
    given = ("--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6", "--method", "dp-hp")
    result = run("synth", "study.csv", *given, "--generator", "convolutional", "-o", "out.csv")
    assert_refused(result, "--generator", "no column of images", output="out.csv")


def test_an_unknown_network_is_refused(run, images, assert_refused):
    table, schema = images()
    result = run("synth", table, "--schema", schema, *BUDGET, "--generator", "convoluted", "-o", "synthetic.npz")
    assert_refused(result, "--generator", "convolutional", output="synthetic.npz")


@pytest.mark.parametrize("preset", ["dp-merf-mnist", "dp-merf-fashion-mnist"])
def test_fourier_features_are_of_all_pixels_together(run, images, tmp_path, preset):
    table, schema = images()
    budget = ("--epsilon", "20", "--delta", "1e-6", "--preset", preset, "--frequencies", "100")
    result = run("synth", table, "--schema", schema, *budget, *SHORT, "-o", "synthetic.npz")
    assert result.returncode == 0, result.stderr
    with np.load(tmp_path / "synthetic.npz") as synthetic:
        (pixels,) = (array for array in synthetic.values() if array.ndim == 3)
        assert pixels.shape[1:] == (8, 4)
    told = json.loads(run("inspect", "synthetic.release", "--json").stdout)
    (entry,) = told["blocks"][-1]["maps"]
    assert (entry["map"], entry["column"], entry["frequencies"]) == ("fourier", "image", 100)


@pytest.mark.parametrize("steps", ["0", "-1", "1000001", "few", "nan"])
def test_a_number_of_steps_outside_its_range_is_refused(run, images, assert_refused, steps):
    table, schema = images()
    result = run("synth", table, "--schema", schema, *BUDGET, "--steps", steps, "-o", "synthetic.npz")
    assert_refused(result, "--steps", output="synthetic.npz")
