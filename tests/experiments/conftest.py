import shutil

import pytest
from running import SOURCE


@pytest.fixture
def experiments(tmp_path):
    """A copy of experiments/, so that expectations can be changed."""
    return shutil.copytree(
        SOURCE / "experiments", tmp_path / "experiments", ignore=shutil.ignore_patterns("__pycache__")
    )
