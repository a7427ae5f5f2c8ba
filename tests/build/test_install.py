"""The installed tree works after it has been moved, and another project can build against it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["MEHLER_BUILD"])
SOURCE = Path(os.environ["MEHLER_SOURCE"])


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def sanitized():
    return "MEHLER_SANITIZE:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text()


@pytest.fixture(scope="module")
def moved_tree(tmp_path_factory):
    """An installation that was moved away from where it was made."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    shutil.move(folder / "first", folder / "moved")
    return folder / "moved"


def test_the_program_runs_from_the_moved_tree(moved_tree, tmp_path):
    program = moved_tree / "bin" / "mehler"
    assert run(program, "--version").startswith("mehler ")
    run(program, "demo", "-o", tmp_path, "--rows", "200")
    assert (tmp_path / "people.csv").exists()
    linked = run("ldd", program)
    arrow = [line for line in linked.splitlines() if "libarrow" in line or "libparquet" in line]
    assert arrow and all(str(moved_tree) in line for line in arrow), linked


def test_no_file_of_the_tree_names_the_build_folder(moved_tree):
    paths = list(moved_tree.rglob("*.cmake"))
    assert len(paths) >= 3
    for path in paths:
        assert str(BUILD) not in path.read_text(), path
        assert str(SOURCE) not in path.read_text(), path


def test_another_project_builds_against_it(moved_tree, tmp_path):
    flags = "-fsanitize=address,undefined" if sanitized() else ""
    run(
        "cmake",
        "-S",
        SOURCE / "tests" / "build" / "consumer",
        "-B",
        tmp_path / "build",
        "-G",
        "Ninja",
        f"-DCMAKE_PREFIX_PATH={moved_tree}",
        f"-DMEHLER_SOURCE={SOURCE}",
        f"-DCMAKE_CXX_FLAGS={flags}",
    )
    run("cmake", "--build", tmp_path / "build")
    assert "differentially private" in run(tmp_path / "build" / "consumer")

    program = moved_tree / "bin" / "mehler"
    run(program, "demo", "-o", tmp_path, "--rows", "321")
    assert run(tmp_path / "build" / "file_reader", tmp_path / "people.csv").strip() == "321"
    run(
        program,
        "release",
        tmp_path / "people.csv",
        "--schema",
        tmp_path / "people.schema.json",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "-o",
        tmp_path / "people.release",
    )
    assert "differentially private" in run(tmp_path / "build" / "public_side", tmp_path / "people.release")


def test_the_public_headers_are_few_and_need_no_others(moved_tree):
    """What is not installed is nobody's business; what is, stands on its own and on the standard library."""
    include = moved_tree / "include"
    headers = sorted(path.relative_to(include) for path in include.rglob("*.h"))
    assert 20 <= len(headers) <= 64, headers
    together = "".join(f'#include "{header}"\n' for header in headers)
    run("g++", "-std=c++20", "-fsyntax-only", "-I", include, "-x", "c++", "-", input=together)
    for header in headers:
        for name in re.findall(r"#include [<\"]([^>\"]+)[>\"]", (include / header).read_text()):
            assert name.startswith("mehler/") or "/" not in name, (header, name)


def test_training_without_privacy_is_in_the_program_alone(moved_tree):
    assert "full-mmd" in run(moved_tree / "bin" / "mehler", "reference", "list")
    assert not list(moved_tree.rglob("*reference*"))
    assert not any("mehler::reference" in path.read_text() for path in moved_tree.rglob("*.cmake"))


def test_components_ask_for_what_they_need_alone(moved_tree, tmp_path):
    """find_package(mehler COMPONENTS ...) looks for the packages of these stages, and refuses unknown ones."""

    def find(components):
        (tmp_path / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
            f"find_package(mehler COMPONENTS {components})\n"
            'message("hwy:${hwy_FOUND}")\nmessage("found:${mehler_FOUND}")\n'
        )
        command = ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / components]
        command.append(f"-DCMAKE_PREFIX_PATH={moved_tree}")
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        return dict(line.split(":", 1) for line in result.stderr.splitlines() if line.count(":") == 1)

    table = find("table")
    assert table["found"] == "1" and table["hwy"] == ""
    release = find("release")
    assert release["found"] == "1" and release["hwy"] in ("1", "TRUE")
    assert find("tomorrow")["found"] in ("0", "FALSE")


def link_command(moved_tree, folder, program):
    """The commands that make a program of tests/build/consumer."""
    run(
        "cmake",
        "-S",
        SOURCE / "tests" / "build" / "consumer",
        "-B",
        folder / "build",
        "-G",
        "Ninja",
        f"-DCMAKE_PREFIX_PATH={moved_tree}",
        f"-DMEHLER_SOURCE={SOURCE}",
    )
    return run("ninja", "-C", folder / "build", "-t", "commands", program)


def test_the_public_side_links_nothing_that_reads_private_records(moved_tree, tmp_path):
    command = link_command(moved_tree, tmp_path, "public_side")
    assert "libmehler_release.a" in command
    assert "libmehler_privacy.a" not in command
    assert "libmehler_measurement.a" not in command


def test_the_private_side_links_no_generator(moved_tree, tmp_path):
    command = link_command(moved_tree, tmp_path, "private_side")
    assert "libmehler_measurement.a" in command
    assert "libmehler_generator.a" not in command
