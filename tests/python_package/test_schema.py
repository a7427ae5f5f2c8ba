"""Schemas: declared, not read; immutable; the same as in files."""

import datetime

import numpy
import polars
import pytest
from small import COLUMNS, SCHEMA, SECRET, table

import mehler


def test_a_draft_reads_no_values():
    draft = mehler.Schema.draft(table("pandas", sex=[SECRET] * 30), target="sex")
    assert SECRET not in draft.to_json() and draft.undeclared == ["age", "sex", "height"] and draft.target == "sex"
    assert {name: column.kind for name, column in draft.columns.items()} == {
        "age": "integer",
        "sex": "categorical",
        "height": "numeric",
    }


def test_kinds_that_a_frame_may_have_guessed_are_marked_until_declared_or_confirmed():
    draft = mehler.Schema.draft(table("pandas"))
    assert "guessed" in draft.to_json() and "guessed" not in draft.confirm().to_json()
    declared = draft.declare(SCHEMA.columns)
    assert "guessed" not in declared.to_json() and declared.undeclared == []
    assert "guessed" in draft.declare(age=mehler.integer(0, 9)).to_json()


def test_declaring_gives_another_schema():
    before = SCHEMA.to_json()
    other = SCHEMA.declare(age=mehler.integer(17, 90, missing=True))
    assert SCHEMA.to_json() == before and other != SCHEMA
    assert other.columns["age"].bounds == [17, 90] and other.columns["age"].missing is True
    with pytest.raises(AttributeError):
        SCHEMA.columns["age"].bounds = [0, 1]
    with pytest.raises(AttributeError):
        SCHEMA.target = "sex"


def test_schemas_of_files_are_those_of_the_command_line(tmp_path, schema):
    schema.save(tmp_path / "schema.json")
    assert mehler.Schema.load(tmp_path / "schema.json") == schema
    assert hash(mehler.Schema.from_json(schema.to_json())) == hash(schema)
    with pytest.raises(mehler.FileError, match="absent.json"):
        mehler.Schema.load(tmp_path / "absent.json")
    with pytest.raises(mehler.FileError, match="cannot be written"):
        schema.save(tmp_path / "absent" / "schema.json")
    with pytest.raises(mehler.SchemaError):
        mehler.Schema.from_json("{")


def test_every_kind_can_be_declared():
    made = mehler.Schema(
        {
            "id": mehler.identifier(),
            "n": mehler.integer(numpy.int64(0), numpy.int64(5)),
            "x": mehler.numeric(0, 1e6, decimals=2, transform="log"),
            "day": mehler.date(datetime.date(2020, 1, 1), "2021-01-01"),
            "at": mehler.datetime(datetime.datetime(2020, 1, 1, 8), "2021-01-01T00:00:00", missing=True),
            "region": mehler.categorical(["north", "south"], other="elsewhere"),
            "grade": mehler.ordinal(range(3)),
            "smoker": mehler.boolean(),
            "note": mehler.ignored(),
        },
        target="smoker",
        privacy_unit=("id", 3),
    )
    assert made.privacy_unit == ("id", 3) and made.relation == "add-remove-one"
    assert made.columns["day"].bounds == ["2020-01-01", "2021-01-01"] and made.columns["grade"].categories == [0, 1, 2]
    assert made.columns["region"]["other"] == "elsewhere" and made.columns["x"].transform
    assert made.with_target(None).target is None and SCHEMA.with_relation("replace-one").relation == "replace-one"
    assert made.with_unit("id", max_rows=7).privacy_unit == ("id", 7)


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda: SCHEMA.declare(aeg=mehler.integer(0, 9)), "no column 'aeg'; did you mean 'age'"),
        (lambda: SCHEMA.declare(age=(0, 9)), "column 'age' is declared by tuple"),
        (lambda: SCHEMA.declare(age=mehler.integer(9, 0)), "age"),
        (lambda: SCHEMA.declare(age=mehler.integer(0, 9, bound=3)), "bound"),
        (lambda: SCHEMA.declare(sex=mehler.categorical([])), "sex"),
        (lambda: SCHEMA.declare(sex=mehler.categorical([object()])), "no text, finite number, list or date"),
        (lambda: SCHEMA.with_target("absent"), "absent"),
        (lambda: SCHEMA.with_unit("age", max_rows=2), "age"),
        (lambda: SCHEMA.with_relation("swap-one"), "swap-one"),
        (lambda: SCHEMA.buy("age"), "declared already"),
        (lambda: mehler.Schema({}), "column"),
        (lambda: mehler.Schema({1: mehler.boolean()}), "must be a text"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(declare, words):
    with pytest.raises(mehler.SchemaError) as raised:
        declare()
    assert words in str(raised.value)


def test_what_is_undeclared_can_be_bought():
    draft = mehler.Schema.draft(table("polars"))
    assert draft.buy().undeclared == [] and draft.buy("age").undeclared == ["sex", "height"]


def test_a_check_names_columns_for_the_owner():
    found = SCHEMA.declare(sex=mehler.categorical(["f"], other="x")).check(table("polars", age=[200] * 30))
    assert (found.clamped, found.grouped, found.broken_rules) == (["age"], ["sex"], [])
    assert "for their owner only" in repr(found)


def test_rules_are_kept():
    ruled = SCHEMA.with_rules(never=[{"sex": "m", "age": {"from": 45}}])
    assert ruled.check(table("polars")).broken_rules == []
    assert ruled.check(table("polars", sex=["m"] * 30)).broken_rules == [1]


def test_the_schema_of_a_public_table_is_read():
    public = mehler.Schema.read_public(polars.DataFrame(COLUMNS))
    assert public.columns["age"].bounds == [30, 50] and "public" in public.to_json()


def test_other_columns_can_be_ignored():
    assert SCHEMA.ignore_others().check(table("polars", weight=[1] * 30)).clamped == []
