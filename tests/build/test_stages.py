"""The configure step refuses an include that goes against the direction of the stages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(os.environ["MEHLER_SOURCE"])


@pytest.fixture
def tree(tmp_path):
    """A copy of what the configure step reads."""
    for name in ("mehler", "cli", "cmake"):
        shutil.copytree(SOURCE / name, tmp_path / name)
    shutil.copy(SOURCE / "CMakeLists.txt", tmp_path)
    return tmp_path


def configure(tree):
    return subprocess.run(
        [
            "cmake",
            "-S",
            tree,
            "-B",
            tree / "build",
            "-G",
            "Ninja",
            f"-DMEHLER_PYTHON={sys.executable}",
            "-DMEHLER_TESTS=OFF",
            "-DMEHLER_BENCHMARKS=OFF",
            "-DMEHLER_PYTHON_PACKAGE=OFF",
        ],
        capture_output=True,
        text=True,
    )


def add_include(path, include):
    path.write_text(f'#include "{include}"\n' + path.read_text())


def words(result):
    return " ".join(result.stderr.split())


def test_the_tree_as_it_is_configures(tree):
    result = configure(tree)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "place, include",
    [
        ("mehler/release/release.cc", "mehler/privacy/private_table.h"),
        ("mehler/features/feature_map.h", "mehler/measurement/embedding.h"),
        ("mehler/evaluation/kernels/mmd.cc", "mehler/privacy/private_table.h"),
        ("mehler/release/release.cc", "mehler/evaluation/kernels/mmd.h"),
        ("mehler/encoding/encoder.cc", "mehler/table/readers/table_reader.h"),
        ("mehler/core/error.h", "mehler/table/schema.h"),
        ("mehler/synthesis/marginals/release_marginals.cc", "mehler/measurement/internal/private_record_queue.h"),
    ],
)
def test_a_forbidden_include_fails_the_configure_step(tree, place, include):
    add_include(tree / place, include)
    result = configure(tree)
    assert result.returncode != 0
    assert "Forbidden include" in words(result)
    assert place in words(result) and include in words(result)


def test_an_include_with_odd_spacing_is_seen_too(tree):
    path = tree / "mehler/release/release.cc"
    path.write_text("  #  include <mehler/privacy/accountant.h>\n" + path.read_text())
    assert "Forbidden include" in words(configure(tree))
