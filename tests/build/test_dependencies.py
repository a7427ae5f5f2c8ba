"""scripts/install-dependencies installs all that the build uses.

A machine on which somebody works has packages that nobody asked for, so a build on it shows nothing. Here every header, library, program and
CMake file that the build took from a Debian package is traced to its package, which must be one that the script names or one that comes with it.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ["MEHLER_SOURCE"])
BUILD = Path(os.environ["MEHLER_BUILD"])

# What is used where it is there and done without where it is not: other libraries to compare with, and helpers of CMake's own modules.
OPTIONAL_OBJECTS = ("benchmarks/", "tests/CMakeFiles/generator_torch_tests.dir/")
OPTIONAL_SETTINGS = ("ONEDNN_", "OPENBLAS_", "LibTorch_", "PKG_CONFIG", "pkgcfg_")

pytestmark = pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="Debian's package list is needed")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=BUILD).stdout


def named_packages():
    script = (SOURCE / "scripts" / "install-dependencies").read_text()
    lines = re.search(r"debian_packages=\((.*?)\n\)", script, re.DOTALL).group(1).splitlines()
    words = [word for line in lines for word in line.split("#")[0].split()]
    return [word for word in words if re.fullmatch(r"[a-z0-9.+-]+", word)]


def with_their_dependencies(names):
    """The packages and all that apt installs with them when it leaves out what they only recommend."""
    needs, provided = {}, {}
    fields = "${Package}\t${Depends},${Pre-Depends}\t${Provides}\n"
    for line in output_of("dpkg-query", "-W", "-f", fields).splitlines():
        package, depends, provides = line.split("\t")
        needs.setdefault(package, set()).update(re.findall(r"(?:^|[,|])\s*([a-z0-9.+-]+)", depends))
        for name in re.findall(r"(?:^|,)\s*([a-z0-9.+-]+)", provides):
            provided.setdefault(name, set()).add(package)
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [*needs.get(name, ()), *provided.get(name, ())]
    return found


def used_files():
    files = set()
    for entry in output_of("ninja", "-t", "deps").split("\n\n"):
        target, *headers = entry.strip().splitlines() or [""]
        if not target.startswith(OPTIONAL_OBJECTS):
            files.update(header.strip() for header in headers)
    for name, value in re.findall(r"^(\w+):FILEPATH=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE):
        if not name.startswith(OPTIONAL_SETTINGS):
            files.add(value)
    files.update(output_of("ninja", "-t", "query", "build.ninja").split())
    return sorted(str(Path(file)) for file in files if file.startswith("/usr/") and Path(file).is_file())


def packages_of(files):
    """The package of each file that belongs to one."""
    owners = {}
    for start in range(0, len(files), 500):
        chunk = files[start : start + 500]
        listed = subprocess.run(["dpkg-query", "-S", *chunk], capture_output=True, text=True).stdout
        for packages, file in re.findall(r"^([^/]+): (/.*)$", listed, re.MULTILINE):
            owners[file] = {package.split(":")[0] for package in packages.split(", ") if " " not in package}
    return owners


def uninstalled(names):
    """The files that the build uses and that would be missing where these packages were installed, with their packages."""
    installed = with_their_dependencies(names)
    return {file: packages for file, packages in packages_of(used_files()).items() if not packages & installed}


def test_every_file_that_the_build_uses_comes_with_a_named_package():
    assert uninstalled(named_packages()) == {}


@pytest.mark.parametrize(
    "package", ["g++", "cmake", "ninja-build", "libhwy-dev", "libzip-dev", "libcli11-dev", "libssl-dev", "libgtest-dev"]
)
def test_a_package_that_the_script_forgets_is_found(package):
    names = named_packages()
    names.remove(package)
    assert uninstalled(names)
