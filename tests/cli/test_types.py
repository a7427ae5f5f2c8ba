"""Types of Parquet and Arrow tables, from the private table to the synthetic one."""

import datetime
import json
import random

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

ROWS = 400
ZONE = "America/New_York"


def typed_table():
    chance = random.Random(5)
    start = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    levels = pa.DictionaryArray.from_arrays(
        pa.array([chance.randrange(3) for _ in range(ROWS)], pa.int8()),
        pa.array(["low", "mid", "high"]),
        ordered=True,
    )
    return pa.table(
        {
            "small": pa.array([chance.randrange(-5, 100) for _ in range(ROWS)], pa.int8()),
            "count": pa.array([chance.choice([None, 1, 60_000]) for _ in range(ROWS)], pa.uint16()),
            "share": pa.array([chance.random() for _ in range(ROWS)], pa.float32()),
            "colour": pa.array([chance.choice(["red", "blue", None]) for _ in range(ROWS)]).dictionary_encode(),
            "level": levels,
            "seen": pa.array(
                [start + datetime.timedelta(hours=chance.randrange(9000)) for _ in range(ROWS)],
                pa.timestamp("us", ZONE),
            ),
            "flag": pa.array([chance.random() < 0.3 for _ in range(ROWS)]),
            "left": pa.array([chance.choice([0, 1]) for _ in range(ROWS)], pa.int32()),
        }
    )


@pytest.fixture
def synth(run, tmp_path, assert_done):
    """synth(schema, output): the table that `mehler synth` makes of typed.parquet, as a path."""

    def make(schema, output):
        given = ["--schema", schema, "--epsilon", "5", "--delta", "1e-6", "--threads", "1"]
        assert_done(run("synth", "typed.parquet", *given, "--quiet", "-o", output))
        return tmp_path / output

    return make


@pytest.fixture
def drafted(run, tmp_path):
    """The schema that --public drafts for typed.parquet."""
    pq.write_table(typed_table(), tmp_path / "typed.parquet")
    result = run("schema", "init", "typed.parquet", "--public", "--target", "left", "-o", "typed.json")
    assert result.returncode == 0, result.stderr
    return json.loads((tmp_path / "typed.json").read_text())


def test_a_draft_keeps_types_order_and_zone(drafted):
    columns = {column["name"]: column for column in drafted["columns"]}
    assert columns["small"]["type"] == "int8" and columns["count"]["type"] == "uint16"
    assert columns["share"]["type"] == "float32"
    assert columns["colour"]["type"] == "dictionary" and columns["colour"]["kind"] == "categorical"
    assert columns["level"]["kind"] == "ordinal"
    assert columns["level"]["categories"] == ["low", "mid", "high"]
    assert columns["seen"]["timezone"] == ZONE
    assert columns["left"]["categories"] == [0, 1] and columns["left"]["type"] == "int32"


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_types_come_back(drafted, synth, run, ending, assert_done):
    path = synth("typed.json", f"out.{ending}")
    made = pq.read_table(path) if ending == "parquet" else feather.read_table(path)
    for name in typed_table().column_names:
        wanted, found = typed_table().schema.field(name).type, made.schema.field(name).type
        if pa.types.is_dictionary(wanted):
            assert pa.types.is_dictionary(found) and found.ordered == wanted.ordered
            assert found.value_type == pa.string()
        else:
            assert found == wanted, name
    assert made["level"].chunk(0).dictionary.to_pylist() == ["low", "mid", "high"]
    assert set(made["colour"].to_pylist()) <= {"red", "blue", None}
    assert set(made["left"].to_pylist()) == {0, 1}
    years = {moment.astimezone(datetime.UTC).year for moment in made["seen"].to_pylist()}
    assert years <= {2020, 2021}
    result = run("evaluate", "--real", "typed.parquet", "--synthetic", path.name, "--schema", "typed.json")
    assert_done(result)


def test_csv_writes_times_with_a_zone_in_utc_and_short_floats(drafted, synth):
    made = pa.csv.read_csv(
        synth("typed.json", "out.csv"),
        convert_options=pa.csv.ConvertOptions(column_types={"seen": pa.string(), "share": pa.string()}),
    )
    assert all(text.endswith("Z") for text in made["seen"].to_pylist())
    assert all(len(text) <= 14 for text in made["share"].to_pylist())


def test_categories_that_are_numbers_or_booleans_come_back_as_such(run, study, assert_done):
    rows = [[i % 3, "true" if i % 2 else "false", i % 2] for i in range(300)]
    study.write_table("codes.csv", columns=["code", "known", "left"], rows=rows)
    schema = {
        "mehler_schema": 1,
        "columns": [
            {"name": "code", "kind": "categorical", "categories": [0, 1, 2]},
            {"name": "known", "kind": "categorical", "categories": [False, True]},
            {"name": "left", "kind": "boolean", "type": "int64"},
        ],
    }
    study.write_schema("codes.json", schema)
    given = ["--schema", "codes.json", "--epsilon", "5", "--delta", "1e-6", "--threads", "1"]
    assert_done(run("synth", "codes.csv", *given, "--quiet", "-o", "out.parquet"))
    made = pq.read_table(study.folder / "out.parquet")
    assert made.schema.types == [pa.int64(), pa.bool_(), pa.int64()]
    assert set(made["code"].to_pylist()) == {0, 1, 2} and set(made["left"].to_pylist()) == {0, 1}
    assert_done(run("sample", "out.mehler", "--rows", "40", "--where", "left=1", "-o", "ones.csv"))
    assert set(pa.csv.read_csv(study.folder / "ones.csv")["left"].to_pylist()) == {1}
    stated = json.loads(run("inspect", "out.release", "--json").stdout)["schema"]
    assert stated["columns"][0]["categories"] == [0, 1, 2]


@pytest.mark.parametrize(
    "column, words",
    [
        ({"kind": "integer", "bounds": [0, 200], "type": "int8"}, ["int8", "bounds", "wider"]),
        ({"kind": "integer", "bounds": [-1, 5], "type": "uint64"}, ["uint64", "bounds"]),
        ({"kind": "numeric", "bounds": [0, 1], "type": "int8"}, ["int8", "numeric"]),
        ({"kind": "categorical", "categories": ["07"], "type": "int64"}, ["int64", "categories"]),
        ({"kind": "categorical", "categories": ["a"], "type": "boolean"}, ["boolean", "categories"]),
        ({"kind": "boolean", "type": "dictionar"}, ["'dictionar'", "did you mean 'dictionary'?"]),
        ({"kind": "date", "bounds": ["2020-01-01", "2021-01-01"], "type": "text"}, ["text", "date"]),
        ({"kind": "boolean", "timezone": "UTC"}, ["timezone", "datetime"]),
        (
            {
                "kind": "datetime",
                "bounds": ["2020-01-01", "2021-01-01"],
                "timezone": "New York",
            },
            ["timezone", "Europe/Paris"],
        ),
    ],
)
def test_a_type_that_does_not_fit_is_refused(run, study, assert_refused, column, words):
    study.write_schema("bad.json", {"mehler_schema": 1, "columns": [{"name": "x", **column}]})
    assert_refused(run("schema", "check", "bad.json"), "'x'", *words)
