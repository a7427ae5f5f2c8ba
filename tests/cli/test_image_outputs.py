"""Synthetic images in every format, and a picture of them."""

import gzip
import struct
import subprocess
import zlib

import image_sets
import numpy as np
import pyarrow.parquet as pq
import pytest

SPEND = ["--epsilon", "20", "--delta", "1e-5", "--candidates", "1000", "--threads", "1", "--quiet"]


def write_digits(folder):
    """600 PNG files of 8 x 8 pixels and two classes, and their schema; the name of their folder."""
    pixels = np.zeros((600, 8, 8), np.uint8)
    labels = [i % 2 for i in range(600)]
    for i, label in enumerate(labels):
        place = i // 2 % 6
        pixels[i, place : place + 2, :] = 200
        pixels[i] = pixels[i].T if label else pixels[i]
    image_sets.write_schema(folder, shape=(8, 8, 1), categories=(0, 1), target="label")
    return image_sets.write_png_folder(folder, pixels, labels)


@pytest.fixture(scope="session")
def digits(program, tmp_path_factory):
    """A folder with a model of the digits."""
    folder = tmp_path_factory.mktemp("digits")
    command = [program, "synth", write_digits(folder), "--schema", "images.json", *SPEND, "-o", "first.npz"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.fixture
def model(digits, tmp_path):
    """The model in the test's folder."""
    (tmp_path / "first.mehler").write_bytes((digits / "first.mehler").read_bytes())
    return "first.mehler"


def read_npz(folder):
    arrays = np.load(folder / "out.npz")
    return arrays["image"], arrays["label"]


def read_idx(folder, ending=""):
    read = (lambda path: gzip.decompress(path.read_bytes())) if ending else (lambda path: path.read_bytes())
    images = read(folder / f"out-images-idx3-ubyte{ending}")
    labels = read(folder / f"out-labels-idx1-ubyte{ending}")
    shape = struct.unpack(">4I", images[:16])[1:]
    return np.frombuffer(images[16:], np.uint8).reshape(shape), np.frombuffer(labels[8:], np.uint8)


def read_parquet(folder):
    table = pq.read_table(folder / "out.parquet")
    return np.array(table["image"].to_pylist(), np.uint8).reshape(-1, 8, 8), np.array(table["label"])


def read_png(path):
    """Rows of a PNG without filters but those that a reader must know."""
    text = path.read_bytes()
    place, data, header = 8, b"", None
    while place < len(text):
        size, name = struct.unpack(">I4s", text[place : place + 8])
        if name == b"IHDR":
            header = struct.unpack(">IIBB", text[place + 8 : place + 18])
        if name == b"IDAT":
            data += text[place + 8 : place + 8 + size]
        place += 12 + size
    width, height, bits, colour_type = header
    assert (bits, colour_type) == (8, 0)
    assert len(zlib.decompress(data)) == height * (width + 1)
    return height, width


READERS = {
    "out.npz": read_npz,
    "out-images-idx3-ubyte": read_idx,
    "out-images-idx3-ubyte.gz": lambda folder: read_idx(folder, ".gz"),
    "out.parquet": read_parquet,
    "out-images.npy": lambda folder: (np.load(folder / "out-images.npy"), np.load(folder / "out-labels.npy")),
}


@pytest.mark.parametrize("output", READERS)
def test_other_programs_read_the_same_images_from_every_format(run, model, tmp_path, assert_done, output):
    assert_done(run("sample", model, "--rows", "50", "-o", output, "--quiet"))
    assert_done(run("sample", model, "--rows", "50", "-o", "same.npz", "--quiet"))
    images, labels = READERS[output](tmp_path)
    same = np.load(tmp_path / "same.npz")
    assert (images == same["image"]).all() and images.shape == (50, 8, 8)
    assert (labels == same["label"]).all()


def test_a_folder_of_images_is_read_as_it_was_written(run, model, tmp_path, assert_done):
    assert_done(run("sample", model, "--rows", "50", "-o", "pngs/", "--quiet"))
    assert len(list((tmp_path / "pngs").glob("*.png"))) == 50
    assert (tmp_path / "pngs" / "labels.csv").read_text().startswith("file,label\n00000001.png,")
    image_sets.write_schema(tmp_path, shape=(8, 8, 1), categories=(0, 1))
    assert_done(run("schema", "check", "images.json", "pngs"))


def test_a_grid_has_ten_images_of_each_class(run, model, tmp_path, assert_done):
    result = run("sample", model, "--grid", "grid.png")
    assert_done(result)
    assert "10 images of each class of 'label', a class a row, from the top: 0, 1" in " ".join(result.stdout.split())
    height, width = read_png(tmp_path / "grid.png")
    # 8 x 8 pixels, enlarged by 6.
    assert height == 2 + 2 * 50 and width > 10 * 50


def test_a_grid_of_one_class_has_a_hundred_images(run, model, tmp_path, assert_done):
    result = run("sample", model, "--grid", "grid.png", "--where", "label=1", "-o", "ones.npz", "--rows", "20")
    assert_done(result)
    assert "100 images" in result.stdout
    assert (np.load(tmp_path / "ones.npz")["label"] == 1).all()
    assert read_png(tmp_path / "grid.png") == (2 + 10 * 50, 2 + 10 * 50)


def test_synth_draws_the_grid_of_its_model(run, tmp_path, assert_done):
    spend = ["--schema", "images.json", *SPEND[:-1], "--rows", "50"]
    result = run("synth", write_digits(tmp_path), *spend, "-o", "first.npz", "--grid", "grid.png")
    assert_done(result)
    assert result.new_files == {"first.npz", "first.release", "first.mehler", "grid.png"}
    assert "Wrote grid.png with 10 images of each class of 'label'" in " ".join(result.stdout.split())
    assert_done(run("sample", "first.mehler", "--grid", "same.png"))
    assert (tmp_path / "grid.png").read_bytes() == (tmp_path / "same.png").read_bytes()


@pytest.mark.parametrize("grid", ["first.npz", "./first.release", "first.mehler", "images.json"])
def test_synth_refuses_a_grid_over_another_of_its_files(run, tmp_path, assert_refused, grid):
    given = ["--schema", "images.json", *SPEND, "-o", "first.npz", "--grid", grid]
    assert_refused(run("synth", write_digits(tmp_path), *given), "would be overwritten", output="first.release")


def test_what_is_kept_of_a_synth_goes_on_with_its_grid(run, tmp_path):
    given = ["--schema", "images.json", *SPEND, "--rows", "120000", "-o", "first.npz", "--grid", "a grid.png"]
    result = run("synth", write_digits(tmp_path), *given, limit_blocks=6000)  # the records are too many
    assert result.returncode == 2 and result.new_files == {"first.release", "first.mehler"}
    assert "go on with: mehler sample first.mehler" in result.stderr
    assert result.stderr.endswith("-o first.npz --grid 'a grid.png'\n")


def test_csv_is_refused_before_records_are_drawn(run, model, assert_refused):
    assert_refused(run("sample", model, "-o", "out.csv"), "CSV", "'image'", ".parquet")
