"""Schemas that cannot be used: each is refused with the column and the remedy."""

import pytest


@pytest.fixture
def assert_schema_refused(study, run, release, assert_refused):
    """assert_schema_refused(schema, *must_mention): by `schema check` and by `release`."""

    def check(schema, *must_mention):
        study.write_schema("bad.json", schema)
        assert_refused(run("schema", "check", "bad.json"), *must_mention)
        assert_refused(release(schema="bad.json"), *must_mention)

    return check


def test_a_missing_schema_is_refused(run, release, assert_refused):
    assert_refused(release(schema="nowhere.json"), "the schema 'nowhere.json'", "No such file", "check")
    assert_refused(run("schema", "check", "nowhere.json"), "the schema 'nowhere.json'", "check")


def test_an_empty_schema_is_refused(study, release, assert_refused):
    (study.folder / "empty.json").touch()
    assert_refused(release(schema="empty.json"), "schema", "JSON")


def test_a_schema_that_is_not_json_is_refused_with_its_name_and_line(study, release, assert_refused):
    text = (study.folder / "study.schema.json").read_text().replace('"age",', '"age"')
    (study.folder / "broken.json").write_text(text)
    line = 1 + text[: text.index('"age"')].count("\n")
    result = release(schema="broken.json")
    assert_refused(result, "'broken.json'", "JSON", "comma")
    assert f"line {line}" in result.stderr or f"line {line + 1}" in result.stderr


@pytest.mark.parametrize("tail", [b"\0", b"\0 and more", b"{}", b"\xff"])
def test_bytes_after_the_schema_are_refused(study, release, assert_refused, tail):
    (study.folder / "longer.json").write_bytes((study.folder / "study.schema.json").read_bytes() + tail)
    assert_refused(release(schema="longer.json"), "schema", "JSON")


def test_a_table_given_as_schema_is_refused_without_quoting_it(release, assert_refused):
    assert_refused(release(schema="study.csv"), "'study.csv'", "JSON")


def test_reversed_bounds_are_refused(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("age", bounds=[95, 18]), "'age'", "[95, 18]", "swap")


def test_reversed_dates_are_refused(study, assert_schema_refused):
    assert_schema_refused(
        study.schema_with("visit", bounds=["2024-12-31", "2020-01-01"]),
        "'visit'",
        "[2024-12-31, 2020-01-01]",
        "swap",
    )


def test_equal_bounds_are_refused(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("income", bounds=[5, 5]), "'income'", "[5, 5]", "widen")


def test_bounds_too_close_to_be_told_apart_are_refused(study, assert_schema_refused):
    """Scaled by their distance, the lower one was no number: a record there ended the release as a bug."""
    schema = study.schema_with("income", bounds=[0, 5e-324], decimals=None)
    assert_schema_refused(schema, "'income'", "so close", "widen")


@pytest.mark.parametrize("bounds", [[0], [0, 1, 2], "0 to 1", 7, {}])
def test_bounds_that_are_no_pair_are_refused(study, assert_schema_refused, bounds):
    assert_schema_refused(study.schema_with("income", bounds=bounds), "'income'", "bounds", "[smallest,")


@pytest.mark.parametrize("bounds", [["low", "high"], [None, 1], [True, False]])
def test_bounds_that_are_no_numbers_are_refused(study, assert_schema_refused, bounds):
    assert_schema_refused(study.schema_with("income", bounds=bounds), "'income'", "not a number")


@pytest.mark.parametrize("text", ["[0, 1e999]", "[NaN, 1]", "[0, Infinity]"])
def test_bounds_that_are_not_finite_are_refused(study, release, assert_refused, text):
    whole = '{"mehler_schema": 1, "columns": [{"name": "income", "kind": "numeric", "bounds": %s}]}'
    (study.folder / "bad.json").write_text(whole % text)
    assert_refused(release(schema="bad.json"), "schema")


def test_an_impossible_date_is_refused(study, assert_schema_refused):
    assert_schema_refused(
        study.schema_with("visit", bounds=["2023-02-29", "2024-12-31"]),
        "'visit'",
        "date",
        "YYYY-MM-DD",
    )


def test_an_unknown_transform_is_refused_with_the_near_name(study, assert_schema_refused):
    assert_schema_refused(
        study.schema_with("income", transform="signed_log"),
        "'income'",
        "'signed_log'",
        "did you mean 'signed-log'?",
    )


def test_a_log_of_negative_values_is_refused(study, assert_schema_refused):
    assert_schema_refused(
        study.schema_with("income", bounds=[-5, 200000], transform="log"),
        "'income'",
        "at least 0",
        "signed-log",
    )


def test_a_transform_of_dates_is_refused(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("visit", transform="log"), "'visit'", "date", "numeric and integer")


def test_a_transform_of_categories_is_refused(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("region", transform="signed-log"), "'region'", "numeric and integer")


@pytest.mark.parametrize("scale", [0, -1000])
def test_a_transform_scale_that_is_not_positive_is_refused(study, assert_schema_refused, scale):
    assert_schema_refused(
        study.schema_with("income", transform="log", transform_scale=scale),
        "'income'",
        "transform_scale",
        "greater than 0",
    )


def test_a_transform_scale_that_is_no_number_is_refused(study, assert_schema_refused):
    assert_schema_refused(
        study.schema_with("income", transform="log", transform_scale="1000"),
        "'income'",
        "transform_scale",
    )


def test_a_transform_scale_far_from_the_values_is_refused(study, assert_schema_refused):
    assert_schema_refused(
        study.schema_with("income", transform="log", transform_scale=1e-308),
        "'income'",
        "transform_scale",
        "nearer",
    )


def test_a_transform_scale_without_a_transform_is_refused(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("income", transform_scale=1000), "'income'", "no transform")


def test_an_empty_category_list_is_refused(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("region", categories=[]), "'region'", "empty list", "at least one")


def test_a_category_listed_twice_is_refused(study, assert_schema_refused):
    assert_schema_refused(
        study.schema_with("region", categories=["a", "b", "a"]),
        "'region'",
        "'a'",
        "twice",
        "remove",
    )


def test_a_name_with_line_breaks_does_not_break_the_message(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("region", categories=["a\nb", "a\nb"]), "'region'", "twice")
    assert_schema_refused(study.schema_with("region", name="re\ngion", categories=[]), "empty list")


@pytest.mark.parametrize("bounds", [None, "undeclared"])
def test_undeclared_bounds_are_refused(study, assert_schema_refused, bounds):
    assert_schema_refused(study.schema_with("age", bounds=bounds), "undeclared", "bounds of 'age'", "public knowledge")


@pytest.mark.parametrize("categories", [None, "undeclared"])
def test_undeclared_categories_are_refused(study, assert_schema_refused, categories):
    assert_schema_refused(
        study.schema_with("region", categories=categories),
        "undeclared",
        "categories of 'region'",
        "public knowledge",
    )


def test_an_unknown_key_is_refused_with_the_near_key(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("age", bound=[1, 2]), "'age'", "'bound'", "did you mean 'bounds'?")
    assert_schema_refused({**study.schema, "targt": "age"}, "'targt'", "did you mean 'target'?")


def test_a_key_given_twice_is_refused(study, release, assert_refused):
    text = (study.folder / "study.schema.json").read_text()
    text = text.replace('"mehler_schema": 1,', '"mehler_schema": 1, "relation": "replace-one",')
    (study.folder / "twice.json").write_text(text)
    assert_refused(release(schema="twice.json"), "'relation'", "twice", "remove")


def test_an_unknown_kind_is_refused_with_the_near_kind(study, assert_schema_refused):
    assert_schema_refused(study.schema_with("age", kind="intger"), "'age'", "did you mean 'integer'?")


def test_an_unknown_relation_is_refused(study, assert_schema_refused):
    assert_schema_refused({**study.schema, "relation": "swap"}, "'swap'", "'add-remove-one'", "'replace-one'")


def test_a_schema_of_another_version_is_refused(study, assert_schema_refused):
    assert_schema_refused({**study.schema, "mehler_schema": 2}, "version 2", "newer")


def test_a_schema_without_its_mark_is_refused(study, assert_schema_refused):
    schema = {key: value for key, value in study.schema.items() if key != "mehler_schema"}
    assert_schema_refused(schema, "'mehler_schema'", "schema init")


def test_a_column_listed_twice_is_refused(study, assert_schema_refused):
    columns = [*study.schema["columns"], study.schema["columns"][2]]
    assert_schema_refused({**study.schema, "columns": columns}, "'age'", "twice", "remove")


def test_a_schema_without_columns_is_refused(study, assert_schema_refused):
    assert_schema_refused({**study.schema, "columns": [], "target": "age"}, "no columns", "at least one")


def test_an_unknown_target_is_refused_with_the_near_name(study, assert_schema_refused):
    assert_schema_refused({**study.schema, "target": "outcomes"}, "target 'outcomes'", "did you mean 'outcome'?")


def test_a_privacy_unit_that_the_schema_lacks_is_refused(study, assert_schema_refused):
    unit = {"column": "persons", "max_rows": 2}
    assert_schema_refused(
        {**study.schema, "privacy_unit": unit},
        "privacy unit",
        "'persons'",
        "did you mean 'person'?",
    )


def test_a_privacy_unit_that_the_table_lacks_is_refused(study, release, assert_refused):
    study.write_schema(schema={**study.schema, "privacy_unit": {"column": "person", "max_rows": 2}})
    study.write_table("nameless.csv", columns=study.columns[1:], rows=[row[1:] for row in study.rows])
    assert_refused(release(table="nameless.csv"), "'nameless.csv'", "lacks the column 'person'")


@pytest.mark.parametrize("rows", [0, -1, 10**9])
def test_a_privacy_unit_of_impossible_size_is_refused(study, assert_schema_refused, rows):
    unit = {"column": "person", "max_rows": rows}
    assert_schema_refused({**study.schema, "privacy_unit": unit}, "max_rows", str(rows), "1 to")


def test_a_privacy_unit_under_replace_one_is_refused(study, assert_schema_refused):
    unit = {"column": "person", "max_rows": 2}
    assert_schema_refused(
        {**study.schema, "privacy_unit": unit, "relation": "replace-one"},
        "privacy unit",
        "'add-remove-one'",
        "change",
    )


LONG = "n" * 70_000


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: schema.update({LONG: 1}),
        lambda schema: schema.update(relation=LONG),
        lambda schema: schema.update(provenance=LONG),
        lambda schema: schema.update(target=LONG),
        lambda schema: schema["columns"][1].update({LONG: 1}),
        lambda schema: schema["columns"][1].update(kind=LONG),
        lambda schema: schema["columns"][1].update(name=LONG, bounds=[1, 0]),
        lambda schema: schema["columns"][1].update(transform=LONG),
        lambda schema: schema["columns"][1].update(out_of_range=LONG),
        lambda schema: schema["columns"][1].update(type=LONG),
        lambda schema: schema["columns"][3].update(categories=[LONG, LONG]),
        lambda schema: schema.update(privacy_unit={"column": LONG, "max_rows": 1}),
    ],
)
def test_a_message_does_not_repeat_a_name_of_any_length(run, study, assert_refused, change):
    change(study.schema)
    study.write_schema()
    refused = run("schema", "check", "study.schema.json")
    assert_refused(refused, "n" * 80 + "...")
    assert len(refused.stderr) < 700


NETWORKS = ("dp-hp", "dp-merf", "dp-gan", "dp-cgan", "gs-wgan")


@pytest.mark.method(*NETWORKS)
def test_a_schema_of_its_target_alone_is_refused_by_what_trains_a_network(study, release, assert_refused):
    columns = [column for column in study.schema["columns"] if column["name"] in ("person", "outcome")]
    study.write_schema("bad.json", study.schema | {"columns": columns})
    refused = release(schema="bad.json", table="no-such-table.csv")
    assert_refused(refused, "no column besides the target", "add one")


@pytest.mark.method(*NETWORKS)
def test_where_nothing_could_be_bought_what_trains_a_network_says_so(study, release, assert_refused):
    """Of 60 records hardly a value passes the noise of a budget that small."""
    age = next(column for column in study.schema["columns"] if column["name"] == "age")
    outcome = next(column for column in study.schema["columns"] if column["name"] == "outcome")
    study.write_schema("buy.json", study.schema | {"columns": [age | {"bounds": "buy"}, outcome]})
    position = [column["name"] for column in study.schema["columns"]]
    rows = [[row[position.index("age")], row[position.index("outcome")]] for row in study.simulate(60)]
    lines = ["age,outcome", *(",".join(row) for row in rows)]
    (study.folder / "few.csv").write_text("\n".join(lines) + "\n")
    refused = release(schema="buy.json", table="few.csv", epsilon=".05", delta="1e-6")
    assert_refused(refused, "what was to be bought could not be had", "--buy-share", "counts as spent")


@pytest.mark.method("dp-cgan", "gs-wgan")
def test_a_target_of_numbers_is_not_said_to_be_none(study, release, assert_refused):
    study.write_schema("bad.json", study.schema | {"target": "age"})
    refused = release(schema="bad.json", table="no-such-table.csv")
    assert_refused(refused, "the target 'age' is a column of numbers", "categories")
