"""Every experiment that needs no raw data runs, writes its data, and fails when its expectations do not hold; the others
say what they need. With raw data they are run by test_experiments_on_data.py."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from running import NAMES, SHORT, WITH_DATA, WITHOUT_DATA, expectations_hold, rows, run


@pytest.mark.parametrize("name", WITHOUT_DATA)
def test_the_expectations_of_an_experiment_hold(experiments, tmp_path, name):
    missing = expectations_hold(experiments, tmp_path / "out", name)
    assert missing is None, missing.stderr


def test_data_is_written_without_matplotlib(experiments, tmp_path):
    result = run(experiments, "length-scale", "--quick", "--output", tmp_path / "out")
    assert result.returncode == 0, result.stdout + result.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "features-0.71.csv",
        "features-7.07.csv",
        "findings.txt",
    }


def change(experiments, name, edit):
    path = experiments / "tasks" / f"{name.replace('-', '_')}.expected.json"
    expected = json.loads(path.read_text(encoding="utf-8"))
    edit(expected)
    path.write_text(json.dumps(expected), encoding="utf-8")


def limit_all(expected):
    for entry in expected.values():
        entry.pop("quick", None)
        entry["at_most"] = -1e9


@pytest.mark.parametrize("name", WITH_DATA)
def test_without_data_an_experiment_explains_what_to_download(experiments, tmp_path, name):
    result = run(experiments, name, "--quick", "--output", tmp_path / "out", data=tmp_path / "nowhere")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert "Download from" in result.stderr or "scikit-learn" in result.stderr
    assert not list((tmp_path / "out").iterdir())


def test_an_unknown_dataset_or_method_is_refused(experiments, tmp_path):
    for option, kind, known in (("--datasets", "dataset", "adult_discrete"), ("--methods", "method", "dp-hp")):
        result = run(experiments, "table1", option, "adlut", "--output", tmp_path / "out")
        assert result.returncode == 2
        assert f"'adlut' is not a {kind}" in result.stderr and known in result.stderr


def test_any_function_is_a_method(experiments, tmp_path):
    """One that is not of the program: the first record, again and again."""
    (experiments / "methods" / "first_record.py").write_text(
        "import pyarrow.csv\n"
        "EXPERIMENTS = ()\n"
        "def synthesize(request):\n"
        "    assert request.epsilon == 1 and request.delta == 1e-5 and request.schema_path.is_file()\n"
        "    return pyarrow.csv.read_csv(request.table).take([0] * request.rows)\n"
    )
    result = run(experiments, "mixture", "--quick", "--methods", "first-record,uniform", "--output", tmp_path / "out")
    assert result.returncode == 0, result.stdout + result.stderr
    found = {row["method"]: row for row in rows(tmp_path / "out" / "mixture.csv")}
    assert found.keys() == {"first-record", "uniform", "real"}
    assert float(found["first-record"]["covered_modes"]) == 1
    # Of uniform records between the bounds -3 and 3: 5.90, always of the same seed.
    assert float(found["uniform"]["without_class"]) == pytest.approx(5.90, abs=0.05)
    assert "dp-hp, modes covered: not measured" in result.stdout


def test_a_dataset_joins_a_table_by_its_folder_alone(experiments, tmp_path):
    """The paper has no numbers of it; what is expected of it stands in its folder."""
    pytest.importorskip("sklearn")
    folder = experiments / "datasets" / "pets"
    folder.mkdir()
    label = {"name": "barks", "kind": "categorical", "categories": ["no", "yes"], "missing": False}
    legs = {"name": "legs", "kind": "integer", "bounds": [0, 8], "missing": False}
    (folder / "schema.json").write_text(
        json.dumps({"mehler_schema": 1, "relation": "add-remove-one", "target": "barks", "columns": [legs, label]})
    )
    (folder / "dataset.py").write_text(
        "from experiments.lib.datasets import Dataset\n"
        "from experiments.lib.raw import plain\n"
        'DATASET = Dataset((("pets.csv",),), plain, "nowhere", experiments=("table2",), quick=True)\n'
    )
    (tmp_path / "pets.csv").write_text("legs,barks\n" + "4,yes\n4,yes\n4,no\n2,no\n" * 150)
    arguments = (
        "table2",
        "--datasets",
        "pets",
        "--methods",
        "real,marginals",
        "--seeds",
        "1",
        "--output",
        tmp_path / "out",
    )
    result = run(experiments, *arguments, "--quick", data=tmp_path)
    assert result.returncode == 1 and "pets, real, roc_auc, scores is found but not expected" in result.stdout
    limits = {"why": "who has two legs does not bark: .75", "at_least": 0.65, "at_most": 0.85}
    names = [f"{row}, roc_auc, {protocol}" for row in ("real", "marginals") for protocol in ("scores", "published")]
    unmeasured = [f"dp-hp, roc_auc, {protocol}" for protocol in ("scores", "published")]
    (folder / "expected.json").write_text(json.dumps({"table2": dict.fromkeys([*names, *unmeasured], limits)}))
    result = run(experiments, *arguments, "--quick", data=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "holds  pets, marginals, roc_auc, scores" in result.stdout


@pytest.mark.parametrize("name", SHORT)
def test_an_experiment_fails_when_expectations_do_not_hold(experiments, tmp_path, name):
    change(experiments, name, limit_all)
    result = run(experiments, name, "--quick", "--output", tmp_path / "out")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "FAILS" in result.stdout and "holds" not in result.stdout


def test_a_finding_that_nobody_expects_is_a_failure(experiments, tmp_path):
    change(experiments, "length-scale", lambda expected: expected.popitem())
    result = run(experiments, "length-scale", "--quick", "--output", tmp_path / "out")
    assert result.returncode == 1
    assert "found but not expected" in result.stdout


def test_an_expectation_without_a_finding_is_a_failure(experiments, tmp_path):
    change(experiments, "length-scale", lambda expected: expected.update({"x": {"why": "y"}}))
    result = run(experiments, "length-scale", "--quick", "--output", tmp_path / "out")
    assert result.returncode == 1
    assert "expected but not found" in result.stdout


def test_a_run_that_is_stopped_leaves_no_records(experiments, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments", "mixture", "--output", tmp_path / "out"],
        cwd=experiments.parent,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    while not list(temporary.glob("*/mixture.csv")):
        assert process.poll() is None
        time.sleep(0.05)
    process.terminate()
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert not list(temporary.iterdir())


def test_an_unknown_experiment_is_refused_with_the_known_names(experiments):
    result = run(experiments, "kernel-eror")
    assert result.returncode == 2
    assert all(name in result.stderr for name in NAMES)
