"""What the tests of experiments share: the names of experiments and datasets, and how they are run."""

import csv
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["MEHLER_SOURCE"])
PACKAGE = Path(os.environ["MEHLER_BUILD"]) / "python"
NAMES = sorted(
    path.stem.replace("_", "-") for path in (SOURCE / "experiments" / "tasks").glob("*.py") if path.stem != "__init__"
)
# These take a second; what they show of failing expectations holds for all.
SHORT = ["kernel-error", "length-scale"]
WITHOUT_DATA = [*SHORT, "marginals-convergence", "mixture", "published-privacy"]
WITH_DATA = sorted(set(NAMES) - set(WITHOUT_DATA))
DATA = Path(os.environ.get("MEHLER_DATA") or SOURCE.parent / "shared" / "data")
SYSTEM = Path("/usr/share/datasets")
SCHEMAS = sorted((SOURCE / "experiments" / "datasets").glob("*/schema.json"))
DATASETS = [path.parent.name for path in SCHEMAS]
# Classifiers in this process, on one thread. Other tests have the other cores: threads that wait for one another take
# several times as long then, and new processes longer to import what they need than to train.
ONE_THREAD = {"LOKY_MAX_CPU_COUNT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def run(experiments, *arguments, figures=False, data=None):
    """Runs an experiment; without figures, which take most of the time, as if matplotlib were not installed. data: in
    the place of all other folders of raw data."""
    # A module of that name which cannot be imported stands in front of the real one.
    absent = experiments.parent / "absent"
    (absent / "matplotlib").mkdir(parents=True, exist_ok=True)
    (absent / "matplotlib" / "__init__.py").write_text("raise ImportError('absent')\n")
    return subprocess.run(
        [sys.executable, "-m", "experiments", *arguments],
        cwd=experiments.parent,
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            **ONE_THREAD,
            "MEHLER_DATA": str(DATA if data is None else data),
            **({} if data is None else {"MEHLER_SYSTEM_DATA": str(data)}),
            "PYTHONPATH": os.pathsep.join([str(PACKAGE), *([] if figures else [str(absent)])]),
        },
    )


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expectations_hold(experiments, output, name):
    """Runs an experiment, and checks what it wrote. The result, if raw data is missing."""
    result = run(experiments, name, "--quick", "--output", output, figures=True)
    if result.returncode == 2:
        return result
    assert result.returncode == 0, result.stdout + result.stderr
    assert "holds" in result.stdout and "FAILS" not in result.stdout
    tables = list(output.glob("*.csv"))
    assert tables and all(rows(table) for table in tables)
    assert (output / "findings.txt").read_text(encoding="utf-8") in result.stdout
    if importlib.util.find_spec("matplotlib"):
        assert (output / f"{name}.png").is_file()
    return None


def datasets(data, *arguments, source=SOURCE):
    """`experiments/run datasets`, with raw data from that folder alone."""
    return subprocess.run(
        [sys.executable, "-m", "experiments", "datasets", *map(str, arguments)],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=120,
        env={"MEHLER_SYSTEM_DATA": str(SYSTEM if data == DATA else data), **os.environ, "MEHLER_DATA": str(data)},
    )
