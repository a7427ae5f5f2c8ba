"""The package itself: what it imports, what its module shows to others, that types are described."""

import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mehler

PACKAGE = Path(mehler.__file__).parent


def in_new_process(program):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_importing_it_imports_no_other_library():
    heavy = ("numpy", "pandas", "polars", "pyarrow", "json", "tempfile", "tqdm", "matplotlib", "importlib.metadata")
    assert in_new_process(f"import sys, mehler; print([name for name in {heavy} if name in sys.modules])") == "[]\n"


def test_the_module_shows_one_symbol_and_is_for_every_python():
    (module,) = PACKAGE.glob("_engine*.so")
    assert module.name == "_engine.abi3.so"
    symbols = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["PyInit__engine"]


def test_it_runs_with_a_libc_of_version_34_and_its_compiler():
    """Which manylinux a wheel built here can be: https://peps.python.org/pep-0600."""
    (module,) = PACKAGE.glob("_engine*.so")
    needed = subprocess.run(["nm", "-D", "--undefined-only", module], capture_output=True, text=True, check=True).stdout
    newest = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29)}
    for symbol in needed.split():
        library, _, version = symbol.rpartition("@")[2].partition("_")
        if library in newest and version[:1].isdigit():
            assert tuple(map(int, version.split("."))) <= newest[library], symbol


def test_every_public_name_has_words():
    for name in mehler.__all__:
        thing = getattr(mehler, name)
        if name in ("BUY", "__version__"):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for inner, member in vars(thing).items():
                if not inner.startswith("_") and callable(getattr(member, "__func__", member)):
                    assert inner in ("to_bytes", "texts") or inspect.getdoc(member), f"{name}.{inner}"


def test_every_exception_of_the_module_is_a_public_name():
    raised = {
        name for name, thing in vars(mehler._engine).items() if isinstance(thing, type) and issubclass(thing, Exception)
    }
    assert raised and raised <= set(mehler.__all__)


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("other", ["pyarrow", "polars", "duckdb", "torch"])
def test_other_libraries_are_imported_before_or_after_it(other):
    """Each brings a C++ runtime of its own, and numbers of threads that others set."""
    if importlib.util.find_spec(other) is None:
        pytest.skip(f"{other} is not installed")
    use = "mehler.synthesize(mehler.demo.people(500), schema=mehler.demo.people_schema(), epsilon=1, delta=1e-6)"
    for order in (f"{other}, mehler", f"mehler, {other}"):
        assert in_new_process(f"import {order}; print(len({use}) > 0)") == "True\n"
