"""python3 -m mehler.evaluation: what scripts/classifiers runs."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from small_tables import make_schema, make_table

from mehler.evaluation.__main__ import main

NO_GUARANTEE = "No privacy guarantee covers them"


@dataclass
class Result:
    returncode: int
    stdout: str
    stderr: str
    new_files: set


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run(*arguments): the command in a folder with train.csv, test.csv and schema.json, on one worker."""
    (tmp_path / "schema.json").write_text(json.dumps(make_schema()))
    for name, seed in (("train", 1), ("test", 2)):
        pa.csv.write_csv(make_table(200, seed), tmp_path / f"{name}.csv")
    monkeypatch.chdir(tmp_path)

    def run_command(
        *arguments, train="train.csv", test="test.csv", schema="schema.json", classifiers="gaussian_nb,lda"
    ):
        named = {"--train": train, "--test": test, "--schema": schema, "--classifiers": classifiers, "--workers": "1"}
        given = [word for name, value in named.items() if value is not None for word in (name, value)]
        before = set(tmp_path.iterdir())
        # In this process: a new one takes most of a second to import what it needs.
        monkeypatch.setattr(sys, "argv", ["mehler.evaluation", *given, *arguments])
        try:
            returncode = main()
        except SystemExit as end:  # --help
            returncode = end.code
        return Result(returncode, *capsys.readouterr(), {path.name for path in set(tmp_path.iterdir()) - before})

    return run_command


def assert_done(result):
    assert (result.returncode, result.stderr) == (0, ""), (result.returncode, result.stderr)


def assert_refused(result, *words):
    assert result.returncode == 2, result.stderr
    assert result.stdout == "" and result.new_files == set()
    assert result.stderr.startswith("mehler.evaluation: error: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr, result.stderr


def test_the_table_has_a_line_per_classifier_and_says_that_nothing_covers_it(run):
    result = run("--seeds", "2", "-o", "scores.csv")
    assert_done(result)
    assert NO_GUARANTEE in result.stdout.replace("\n", " ")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["classifier", "roc_auc", "average_precision", "accuracy"] in lines
    assert {line[0] for line in lines if line} >= {"gaussian_nb", "lda", "mean"}
    assert result.new_files == {"scores.csv"}


def test_json_and_csv_have_every_figure(run, tmp_path):
    result = run("--json", "--seeds", "2", "-o", "scores.csv")
    assert_done(result)
    found = json.loads(result.stdout)
    assert NO_GUARANTEE in found["privacy"] and found["safe_to_share"] is False
    assert set(found["summary"]) == {"gaussian_nb", "lda", "mean"}
    with open(tmp_path / "scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["classifier"], row["seed"]) for row in rows] == [
        ("gaussian_nb", "0"), ("gaussian_nb", "1"), ("lda", "0"), ("lda", "1"),
    ]  # fmt: skip
    for row, entry in zip(rows, found["rows"]):
        assert float(row["roc_auc"]) == pytest.approx(entry["metrics"]["roc_auc"], abs=1e-6)
        assert row["privacy_guarantee"].startswith("none")


def test_formats_and_spellings_give_the_same_figures(run, tmp_path):
    expected = json.loads(run("--json").stdout)["rows"]
    train, test = make_table(200, 1), make_table(200, 2)
    for name, table in (("train", train), ("test", test)):
        pa.parquet.write_table(table, tmp_path / f"{name}.parquet")
        pa.feather.write_feather(table, tmp_path / f"{name}.arrow")
        text = (tmp_path / f"{name}.csv").read_text().replace('"', "")
        header, *lines = text.splitlines()
        spaced = [" ; ".join(field or "?" for field in line.split(",")) for line in lines]
        (tmp_path / f"{name}.txt").write_text("\n".join(["a comment", *spaced, ""]))
    for ending in ("parquet", "arrow"):
        result = run("--json", train=f"train.{ending}", test=f"test.{ending}")
        assert_done(result)
        assert json.loads(result.stdout)["rows"] == expected
    written = ("--no-header", "--skip-lines", "1", "--delimiter", ";", "--null", "?", "--trim-spaces", "--quiet")
    result = run("--json", *written, train="train.txt", test="test.txt")
    assert_done(result)
    assert json.loads(result.stdout)["rows"] == expected
    dialect = {"delimiter": ";", "header": False, "missing": "?", "trim_spaces": True, "skip_lines": 1}
    (tmp_path / "dialect.json").write_text(json.dumps({**make_schema(), "dialect": dialect}))
    result = run("--json", train="train.txt", test="test.txt", schema="dialect.json")
    assert_done(result)
    assert json.loads(result.stdout)["rows"] == expected


def test_forms_of_values_that_only_the_program_reads_are_refused(run, tmp_path):
    for dialect in ({"delimiter": ";", "decimal": ","}, {"encoding": "utf-16"}):
        (tmp_path / "dialect.json").write_text(json.dumps({**make_schema(), "dialect": dialect}))
        assert_refused(run(schema="dialect.json"), "how its CSV files write values", [*dialect][-1], "Parquet")
    schema = make_schema()
    next(column for column in schema["columns"] if "bounds" in column)["prefix"] = "$"
    (tmp_path / "dialect.json").write_text(json.dumps(schema))
    assert_refused(run(schema="dialect.json"), "prefix", "Parquet")
    (tmp_path / "dialect.json").write_text(json.dumps({**make_schema(), "dialect": ";"}))
    assert_refused(run(schema="dialect.json"), "dialect is not an object")


def test_the_published_protocol_bears_its_name(run):
    result = run("--protocol", "published")
    assert_done(result)
    assert "Protocol published" in result.stdout and "hard predictions" in result.stdout


def test_help_says_what_covers_the_figures(run):
    result = run("--help")
    assert result.returncode == 0
    words = " ".join(result.stdout.split())
    assert "no privacy guarantee covers the figures" in words
    for option in ("--train", "--test", "--schema", "--target", "--seeds", "--protocol", "--json", "--quiet", "--null"):
        assert option in words


def test_mistakes_are_told_in_one_line(run, tmp_path):
    assert_refused(run(train=None), "--train", "--help")
    assert_refused(run("--sede", "1"), "--sede")
    assert_refused(run("--seeds", "0"), "--seeds", "from 1 to 1000", "'0'")
    assert_refused(run("--protocol", "publish"), "did you mean 'published'")
    assert_refused(run(classifiers="lda,xgb"), "no classifier 'xgb'")
    assert_refused(run("--target", "wages"), "did you mean 'wage'")
    assert_refused(run(train="absent.csv"), "'absent.csv' cannot be read", "No such file")
    assert_refused(run(schema="absent.json"), "'absent.json' cannot be read")
    assert_refused(run(schema="train.csv"), "is not JSON")
    assert_refused(run("--format", "xlsx"), "no format of tables 'xlsx'", "csv, parquet, arrow")
    assert_refused(run("--format", "parquet"), "'train.csv' is damaged, empty or not parquet")
    assert_refused(run("--delimiter", "::"), "--delimiter must be one character")
    assert_refused(run("-o", "absent/scores.csv"), "the folder of the output")
    assert_refused(run("-o", "train.csv"), "would be overwritten")
    (tmp_path / "empty.csv").write_text("")
    assert_refused(run(train="empty.csv"), "'empty.csv' is damaged, empty or not csv")


def test_private_values_stay_out_of_messages(run, tmp_path):
    text = (tmp_path / "test.csv").read_text().splitlines()
    text[7] = text[7].replace(text[7].split(",")[1], "secret", 1)
    (tmp_path / "test.csv").write_text("\n".join([*text, ""]))
    result = run()
    assert_refused(result, "column 'age' of the test table", "integer")
    assert "secret" not in result.stderr


def test_a_schema_without_a_target_needs_the_option(run, tmp_path):
    schema = make_schema()
    del schema["target"]
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    assert_refused(run(), "--target is needed")
    assert_done(run("--target", "income"))


def test_a_bar_is_drawn_on_a_terminal_unless_the_command_is_quiet(run, monkeypatch):
    assert_done(run())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert_done(run("--quiet"))
    drawn = run().stderr
    assert "0 of 2" in drawn and "2 of 2" in drawn and drawn.endswith("\r\033[K")


def test_the_module_is_a_program(run, tmp_path):
    command = "--train train.csv --test absent.csv --schema schema.json".split()
    result = subprocess.run(
        [sys.executable, "-m", "mehler.evaluation", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.path.join(os.environ["MEHLER_BUILD"], "python")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert_refused(Result(result.returncode, result.stdout, result.stderr, set()), "'absent.csv' cannot be read")
