"""Tables that do not fit, and things that are no tables: an exception of ours, with the column and never a value."""

import datetime
import decimal

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pytest
from small import BUDGET, COLUMNS, MAKERS, SCHEMA, SECRET, synthesized, table

import mehler


def refused(given, *words, schema=SCHEMA, error=mehler.TableError):
    """The message, of release and of check alike; no exception of another library hangs on it."""
    messages = []
    for call in (lambda: mehler.release(given, schema=schema, **BUDGET), lambda: schema.check(given)):
        with pytest.raises(error) as raised:
            call()
        message = str(raised.value)
        assert raised.value.__cause__ is None and raised.value.__context__ is None
        assert SECRET not in message and "\n" not in message
        messages.append(message)
    for word in words:
        assert word in messages[0], messages[0]
    return messages


@pytest.mark.parametrize("library", MAKERS)
def test_a_column_too_many_or_too_few_is_named(library):
    refused(table(library, weight=[70.0] * 30), "has the column 'weight'", "ignore_others()")
    refused(MAKERS[library]({name: COLUMNS[name] for name in ("age", "sex")}), "has no column 'height'")


@pytest.mark.parametrize("library", MAKERS)
def test_values_that_do_not_fit_are_not_told(library):
    refused(table(library, sex=[SECRET] * 30), "column 'sex'", "not among its categories", "other='Other'")
    refused(table(library, age=[SECRET] * 30), "column 'age' is declared integer", "text")
    refused(table(library, age=[30.5] * 30), "column 'age'", "fraction")
    refused(table(library, age=[True] * 30), "column 'age'", "true and false")
    refused(table(library, height=[datetime.datetime(2020, 1, 1)] * 30), "column 'height'", "timestamps")
    refused(table(library, sex=[SECRET.encode()] * 30), "column 'sex'")


@pytest.mark.parametrize("library", MAKERS)
def test_missing_values_and_numbers_that_are_none_are_refused_unless_declared(library):
    refused(table(library, age=[None, *COLUMNS["age"][1:]]), "column 'age' has missing values", "missing=True")
    refused(table(library, height=[float("nan"), *COLUMNS["height"][1:]]), "column 'height'", "missing=True")
    refused(table(library, height=[float("inf"), *COLUMNS["height"][1:]]), "column 'height' holds infinity")
    allowed = SCHEMA.declare(height=mehler.numeric(1, 2, missing=True))
    made = synthesized(table(library, height=[float("nan")] * 15 + COLUMNS["height"][15:]), allowed)
    assert len(made) == 40


def test_nullable_integers_are_read_and_their_missing_values_count_as_such():
    assert str(synthesized(table("pandas").astype({"age": "Int16"}))["age"].dtype) == "Int16"
    ages = pandas.array([None, *COLUMNS["age"][1:]], dtype="Int16")
    refused(table("pandas", age=ages), "column 'age' has missing values")
    allowed = SCHEMA.declare(age=mehler.integer(0, 99, missing=True))
    assert str(synthesized(table("pandas", age=ages), allowed)["age"].dtype) == "Int16"


CODED = mehler.Schema({"code": mehler.categorical([1, 2, 3], missing=True), "flag": mehler.boolean(missing=True)})


@pytest.mark.parametrize("library", MAKERS)
def test_whole_numbers_that_became_floats_for_their_missing_values_are_read_as_categories(library):
    columns = {"code": [1, 2, None] * 10, "flag": [1.0, None, 0.0] * 10}
    given = MAKERS[library](pandas.DataFrame(columns)) if library != "pyarrow" else pyarrow.table(columns)
    if library == "pandas":
        assert [str(dtype) for dtype in given.dtypes] == ["float64", "float64"]
    made = polars.DataFrame(synthesized(given, CODED))
    assert set(made["code"]) <= {1, 2, 3, None} and set(made["flag"]) <= {0, 1, None}


@pytest.mark.parametrize("library", MAKERS)
@pytest.mark.parametrize("value", [4711.5, 1e300, float("inf")])
def test_a_float_that_is_not_whole_is_no_category_and_is_not_told(library, value):
    for kind in (mehler.categorical([1, 2]), mehler.categorical([1, 2], other="rest"), mehler.boolean()):
        schema = mehler.Schema({"code": kind})
        for message in refused(MAKERS[library]({"code": [1.0, value] * 15}), "'code'", "not whole", schema=schema):
            assert "4711" not in message and "1e" not in message


def test_decimals_without_places_are_read_as_categories():
    """What databases have for whole numbers: NUMBER(38, 0), HUGEINT."""
    codes = pyarrow.array([decimal.Decimal(1), decimal.Decimal(2)] * 15, pyarrow.decimal128(38, 0))
    schema = mehler.Schema({"code": mehler.categorical([1, 2])})
    assert set(synthesized(pyarrow.table({"code": codes}), schema)["code"].to_pylist()) <= {1, 2}
    bought = mehler.Schema({"code": mehler.categorical(mehler.BUY)})
    many = pyarrow.concat_tables([pyarrow.table({"code": codes})] * 50)
    assert set(mehler.release(many, schema=bought, epsilon=20, delta=1e-6).schema.columns["code"].categories) == {
        "1",
        "2",
    }


def test_a_value_that_a_row_to_complete_cannot_have_is_not_told():
    model = mehler.release(table("polars"), schema=SCHEMA, **BUDGET).fit()
    for name, values, words in (
        ("sex", ["f", SECRET], "it has f, m"),
        ("age", [30, 4711], "whole numbers from 0 to 99"),
        ("height", [1.5, 1.4711], "2 decimals"),
    ):
        with pytest.raises(mehler.ArgumentError) as raised:
            model.complete(pandas.DataFrame({name: values}))
        assert f"row 2: column '{name}'" in str(raised.value) and words in str(raised.value)
        assert "4711" not in str(raised.value)


def test_columns_of_pandas_that_arrow_does_not_know_are_refused_with_what_to_do():
    sparse = pandas.arrays.SparseArray(COLUMNS["height"])
    refused(table("pandas", height=sparse), "column 'height' of 'table' is sparse", "table['height'].sparse.to_dense()")
    refused(table("pandas", height=[1 + 2j] * 30), "column 'height' of 'table' holds complex numbers", "numpy.real(")


@pytest.mark.parametrize("library", MAKERS)
def test_columns_that_are_not_there_are_named_in_one_sentence(library, release):
    given = MAKERS[library]({"weight": [1.5] * 30})
    (message, _) = refused(given, "does not have", "'age', 'sex', 'height'", schema=SCHEMA.ignore_others())
    assert "Also" not in message
    with pytest.raises(mehler.TableError, match="'age'.*add them") as raised:
        release.compare(MAKERS[library]({"region": ["north"] * 30}))
    assert "Also" not in str(raised.value)


def test_a_column_of_mixed_type_is_named():
    refused(table("pandas", sex=["f", 4711] * 15), "column 'sex' of 'table' holds values of several types")
    refused(table("pandas", sex=[object()] * 30), "column 'sex' of 'table'")


def test_unused_categories_declare_nothing_and_do_not_come_back():
    given = table("pandas").astype({"sex": pandas.CategoricalDtype(["m", SECRET, "f"])})
    made = synthesized(given)["sex"]
    assert list(made.cat.categories) == ["f", "m"]  # those of the schema
    draft = mehler.Schema.draft(given)
    assert SECRET not in draft.to_json() and "sex" in draft.undeclared


def test_an_enum_of_polars_and_a_boolean_declare_themselves():
    given = table("polars", smoker=[True, False] * 15).with_columns(
        polars.col("sex").cast(polars.Enum(["f", "m", "x"]))
    )
    draft = mehler.Schema.draft(given)
    assert draft.columns["sex"].categories == ["f", "m", "x"] and draft.undeclared == ["age", "height"]


def test_two_columns_of_one_name_are_refused():
    rows = [[30, "f", 1.5, 31]] * 30
    names = ["age", "sex", "height", "age"]
    refused(pandas.DataFrame(rows, columns=names), "two columns named 'age'")
    arrays = [pyarrow.array(column) for column in zip(*rows)]
    refused(pyarrow.Table.from_arrays(arrays, names=names), "two columns named 'age'")


@pytest.mark.parametrize("library", MAKERS)
def test_a_frame_without_records_is_released_unless_their_number_is_public(library):
    """Under add-remove-one, whether there is a release must not tell it from the table of one record."""
    empty = table(library)[:0] if library != "pyarrow" else table(library).slice(0, 0)
    made = mehler.release(empty, schema=SCHEMA, **BUDGET)
    assert made.method == "marginals" and made.record_count_error > 0
    assert len(synthesized(empty)) == 40
    with pytest.raises(mehler.TableError, match="'table' has no records"):
        mehler.release(empty, schema=SCHEMA.with_relation("replace-one"), **BUDGET)
    with pytest.raises(mehler.TableError, match="no rows|no records"):
        SCHEMA.check(empty)
    refused(MAKERS[library]({}), "'age'", "which the schema describes")


def test_a_relation_without_records_is_released_and_a_reader_without_records_is_refused():
    """A reader that is empty cannot be told from one that was read already."""
    given = table("pyarrow")
    relation = duckdb.connect().from_arrow(given).filter("age > 99")
    assert mehler.release(relation, schema=SCHEMA, **BUDGET).record_count_error > 0
    with pytest.raises(mehler.TableError, match="no rows"):
        mehler.release(relation, schema=SCHEMA.with_relation("replace-one"), **BUDGET)
    with pytest.raises(mehler.TableError, match="has no records, or was read already"):
        mehler.release(given.slice(0, 0).to_reader(), schema=SCHEMA, **BUDGET)


class SparkFrame:
    """What a frame of Spark looks like from outside."""


SparkFrame.__module__ = "pyspark.sql.classic.dataframe"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: table("pandas")["age"], "single column"),
        (lambda: table("polars")["age"], "single column"),
        (lambda: table("pyarrow")["age"], "single column"),
        (lambda: table("polars").lazy(), "table.collect()"),
        (SparkFrame, "df.toArrow()"),
        (lambda: pyarrow.dataset.dataset(table("pyarrow")), "table.to_table()"),
        (lambda: pyarrow.dataset.dataset(table("pyarrow")).scanner(), "is a Scanner"),
        (duckdb.connect, "is a connection"),
        (lambda: (row for row in [1]), "polars.DataFrame(list(rows))"),
        (lambda: [COLUMNS], "is no table but of type list"),
        (lambda: COLUMNS, "is no table but of type dict"),
        (lambda: numpy.ones((3, 3)), "is no table but of type ndarray"),
        (lambda: f"{SECRET}.csv", "is a path or a text"),
        (lambda: None, "is no table but of type NoneType"),
    ],
    ids=[
        "pandas Series",
        "polars Series",
        "ChunkedArray",
        "LazyFrame",
        "Spark",
        "Dataset",
        "Scanner",
        "connection",
        "generator",
        "list",
        "dict",
        "array",
        "path",
        "None",
    ],
)
def test_what_is_no_table_is_refused_with_what_to_do(make, words):
    refused(make(), words)


def test_a_stream_that_was_read_is_refused():
    reader = table("pyarrow").to_reader()
    mehler.release(reader, schema=SCHEMA, **BUDGET)
    with pytest.raises(mehler.TableError, match="was read already"):
        mehler.release(reader, schema=SCHEMA, **BUDGET)


def test_a_relation_whose_query_fails_is_refused_without_its_words():
    connection = duckdb.connect()
    connection.execute(f"create table people as select '{SECRET}' as sex")
    given = connection.sql("select cast(sex as integer) as age, 'f' as sex, 1.5 as height from people")
    refused(given, "'table' could not be handed over", "ConversionException")


def test_control_c_while_a_table_is_handed_over_is_that():
    class Interrupted:
        def __arrow_c_stream__(self, requested_schema=None):
            raise KeyboardInterrupt

    for call in (mehler.Schema.draft, SCHEMA.check, lambda given: mehler.release(given, schema=SCHEMA, **BUDGET)):
        with pytest.raises(KeyboardInterrupt):
            call(Interrupted())


def test_a_class_derived_from_a_frame_is_that_frame():
    class People(pandas.DataFrame):
        pass

    assert type(synthesized(People(COLUMNS))) is pandas.DataFrame
    refused(People({**COLUMNS, "sex": ["f", 4711] * 15}), "column 'sex' of 'table' holds values of several types")


def test_a_stream_that_fails_midway_is_refused_without_its_words():
    def batches():
        yield table("pyarrow").to_batches()[0]
        raise RuntimeError(SECRET)

    reader = pyarrow.RecordBatchReader.from_batches(table("pyarrow").schema, batches())
    with pytest.raises(mehler.TableError, match="withheld") as raised:
        mehler.release(reader, schema=SCHEMA, **BUDGET)
    assert SECRET not in str(raised.value)


def test_more_than_two_to_the_31_rows_are_read_chunk_by_chunk():
    ages = pyarrow.array(numpy.zeros(2**20, numpy.int8))
    given = pyarrow.table({"age": pyarrow.chunked_array([ages] * 2049)})
    assert given.num_rows > 2**31
    # All of them would take minutes: the first chunk is refused, and the number of rows made nothing overflow before.
    with pytest.raises(mehler.TableError, match="column 'age' holds a value that is not among"):
        mehler.release(given, schema=mehler.Schema({"age": mehler.categorical([1, 2])}), **BUDGET)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pyarrow.array([decimal.Decimal("1.5")] * 30, pyarrow.decimal256(50, 2)), ("decimals", "decimal128")),
        (pyarrow.array([[1.5]] * 30), ("lists", "a column of its own")),
        (pyarrow.array([{"a": 1.5}] * 30), ("structs", "a column of its own")),
        (pyarrow.RunEndEncodedArray.from_arrays([30], [1.5]), ("run-end encoded values", "run_end_decode")),
        (pyarrow.array([b"x"] * 30), ("bytes", "cast it to text")),
    ],
    ids=lambda given: str(getattr(given, "type", "")),
)
def test_types_that_are_not_read_are_refused_where_they_are_used(column, words):
    refused(table("pyarrow", height=column), "column 'height'", *words)
    left_out = SCHEMA.declare(height=mehler.ignored())
    assert mehler.release(table("pyarrow", height=column), schema=left_out, **BUDGET).method == "marginals"


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 10**400, "1", None, True])
def test_an_epsilon_that_is_none_is_refused(epsilon):
    with pytest.raises(mehler.ArgumentError, match="epsilon must be"):
        mehler.release(table("polars"), schema=SCHEMA, epsilon=epsilon, delta=1e-6)


@pytest.mark.parametrize("delta", [0, 1, -1, float("nan"), "1", None, True])
def test_a_delta_that_is_none_is_refused(delta):
    with pytest.raises(mehler.ArgumentError, match="delta must"):
        mehler.release(table("polars"), schema=SCHEMA, epsilon=1, delta=delta)


def test_epsilon_and_delta_have_no_default_and_no_place():
    with pytest.raises(TypeError, match="'epsilon' and 'delta'"):
        mehler.release(table("polars"), schema=SCHEMA)
    with pytest.raises(TypeError, match="'epsilon' and 'delta'"):
        mehler.synthesize(table("polars"), schema=SCHEMA)
    with pytest.raises(TypeError, match="positional"):
        mehler.release(table("polars"), SCHEMA, 1, 1e-6)


@pytest.mark.parametrize("schema", [None, {}, "schema.json", SCHEMA.to_json()])
def test_a_schema_that_is_none_is_refused(schema):
    with pytest.raises(mehler.ArgumentError, match="schema must be a mehler.Schema"):
        mehler.release(table("polars"), schema=schema, **BUDGET)


def test_a_schema_with_undeclared_columns_is_refused():
    with pytest.raises(mehler.SchemaError, match="'age'"):
        mehler.release(table("polars"), schema=mehler.Schema.draft(table("polars")), **BUDGET)
