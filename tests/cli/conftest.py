"""The program as its users meet it: arguments in; exit code, two streams and a folder out."""

import copy
import csv
import json
import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest

ROWS = 200
TIME_LIMIT = 900  # seconds: stops what hangs, on any machine
DEFAULT_METHOD = "marginals"


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "method(*names): the methods that a test's releases, models and synthetic tables are of, "
        "one run each; without it the default one",
    )


def pytest_generate_tests(metafunc):
    """The argument `method` of tests and of the fixtures they use."""
    if "method" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("method")
        metafunc.parametrize("method", marker.args if marker else [DEFAULT_METHOD])


def method_words(method):
    """What chooses a method on the command line; nothing for the default one."""
    return [] if method == DEFAULT_METHOD else ["--method", method]


@dataclass
class Study:
    """A small private table and its schema; every kind of value once, and some values missing."""

    folder: Path
    columns: list
    rows: list
    schema: dict

    def write_table(self, name="study.csv", rows=None, columns=None, **dialect):
        """Writes a CSV; `columns=()` leaves the header out."""
        path = self.folder / name
        columns = self.columns if columns is None else columns
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n", **dialect)
            if columns:
                writer.writerow(columns)
            writer.writerows(self.rows if rows is None else rows)
        return path

    def write_schema(self, name="study.schema.json", schema=None):
        path = self.folder / name
        path.write_text(json.dumps(self.schema if schema is None else schema, indent=1))
        return path

    def schema_with(self, column, **changes):
        """A copy of the schema with some keys of one column changed; None takes a key out."""
        schema = copy.deepcopy(self.schema)
        entry = next(entry for entry in schema["columns"] if entry["name"] == column)
        for key, value in changes.items():
            entry.pop(key, None)
            if value is not None:
                entry[key] = value
        return schema

    def rows_with(self, column, value, row=100):
        """A copy of the records with one value changed."""
        rows = copy.deepcopy(self.rows)
        rows[row][self.columns.index(column)] = value
        return rows

    @staticmethod
    def simulate(count, seed=1):
        """Other records of the same columns; the first 200 of seed 1 are the study's own."""
        return study_rows(count, seed)

    def secrets(self):
        """Values that no one may see: names, and numbers long enough not to occur by accident."""
        return [row[0] for row in self.rows] + [row[1] for row in self.rows]


def study_schema():
    return {
        "mehler_schema": 1,
        "relation": "add-remove-one",
        "target": "outcome",
        "columns": [
            {"name": "person", "kind": "identifier"},
            {"name": "income", "kind": "numeric", "bounds": [0, 200000], "decimals": 2},
            {"name": "age", "kind": "integer", "bounds": [18, 95]},
            {
                "name": "region",
                "kind": "categorical",
                "missing": True,
                "categories": ["north", "south", "west"],
            },
            {"name": "smoker", "kind": "boolean"},
            {"name": "visit", "kind": "date", "bounds": ["2020-01-01", "2024-12-31"]},
            {"name": "outcome", "kind": "categorical", "categories": ["well", "ill"]},
        ],
    }


def study_rows(count, seed):
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        visit = date(2020, 1, 1) + timedelta(days=chance.randrange(1800))
        rows.append(
            [
                f"PT-{71_033_557 + 7_919 * (number // 2)}",  # two records each
                f"{chance.randrange(1_000_000, 20_000_000) / 100:.2f}",
                str(chance.randrange(18, 96)),
                chance.choice(["north", "south", "west", ""]),
                chance.choice(["true", "false"]),
                visit.isoformat(),
                chance.choice(["well", "ill"]),
            ]
        )
    return rows


@pytest.fixture
def study(tmp_path):
    schema = study_schema()
    result = Study(tmp_path, [column["name"] for column in schema["columns"]], study_rows(ROWS, seed=1), schema)
    result.write_table()
    result.write_schema()
    return result


@pytest.fixture(scope="session")
def program():
    return os.environ["MEHLER_PROGRAM"]


@pytest.fixture
def run(program, tmp_path):
    """run(*args, stdin=None, env=None, limit_blocks=None): the finished command, run in tmp_path.

    `limit_blocks` limits the size of the files it may write, in units of 1024 bytes. The result
    also has `new_files`, the names that appeared in the folder while it ran.
    """

    def run_program(*args, stdin=None, env=None, limit_blocks=None):
        command = [program, *map(str, args)]
        if limit_blocks is not None:
            command = ["bash", "-c", f'ulimit -f {limit_blocks} && exec "$@"', "bash", *command]
        before = set(tmp_path.rglob("*"))
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        result = subprocess.run(
            command,
            input=b"" if stdin is None else stdin,
            cwd=tmp_path,
            capture_output=True,
            timeout=TIME_LIMIT,
            check=False,
            env={**os.environ, **(env or {})},
        )
        result.stdout = result.stdout.decode("utf-8")
        result.stderr = result.stderr.decode("utf-8")
        result.new_files = {path.name for path in set(tmp_path.rglob("*")) - before}
        return result

    return run_program


@pytest.fixture
def release(run, study, method):
    """release(*extra, ...): `mehler release` on the study, with every argument open to change.

    By the test's method. None leaves an argument out. The output is out.release in the study's
    folder, and may be there.
    """

    def run_release(
        *extra,
        table="study.csv",
        schema="study.schema.json",
        epsilon="1",
        delta="1e-6",
        output="out.release",
        force=True,
        **options,
    ):
        named = {"--schema": schema, "--epsilon": epsilon, "--delta": delta, "-o": output}
        given = [word for option, value in named.items() if value is not None for word in (option, value)]
        tables = table if isinstance(table, (list, tuple)) else [table]
        forced = ["--force"] if force else []
        return run("release", *tables, *given, *method_words(method), *forced, *extra, **options)

    return run_release


def write_models(program, folder, method, *training):
    """Writes study.release, of 2,000 records and little noise, and its study.mehler."""
    schema = study_schema()
    names = [column["name"] for column in schema["columns"]]
    source = Study(folder, names, study_rows(2_000, seed=1), schema)
    source.write_table()
    source.write_schema()
    given = ["--schema", "study.schema.json", "--epsilon", "50", "--delta", "1e-6"]
    for command in (
        ["release", "study.csv", *given, *method_words(method), "-o", "study.release"],
        ["train", "study.release", *training, "--threads", "1", "-o", "study.mehler"],
    ):
        subprocess.run([program, *command, "--quiet"], cwd=folder, check=True, timeout=TIME_LIMIT)
    return folder


@pytest.fixture(scope="session")
def trained(program, tmp_path_factory):
    """A folder with a release of method dp-hp and its model."""
    folder = tmp_path_factory.mktemp("trained")
    return write_models(program, folder, "dp-hp", "--epochs", "2", "--batch", "64")


@pytest.fixture(scope="session")
def fitted(program, tmp_path_factory):
    """A folder with a release of method marginals and its model."""
    return write_models(program, tmp_path_factory.mktemp("fitted"), "marginals")


@pytest.fixture
def models(request, method):
    """The folder of the test's method."""
    return request.getfixturevalue({"dp-hp": "trained", "marginals": "fitted"}[method])


@pytest.fixture
def model(models, tmp_path):
    """The method's model in the test's folder, and its release beside: study.mehler, .release."""
    for name in ("study.release", "study.mehler"):
        shutil.copy(models / name, tmp_path / name)
    return tmp_path / "study.mehler"


@pytest.fixture
def assert_refused(study):
    """assert_refused(result, *must_mention, output=None, secrets=()): a user's mistake, told well.

    One paragraph on standard error that mentions the words and quotes no private value, exit code
    2, and no file that was not there before: neither the output nor anything temporary.
    """

    def check(result, *must_mention, output="out.release", secrets=()):
        assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
        assert result.stdout == ""
        assert result.stderr.startswith("mehler: error: "), result.stderr
        assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
        for words in must_mention:
            assert words in result.stderr, f"no {words!r} in: {result.stderr}"
        for secret in [*study.secrets(), *secrets]:
            assert secret not in result.stderr, f"{secret!r} is quoted in: {result.stderr}"
        assert not (study.folder / output).is_file()
        assert result.new_files == set()

    return check


@pytest.fixture
def assert_done():
    """assert_done(result): exit code 0 and nothing on standard error."""

    def check(result):
        assert (result.returncode, result.stderr) == (0, ""), (result.returncode, result.stderr)

    return check
