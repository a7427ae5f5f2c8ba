"""The experiments on images, with made-up images and methods, in this process: a new one takes longer to import what it
needs than to train."""

import stat
import sys
import types

import numpy as np
import pyarrow.parquet
import pytest
from running import ONE_THREAD, PACKAGE, SOURCE, rows, run

pytest.importorskip("sklearn")
sys.path[:0] = [str(SOURCE), str(PACKAGE)]

from experiments.lib import methods, tasks  # noqa: E402
from experiments.lib.bars import check  # noqa: E402
from experiments.lib.settings import Settings  # noqa: E402

IMAGES = {"train": 600, "t10k": 200}
# The program as the experiments call it: synthetic images are the private ones.
PROGRAM = """#!{python}
import json, shutil, sys
command, *words = sys.argv[1:]
output = words[words.index("-o") + 1] if "-o" in words else None
if command == "release":
    assert words[words.index("--method") + 1] == "images" and words[words.index("--epsilon") + 1] == "3"
    shutil.copy(words[0], output)
elif command == "train":
    assert words[words.index("--style") + 1] in ("broad", "plain")
    shutil.copy(words[0], output)
elif command == "sample":
    import pyarrow.parquet
    table = pyarrow.parquet.read_table(words[0])
    pyarrow.parquet.write_table(table.slice(0, int(words[words.index("--rows") + 1])), output)
else:
    assert command == "evaluate" and "--json" in words
    print(json.dumps({{"images": {{"network": {{"accuracy": 0.75}}}}}}))
"""


def idx(array):
    header = np.array([0x800 | array.ndim, *array.shape], dtype=">u4")
    return header.tobytes() + array.astype(np.uint8).tobytes()


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A Fashion-MNIST whose classes are bright rows at their own heights."""
    folder = tmp_path / "data" / "fashion_mnist"
    folder.mkdir(parents=True)
    chance = np.random.default_rng(1)
    for part, count in IMAGES.items():
        labels = np.arange(count) % 10
        images = chance.integers(0, 160, (count, 28, 28))
        images[np.arange(count), 2 * labels + 3] += 60
        (folder / f"{part}-images-idx3-ubyte").write_bytes(idx(images))
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(idx(labels))
    for name in ("MEHLER_DATA", "MEHLER_SYSTEM_DATA"):
        monkeypatch.setenv(name, str(tmp_path / "data"))


@pytest.fixture
def quick(tmp_path, data, monkeypatch, capsys):
    """quick(experiment, more of Settings): its rows, its report beside what is expected, and whether that holds."""
    for name, value in ONE_THREAD.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # figures take seconds

    def run_quick(name, program="", **more):
        for folder in ("out", "records"):
            (tmp_path / folder).mkdir()
        settings = Settings(str(program), tmp_path / "out", tmp_path / "records", quick=True, **more)
        lines, all_hold = check(tasks.task_named(name).run(settings), tasks.expectations(name), quick=True)
        assert settings.kept.values
        return rows(tmp_path / "out" / f"{name}.csv"), capsys.readouterr().out + "\n".join(lines), all_hold

    return run_quick


@pytest.fixture
def copied(monkeypatch):
    """A method in the place of images-plain: the private images."""

    def synthesize(request):
        assert request.quick and request.preset == "fashion-mnist" and request.epsilon in (1, 3)
        return pyarrow.parquet.read_table(request.table).slice(0, request.rows)

    monkeypatch.setattr(methods, "method_named", lambda name: types.SimpleNamespace(synthesize=synthesize))
    return ("images-plain",)


def test_figure6_has_an_accuracy_for_every_classifier_and_budget(quick, copied):
    found, report, all_hold = quick("figure6", methods=copied, epsilons=(1, 3))
    assert all_hold, report
    names = ["logistic_regression", "gaussian_nb", "lda", "mean"]
    assert [(row["row"], row["classifier"]) for row in found] == [
        (label, name) for label in ("images-plain", "images-plain, epsilon 3") for name in names
    ]
    # Seeded; chance is a tenth.
    assert all(0.6 < float(row["accuracy"]) <= 1 for row in found)
    assert "Protocol capped" in report and "max_iter 200 (5000)" in report
    assert "holds  fashion_mnist, images-plain, mean accuracy" in report
    assert "fashion_mnist, real, mean accuracy: not measured" in report


def test_figure3_has_a_mean_for_every_number_of_images(quick, copied):
    found, report, all_hold = quick("figure3", methods=copied)
    assert all_hold, report
    large, small = (row for row in found if row["classifier"] == "mean")
    assert (large["images"], small["images"]) == ("300", "60")
    assert float(large["accuracy"]) > float(small["accuracy"]) > 0.2
    assert "paper: DP-MERF" in report and "0.580" in report


def test_figure3_has_every_classifier_of_its_largest_number_of_images(quick, copied):
    found, _, _ = quick("figure3", methods=copied)
    names = ["logistic_regression", "gaussian_nb", "lda", "mean"]
    assert [(row["images"], row["classifier"]) for row in found] == [
        *(("300", name) for name in names),
        ("60", "mean"),
    ]


@pytest.fixture
def program(tmp_path):
    """One that copies the private images and says that a network is right three times out of four."""
    path = tmp_path / "program"
    path.write_text(PROGRAM.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_images_targets_measures_both_styles_of_one_release(quick, program):
    found, report, all_hold = quick("images-targets", program, epsilons=(3,))
    assert all_hold, report
    assert [(row["epsilon"], row["style"], row["network"]) for row in found] == [
        ("3", "broad", "75.0"),
        ("3", "plain", "75.0"),
    ]
    assert float(found[0]["mlp"]) > 60
    assert "75.00, 86.3" in report  # beside the prototype's


def test_images_targets_of_few_classifiers_is_the_network_alone(quick, program):
    found, report, all_hold = quick("images-targets", program, epsilons=(3,), few_classifiers=True)
    assert all_hold, report
    assert [row.keys() for row in found] == [{"dataset", "epsilon", "release", "style", "network"}] * 2
    assert "network, prototype" in report and "MLP, prototype" not in report


def test_switches_of_images_are_refused_elsewhere(experiments, tmp_path):
    result = run(experiments, "length-scale", "--full", "--output", tmp_path / "out")
    assert result.returncode == 2 and "length-scale does not take --full" in result.stderr
    result = run(experiments, "length-scale", "--epsilons", "1,-1", "--output", tmp_path / "out")
    assert result.returncode == 2 and "--epsilons" in result.stderr
