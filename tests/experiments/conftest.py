import shutil

import pytest
from running import PACKAGE, SOURCE

if not (PACKAGE / "mehler" / "__init__.py").exists():  # ctest lists the tests as skipped, with these words
    pytest.exit("Skipped: the Python package is not built (a build with sanitizers has none)", 0)


@pytest.fixture
def experiments(tmp_path):
    """A copy of experiments/, so that expectations can be changed."""
    return shutil.copytree(
        SOURCE / "experiments", tmp_path / "experiments", ignore=shutil.ignore_patterns("__pycache__")
    )
