"""Kept results say where they come from, and the tables of the documentation are made of them."""

import csv
import datetime
import os
import re
import shutil
import subprocess
import sys

import pytest
from running import PACKAGE, SOURCE

sys.path[:0] = [str(SOURCE), str(PACKAGE)]

from experiments.lib import results, tables  # noqa: E402

FILES = sorted((SOURCE / "experiments" / "results").glob("*.csv"))
PAGES = [page for page in tables.pages() if tables.names_in(page)]


def run(root, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "experiments", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"},
    )


def git(root, *arguments):
    names = ("-c", "user.name=tests", "-c", "user.email=tests@example.org")
    command = ["git", *names, *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def root(tmp_path):
    """A committed copy of experiments/ and docs/."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    for folder in ("experiments", "docs"):
        shutil.copytree(SOURCE / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "all")
    return tmp_path


def kept(root, name):
    with open(root / "experiments" / "results" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def change(root, name, edit):
    """Edits the kept rows of an experiment."""
    rows = kept(root, name)
    edit(rows)
    with open(root / "experiments" / "results" / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_the_tables_of_a_page_are_those_of_the_kept_results(page):
    expected = tables.filled(page, tables.table_functions())
    assert page.read_text(encoding="utf-8") == expected, "write it with: experiments/run tables"


def test_every_table_has_its_place():
    assert {name for page in PAGES for name in tables.names_in(page)} == set(tables.table_functions())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_kept_figure_tells_where_it_comes_from(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len({(row["dataset"], row["method"], row["measure"]) for row in rows}) == len(rows) > 0
    for row in rows:
        float(row["value"])
        assert int(row["runs"]) >= 1 and row["machine"]
        assert re.fullmatch("[0-9a-f]{7}", row["commit"]) and datetime.date.fromisoformat(row["date"])


def test_a_number_shows_no_more_digits_than_are_known():
    assert tables.short("0.0296521", 4) == ".0297"
    assert tables.short("0.52", 4) == ".52"
    assert tables.short("-0.5167", 2) == "-.52"
    assert tables.short("16", 3) == "16"


def test_a_changed_figure_is_noticed_and_written(root):
    def edit(rows):
        rows[0]["value"] = "3.14159"

    change(root, "length-scale", edit)
    result = run(root, "tables", "--check")
    assert result.returncode == 1 and "experiments/README.md" in result.stdout
    assert run(root, "tables").returncode == 0
    assert "| 3 |" in (root / "experiments" / "README.md").read_text(encoding="utf-8")
    assert run(root, "tables", "--check").returncode == 0


def test_an_unknown_table_is_refused_with_the_known_names(root):
    (root / "docs" / "page.md").write_text("<!-- results: table3 -->\n<!-- end of results -->\n", encoding="utf-8")
    result = run(root, "tables")
    assert result.returncode == 2
    assert "docs/page.md: 'table3'" in result.stderr and "table2-dp-hp" in result.stderr


def test_a_run_that_is_kept_replaces_its_figures_alone(root):
    def edit(rows):
        for row in rows:
            row.update(commit="0000000", machine="an old one", value="1")
        rows.append(rows[0] | {"method": "another"})

    change(root, "length-scale", edit)
    result = run(root, "length-scale", "--keep", "--output", root / "out")
    assert result.returncode == 0, result.stderr
    *measured, other = kept(root, "length-scale")
    assert (other["method"], other["commit"], other["value"]) == ("another", "0000000", "1")
    commit = git(root, "rev-parse", "--short=7", "HEAD")
    today = datetime.datetime.now(datetime.UTC).date()
    for row in measured:
        assert row["commit"] == commit and row["value"] != "1" and row["machine"].endswith("cores")
        assert abs(datetime.date.fromisoformat(row["date"]) - today) <= datetime.timedelta(days=1)


def test_figures_of_changed_code_are_not_kept(root):
    (root / "experiments" / "__main__.py").open("a", encoding="utf-8").write("# changed\n")
    result = run(root, "length-scale", "--keep", "--output", root / "out")
    assert result.returncode == 2
    assert "experiments/__main__.py" in result.stderr and "Traceback" not in result.stderr
    assert not (root / "out").exists()


def test_figures_of_a_quick_run_are_not_kept(root):
    result = run(root, "length-scale", "--keep", "--quick")
    assert result.returncode == 2 and "--quick" in result.stderr


def test_means_and_deviations_of_several_runs_are_kept():
    figures = results.Kept()
    figures.add("d", "m", "several", [0.2, 0.4])
    figures.add("d", "m", "one", [0.25])
    several, one = figures.rows({"commit": "0000000", "date": "2026-01-01", "machine": "x"})
    assert (several.value, several.deviation, several.runs) == ("0.3", "0.141", "2")
    assert (one.value, one.deviation, one.runs) == ("0.25", "", "1")
