"""What the documentation of the package shows runs; its pages of names are those of the docstrings."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import mehler

SOURCE = Path(os.environ["MEHLER_SOURCE"])
PACKAGE = Path(mehler.__file__).parent.parent
PAGES = sorted(path for path in (SOURCE / "docs" / "python").glob("*.md") if path.stem != "api")
EXAMPLES = sorted((SOURCE / "examples" / "python").glob("*.py"))


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(PACKAGE), "MPLBACKEND": "agg", **more}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_from_top_to_bottom(page, tmp_path):
    """Fenced as "python"; what is fenced as "py" needs a machine that is not here."""
    code = "".join(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    assert "import mehler" in code
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_runs(example, tmp_path):
    result = subprocess.run(
        [sys.executable, example], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0 and result.stdout, result.stderr


def test_the_notebook_runs_without_a_screen(tmp_path, monkeypatch):
    notebook = nbformat.read(SOURCE / "docs" / "python" / "people.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without what it showed
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    shown = [set(output["data"]) for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    assert sum("text/html" in kinds for kinds in shown) >= 6 and sum("image/png" in kinds for kinds in shown) == 2


def test_the_page_of_names_is_that_of_the_docstrings():
    path = str(SOURCE / "scripts" / "api-pages")
    loader = importlib.machinery.SourceFileLoader("api_pages", path)
    pages = importlib.util.module_from_spec(importlib.util.spec_from_loader("api_pages", loader))
    loader.exec_module(pages)
    assert pages.PAGE.read_text(encoding="utf-8") == pages.page(mehler), "run scripts/api-pages"
    told = {name for names in pages.SECTIONS.values() for name in names} | {"images", "demo", "BUY", "__version__"}
    assert told == set(mehler.__all__)
