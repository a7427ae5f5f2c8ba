"""Finds the package, and the tables of most tests."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

package = Path(os.environ["MEHLER_BUILD"]) / "python"
if not (package / "mehler" / "__init__.py").exists():  # ctest lists the tests as skipped, with these words
    pytest.exit("Skipped: the Python package is not built (a build with sanitizers has none)", 0)
sys.path.insert(0, str(package))

if importlib.util.find_spec("sklearn") is None:  # ctest lists the tests as skipped, with these words
    pytest.exit("Skipped: scikit-learn is missing: scripts/install-python-packages python/requirements.txt", 0)

from small_tables import make_schema, make_table  # noqa: E402


@pytest.fixture
def schema():
    return make_schema()


@pytest.fixture
def train():
    return make_table(300, seed=1)


@pytest.fixture
def test():
    return make_table(400, seed=2)
