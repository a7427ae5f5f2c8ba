"""Nobody who prepares the folder in which the program is started can put a library of his own into it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["MEHLER_BUILD"])
PROGRAM = Path(os.environ["MEHLER_PROGRAM"])


def run_path_elements(program):
    """The folders in which the loader looks before the system's, as the program names them."""
    text = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return [element for path in re.findall(r"R(?:UN)?PATH.*\[(.*)\]", text) for element in path.split(":")]


def programs():
    return [path for path in BUILD.iterdir() if path.is_file() and os.access(path, os.X_OK)]


def test_the_program_is_among_those_that_are_looked_at():
    assert PROGRAM in programs()


@pytest.mark.parametrize("program", programs(), ids=lambda path: path.name)
def test_every_folder_of_the_run_path_is_named(program):
    # An empty element, or a relative one, is the folder in which the program is started.
    assert all(element.startswith(("/", "$ORIGIN")) for element in run_path_elements(program))


def test_a_library_in_the_current_folder_is_not_loaded(tmp_path):
    linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", linked):
        shutil.copy(path, tmp_path / name)
    here = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert str(tmp_path) not in here
    assert "libcrypto" in here
