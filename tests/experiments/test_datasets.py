"""Schemas of the datasets are complete, raw files become the tables they describe, and missing ones are explained."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

SOURCE = Path(os.environ["MEHLER_SOURCE"])
PROGRAM = os.environ["MEHLER_PROGRAM"]
SCHEMAS = sorted((SOURCE / "experiments" / "datasets").glob("*/schema.json"))
NAMES = [path.parent.name for path in SCHEMAS]
DATA = Path(os.environ.get("MEHLER_DATA") or SOURCE.parent / "shared" / "data")

ADULT_ROW = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, "
    "2174, 0, 40, {}, {}\n"
)


def datasets(data, *arguments, source=SOURCE):
    return subprocess.run(
        [sys.executable, "-m", "experiments", "datasets", *map(str, arguments)],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "MEHLER_DATA": str(data)},
    )


@pytest.mark.parametrize("schema", SCHEMAS, ids=NAMES)
def test_a_schema_is_complete(schema):
    result = subprocess.run([PROGRAM, "schema", "check", schema], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", NAMES)
def test_the_raw_data_fits_its_schema(tmp_path, name):
    if not DATA.is_dir():
        pytest.skip(f"needs raw data in MEHLER_DATA: {DATA} is not there")
    result = datasets(DATA, name, "--output", tmp_path)
    if "not found" in result.stderr:
        pytest.skip(result.stderr)
    assert result.returncode == 0, result.stderr
    assert pyarrow.parquet.read_metadata(tmp_path / name / "train.parquet").num_rows > 500


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
    assert all(f"\n{name} " in result.stdout for name in NAMES)


def test_an_unknown_dataset_is_refused_with_the_known_names(tmp_path):
    result = datasets(tmp_path, "adlut")
    assert result.returncode == 2
    assert "'adlut'" in result.stderr and all(name in result.stderr for name in NAMES)


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


def test_a_table_that_does_not_fit_its_schema_is_not_left_behind(tmp_path):
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "adult.data").write_text(ADULT_ROW.format("Atlantis", "<=50K"))
    (tmp_path / "adult" / "adult.test").write_text("|\n" + ADULT_ROW.format("Cuba", ">50K."))
    result = datasets(tmp_path, "adult", "--output", tmp_path / "out")
    assert result.returncode == 2
    assert "native-country" in result.stderr and "Traceback" not in result.stderr
    assert not (tmp_path / "out" / "adult" / "train.parquet").exists()
