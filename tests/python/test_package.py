"""pyproject.toml says what the repository says."""

import re
import tomllib

from small_tables import SOURCE

PROJECT = tomllib.loads((SOURCE / "python" / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_that_of_the_engine():
    cmake = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    assert PROJECT["project"]["version"] == re.search(r"project\(\s*\w+[^)]*?VERSION\s+([\d.]+)", cmake)[1]


def test_the_extra_is_what_the_tests_install():
    lines = (SOURCE / "python" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    listed = [line.replace('"', "'") for line in lines if line and not line.startswith("#")]
    assert PROJECT["project"]["optional-dependencies"]["evaluation"] == listed


def test_what_the_wheel_is_built_with_is_what_the_main_build_has():
    lines = (SOURCE / "scripts" / "python-requirements.txt").read_text(encoding="utf-8").splitlines()
    assert set(PROJECT["build-system"]["requires"]) - set(lines) == {"scikit-build-core>=0.11"}
    assert set(PROJECT["project"]["dependencies"]) <= set(lines)
