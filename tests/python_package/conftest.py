"""Finds the package in the build tree of $MEHLER_BUILD, or the installed one where that is not set; shares a release and a
model, which take longest to make."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

if "MEHLER_BUILD" in os.environ:
    package = Path(os.environ["MEHLER_BUILD"]) / "python"
    if not (package / "mehler" / "__init__.py").exists():  # ctest lists the tests as skipped, with these words
        pytest.exit("Skipped: the Python package is not built (a build with sanitizers has none)", 0)
    sys.path.insert(0, str(package))
if importlib.util.find_spec("polars") is None:
    pytest.exit("Skipped: polars is missing: scripts/install-python-packages python/test-requirements.txt", 0)

import mehler  # noqa: E402


@pytest.fixture(scope="session")
def schema():
    return mehler.demo.people_schema()


@pytest.fixture(scope="session")
def people():
    """Simulated records, as a pyarrow table."""
    return mehler.demo.people(2000).to_pyarrow()


@pytest.fixture(scope="session")
def release(people, schema):
    return mehler.release(people, schema=schema, epsilon=5, delta=1e-6)


@pytest.fixture(scope="session")
def model(release):
    return release.fit()
