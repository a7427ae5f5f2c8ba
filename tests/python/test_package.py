"""pyproject.toml says what the repository says."""

import re
import tomllib

from conftest import SOURCE

PROJECT = tomllib.loads((SOURCE / "python" / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_that_of_the_engine():
    cmake = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    assert PROJECT["project"]["version"] == re.search(r"project\(\s*\w+[^)]*?VERSION\s+([\d.]+)", cmake)[1]


def test_every_folder_of_the_package_is_installed():
    folders = {
        path.parent.relative_to(SOURCE / "python") for path in (SOURCE / "python" / "mehler").rglob("__init__.py")
    }
    assert {".".join(folder.parts) for folder in folders} == set(PROJECT["tool"]["setuptools"]["packages"])
