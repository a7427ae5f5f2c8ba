"""A table in, a synthetic one of the same library and types out; the steps one by one give the same."""

import datetime
import decimal
import pickle
import zoneinfo

import duckdb
import pandas
import polars
import pyarrow
import pytest
from small import BUDGET, COLUMNS, MAKERS, SCHEMA, synthesized, table

import mehler


@pytest.mark.parametrize("library", MAKERS)
def test_a_table_comes_back_in_its_library_with_its_types(library, people, schema):
    given = {"pandas": people.to_pandas, "polars": lambda: polars.DataFrame(people), "pyarrow": lambda: people}[
        library
    ]()
    made = mehler.synthesize(given, schema=schema, **BUDGET, rows=500)
    assert type(made) is type(given) and len(made) == 500
    if library == "pandas":
        # Which column has missing values is chance there; pandas then says Int64 for int64.
        expected = given.drop(columns="patient_id").dtypes
        assert [str(t).lower() for t in made.dtypes] == [str(t).lower() for t in expected]
    else:
        names = [name for name in schema.columns if name != "patient_id"]
        assert dict(
            zip(names, (made.schema[name] if library == "polars" else made.schema.field(name).type for name in names))
        ) == {name: given.schema[name] if library == "polars" else given.schema.field(name).type for name in names}


DAY, MOMENT = datetime.date(2020, 5, 17), datetime.datetime(2020, 5, 17, 8, 30)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
POLARS_TYPES = [
    ("age", polars.UInt8),
    ("age", polars.Float32),
    ("sex", polars.Categorical),
    ("sex", polars.Enum(["m", "f"])),
    ("height", polars.Float32),
    ("height", polars.Decimal(10, 2)),
]
PANDAS_TYPES = [
    ("age", "int16"),
    ("age", "UInt8"),
    ("age", "int64[pyarrow]"),
    ("sex", "object"),
    ("sex", "string"),
    ("sex", "category"),
    ("sex", "string[pyarrow]"),
    ("height", "float32"),
    ("height", "Float64"),
]
ARROW_TYPES = [
    ("age", pyarrow.uint16()),
    ("sex", pyarrow.large_string()),
    ("sex", pyarrow.string_view()),
    ("sex", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
    ("height", pyarrow.float32()),
    ("height", pyarrow.decimal128(12, 2)),
]


@pytest.mark.parametrize(("name", "dtype"), POLARS_TYPES, ids=str)
def test_a_type_of_polars_comes_back(name, dtype):
    given = table("polars").with_columns(polars.col(name).cast(dtype))
    assert synthesized(given).schema == given.schema


@pytest.mark.parametrize(("name", "dtype"), PANDAS_TYPES, ids=str)
def test_a_type_of_pandas_comes_back(name, dtype):
    given = table("pandas").astype({name: dtype})
    made = synthesized(given)[name].dtype
    assert str(made) == str(given[name].dtype)


@pytest.mark.parametrize(("name", "dtype"), ARROW_TYPES, ids=str)
def test_a_type_of_pyarrow_comes_back(name, dtype):
    column = pyarrow.array(COLUMNS[name]).cast(dtype)
    assert synthesized(table("pyarrow", **{name: column})).schema.field(name).type == dtype


@pytest.mark.parametrize("zone", [None, zoneinfo.ZoneInfo("UTC"), BERLIN], ids=str)
@pytest.mark.parametrize("library", MAKERS)
def test_moments_keep_their_time_zone(library, zone):
    when = mehler.Schema(
        {"t": mehler.datetime("2020-01-01", "2021-01-01"), "day": mehler.date("2020-01-01", "2021-01-01")}
    )
    given = MAKERS[library]({"t": [MOMENT.replace(tzinfo=zone)] * 30, "day": [DAY] * 30})
    made = synthesized(given, when)
    types = [frame.dtypes if library == "pandas" else frame.schema for frame in (given, made)]
    assert list(types[0]) == list(types[1])
    day = made["day"][0].as_py() if library == "pyarrow" else made["day"][0]
    assert datetime.date(2020, 1, 1) <= day <= datetime.date(2021, 1, 1)


SPANS = [datetime.timedelta(days=49 + place % 3, milliseconds=place % 7) for place in range(1000)]
SHORT_SPANS = [datetime.timedelta(seconds=3000 + place % 7) for place in range(1000)]
TIMES = [datetime.time(21, 40 + place % 20, 8, 123_000) for place in range(1000)]
WHOLE_TIMES = [time.replace(microsecond=0) for time in TIMES]
MONTHS = pandas.period_range("2001-01", periods=24, freq="M").repeat(42)


def in_seconds(value):
    """What a number of the schema means; of a period, how many there are since 1970."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.time):
        return 3600 * value.hour + 60 * value.minute + value.second + value.microsecond / 1e6
    return value.ordinal if isinstance(value, pandas.Period) else float(value)


def seconds_of(frame):
    column = frame["x"]
    values = column.to_pylist() if isinstance(column, pyarrow.ChunkedArray) else column.to_list()
    return [in_seconds(value) for value in values if value is not None and value is not pandas.NaT]


def type_of_x(frame):
    if isinstance(frame, pandas.DataFrame):
        return frame.dtypes["x"]
    return frame.schema["x"] if isinstance(frame, polars.DataFrame) else frame.schema.field("x").type


SPANS_AND_TIMES = {
    **{
        f"pandas timedelta64[{unit}]": pandas.Series(SPANS).astype(f"timedelta64[{unit}]")
        for unit in ("ms", "us", "ns")
    },
    "pandas duration[us][pyarrow]": pandas.Series(SPANS, dtype=pandas.ArrowDtype(pyarrow.duration("us"))),
    "pandas time64[us][pyarrow]": pandas.Series(TIMES, dtype=pandas.ArrowDtype(pyarrow.time64("us"))),
    "pandas objects of times": pandas.Series(TIMES, dtype=object),
    "pandas period[M]": pandas.Series(MONTHS),
    **{f"polars Duration({unit})": polars.Series("x", SPANS, polars.Duration(unit)) for unit in ("ms", "us", "ns")},
    "polars Time": polars.Series("x", TIMES, polars.Time),
    **{f"pyarrow duration[{unit}]": pyarrow.array(SPANS, pyarrow.duration(unit)) for unit in ("ms", "us", "ns")},
    "pyarrow duration[s]": pyarrow.array(SHORT_SPANS, pyarrow.duration("s")),
    "pyarrow time32[s]": pyarrow.array(WHOLE_TIMES, pyarrow.time32("s")),
    "pyarrow time32[ms]": pyarrow.array(TIMES, pyarrow.time32("ms")),
    "pyarrow time64[ns]": pyarrow.array(TIMES, pyarrow.time64("ns")),
}


def framed(name):
    return MAKERS[name.partition(" ")[0]]({"x": SPANS_AND_TIMES[name]})


def declared(name, **more):
    """Numbers of seconds: a hundred days, or one; of periods, how many."""
    spans = "period" in name, "uration" in name or "timedelta" in name
    return mehler.numeric(0, {(True, False): 1000, (False, True): 8_640_000}.get(spans, 86_400), **more)


@pytest.mark.parametrize("name", SPANS_AND_TIMES)
@pytest.mark.parametrize("missing", [False, True])
def test_durations_times_of_day_and_periods_come_back_with_their_values(name, missing):
    given = framed(name)
    declared_column = declared(name, missing=missing)
    for schema in (
        mehler.Schema({"x": declared_column}),
        mehler.Schema.draft(given).declare(x=declared_column),  # which has no type, as it was declared anew
    ):
        made = mehler.synthesize(given, schema=schema, epsilon=1000, delta=1e-6, rows=300)
        assert type_of_x(made) == type_of_x(given)
        given_seconds, low, high = seconds_of(given), *declared_column.bounds
        values = seconds_of(made)
        assert low <= min(values) and max(values) <= high
        mean, wanted = sum(values) / len(values), sum(given_seconds) / len(given_seconds)
        assert abs(mean - wanted) < 0.02 * (high - low)


def test_what_a_type_of_times_cannot_hold_stays_numbers_of_seconds():
    """Never a value of another unit: beyond a day, below 0, or of more digits than the type has."""
    for name, kind in (
        ("polars Time", mehler.numeric(0, 200_000)),
        ("pandas time64[us][pyarrow]", mehler.numeric(0, 90_000)),
        ("pandas objects of times", mehler.numeric(-1, 86_000)),
        ("pyarrow time32[s]", mehler.integer(-1, 90_000)),
        ("pandas timedelta64[ns]", mehler.numeric(0, 1e12)),
        ("polars Duration(ms)", mehler.numeric(0, 8_640_000, decimals=5)),
        ("pyarrow duration[s]", mehler.numeric(0, 8_640, decimals=1)),
    ):
        given = framed(name)
        made = mehler.synthesize(given, schema=mehler.Schema({"x": kind}), epsilon=1000, delta=1e-6, rows=300)
        values = seconds_of(made)
        assert str(type_of_x(made)).lower() in ("float64", "double", "int64", "object"), name
        low, high = kind.bounds
        assert abs(sum(values) / 300 - sum(seconds_of(given)) / 1000) < 0.02 * (high - low), name


def test_24_00_is_the_last_unit_of_the_day():
    last = datetime.time(23, 59, 59, 999_999)
    given = polars.DataFrame({"x": [last] * 1000})
    halves = mehler.Schema({"x": mehler.numeric(0, 86_400, step=43_200)})
    made = mehler.synthesize(given, schema=halves, epsilon=1000, delta=1e-6)
    assert made.schema == given.schema and made["x"].value_counts().sort("count")["x"][-1] == last


VALUES = {
    "n": [3, None, 5, 7],
    "x": [decimal.Decimal("1.25"), decimal.Decimal("1.50"), None, decimal.Decimal("9.99")],
    "day": [DAY, DAY, None, datetime.date(2020, 12, 31)],
    "at": [MOMENT, None, MOMENT, datetime.datetime(2020, 1, 1)],
    "c": ["a", "b", "b", None],
    "code": [1, 2, None, 1],
    "yes": [True, None, False, True],
}
KINDS = mehler.Schema(
    {
        "n": mehler.integer(0, 9, missing=True),
        "x": mehler.numeric(0, 10, decimals=2, missing=True),
        "day": mehler.date("2020-01-01", "2021-01-01", missing=True),
        "at": mehler.datetime("2020-01-01", "2021-01-01", missing=True),
        "c": mehler.categorical(["a", "b"], missing=True),
        "code": mehler.categorical([1, 2], missing=True),
        "yes": mehler.boolean(missing=True),
    }
)


def frames_of_every_library(arrow):
    categories = polars.DataFrame(arrow).with_columns(polars.col("c").cast(polars.Categorical))
    return {
        "pyarrow": arrow,
        "polars": polars.DataFrame(arrow),
        "polars, categorical": categories,
        "pandas of Arrow types": arrow.to_pandas(types_mapper=pandas.ArrowDtype),
        "pandas": arrow.to_pandas(),  # floats for whole numbers of which some are missing, objects for dates
        "pandas, nullable": arrow.to_pandas().convert_dtypes().astype({"c": "category", "code": "category"}),
        "DuckDB": duckdb.connect().from_arrow(arrow),
    }


def is_same(name, value, there):
    if name == "x":
        return decimal.Decimal(f"{there:.2f}") == value
    return there == (pandas.Timestamp(value) if isinstance(there, pandas.Timestamp) else value)


@pytest.mark.parametrize("library", frames_of_every_library(pyarrow.table(VALUES)))
def test_values_go_in_and_come_back_as_they_are(library):
    """Given values of rows to complete come back in every library; missing ones are drawn."""
    arrow = pyarrow.table(VALUES)
    model = mehler.release(pyarrow.concat_tables([arrow] * 50), schema=KINDS, **BUDGET).fit()
    completed = model.complete(frames_of_every_library(arrow)[library])
    columns = [
        {name: column.tolist() for name, column in completed.to_pandas().items()},
        completed.to_polars().to_dict(as_series=False),
        completed.to_pyarrow().to_pydict(),
        duckdb.connect().from_arrow(completed.to_pyarrow()).to_arrow_table().to_pydict(),
    ]
    for made in columns:
        for name, values in VALUES.items():
            assert len(made[name]) == len(values)
            assert all(is_same(name, value, there) for value, there in zip(values, made[name]) if value is not None), (
                name
            )


@pytest.mark.parametrize("library", frames_of_every_library(pyarrow.table(VALUES)))
def test_every_library_hands_over_the_same_values_and_missing_values(library):
    def coded(table):
        rows, columns, _ = mehler._engine.read_coded(
            KINDS._engine, mehler._tables.source_of(table).engine, "the table", mehler._engine.Watch(None)
        )
        return rows, [
            (codes.tolist(), [n for n in numbers.tolist() if n == n], missing) for codes, numbers, missing in columns
        ]

    arrow = pyarrow.table(VALUES)
    rows, columns = coded(arrow)
    assert rows == 4 and [missing for _, _, missing in columns] == [1] * 7
    assert coded(frames_of_every_library(arrow)[library]) == (rows, columns)


def test_what_comes_back_does_not_depend_on_how_many_digits_a_decimal_has():
    """pyarrow takes the precision of Python's decimals from the longest: a type that follows it tells of the records."""
    schema = mehler.Schema({"x": mehler.numeric(0, 1000, decimals=2), "y": mehler.numeric(0, 9)})
    for longest in ("9.5", "12.25", "999.99", "1e2"):
        given = pandas.DataFrame({"x": [decimal.Decimal("1.5"), decimal.Decimal(longest)] * 15, "y": [1.5] * 30})
        made = synthesized(given, schema)
        assert made["x"].dtype == object and made["y"].dtype == "float64"
        assert all(type(value) is decimal.Decimal and -value.as_tuple().exponent <= 2 for value in made["x"])
        draft = mehler.Schema.draft(given).columns["x"]
        assert dict(draft) == {"kind": "numeric", "bounds": "undeclared", "missing": True}


def test_moments_that_are_objects_are_those_of_utc():
    zones = [zoneinfo.ZoneInfo("Asia/Tokyo"), BERLIN]
    given = pandas.DataFrame({"t": pandas.Series([MOMENT.replace(tzinfo=zone) for zone in zones] * 15, dtype=object)})
    assert "Tokyo" not in mehler.Schema.draft(given).to_json()
    made = synthesized(given, mehler.Schema({"t": mehler.datetime("2020-01-01", "2021-01-01")}))
    assert {str(value.tzinfo) for value in made["t"]} == {"UTC"}


def test_a_categorical_of_pandas_comes_back_with_the_list_of_the_schema():
    for values, kind, listed in (
        ([3, 1], mehler.categorical([1, 2, 3]), [1, 2, 3]),
        ([3.0, 1.0], mehler.categorical([1, 2, 3]), [1.0, 2.0, 3.0]),
        (["b", "a"], mehler.categorical(["a", "b", "c"]), ["a", "b", "c"]),
        ([True], mehler.boolean(), [False, True]),
    ):
        for ordered in (False, True):
            given = pandas.DataFrame({"c": pandas.Categorical(values * 15, ordered=ordered)})
            dtype = synthesized(given, mehler.Schema({"c": kind}))["c"].dtype
            assert list(dtype.categories) == listed and dtype.ordered == ordered
            assert dtype.categories.dtype == given["c"].dtype.categories.dtype


def test_numbers_of_decimals_are_read_as_they_are():
    given = table("polars", height=[decimal.Decimal("1.50")] * 30)
    released = mehler.release(given, schema=SCHEMA, epsilon=100, delta=1e-6)
    made = released.fit().sample(100).to_polars()
    assert made["height"].mean() == pytest.approx(1.5, abs=0.1)


def test_columns_that_are_ignored_are_not_handed_over_and_do_not_come_back():
    given = table("pandas", note=["x", 1] * 15)  # of mixed type: pandas could not hand it over
    made = synthesized(given, mehler.Schema({**SCHEMA.columns, "note": mehler.ignored()}))
    assert list(made.columns) == ["age", "sex", "height"]


def test_an_index_that_the_schema_names_is_a_column():
    given = table("pandas").set_index("age")
    assert sorted(synthesized(given).columns) == ["age", "height", "sex"]
    assert sorted(synthesized(table("pandas").rename_axis("row")).columns) == ["age", "height", "sex"]


def test_a_relation_of_duckdb_is_read_and_what_comes_back_can_be_queried():
    connection = duckdb.connect()
    given = table("pyarrow")  # noqa: F841 -- DuckDB finds it by its name
    records = synthesized(connection.sql("select * from given where age > 30"))
    assert isinstance(records, mehler.Records)
    assert connection.sql("select count(*) from records").fetchall() == [(40,)]


def test_a_reader_is_read_once_and_gives_records():
    records = synthesized(table("pyarrow").to_reader())
    assert isinstance(records, mehler.Records) and len(records.to_polars()) == 40


def test_records_are_drawn_again_the_same_each_time(model):
    records = model.sample(300, seed=7)
    assert len(records) == 300 and records.to_polars().equals(polars.DataFrame(records))
    assert records.to_pyarrow().equals(model.sample(300, seed=7, threads=1).to_pyarrow())
    assert not records.to_pyarrow().equals(model.sample(300, seed=8).to_pyarrow())
    assert records.to_pandas(progress=lambda fraction, words: None).equals(records.to_pandas())


def test_categories_of_samples_are_dictionaries_with_the_list_of_the_schema(model, schema):
    records = model.sample(3)
    regions = schema.columns["region"].categories
    assert list(records.to_pandas()["region"].cat.categories) == regions
    assert records.to_pyarrow()["region"].chunk(0).dictionary.to_pylist() == regions
    assert records.to_polars()["region"].dtype == polars.Categorical
    assert records.to_pandas()["education"].cat.ordered and not records.to_pandas()["region"].cat.ordered


def test_a_million_records_come_in_batches(model):
    reader = pyarrow.RecordBatchReader.from_stream(model.sample(1_000_000))
    sizes = [reader.read_next_batch().num_rows for _ in range(3)]
    assert max(sizes) < 200_000
    del reader  # the rest is never drawn


def test_what_was_saved_is_loaded_the_same(release, model, tmp_path):
    release.save(tmp_path / "people.release")
    model.save(tmp_path / "people.mehler")
    again = mehler.Release.load(tmp_path / "people.release")
    assert again.to_bytes() == release.to_bytes() and again.statement.epsilon == 5
    loaded = mehler.Model.load(tmp_path / "people.mehler")
    assert loaded.sample(50).to_pyarrow().equals(model.sample(50).to_pyarrow())
    assert loaded.release.to_bytes() == release.to_bytes()
    assert again.fit().to_bytes() == model.to_bytes()


def test_a_release_that_exists_is_not_overwritten_unless_asked_for(release, model, tmp_path):
    """What was spent on it stays spent."""
    path = tmp_path / "people.release"
    release.save(path)
    release.save(path)  # the same one
    other = mehler.release(table("polars"), schema=SCHEMA, **BUDGET)
    with pytest.raises(mehler.FileError, match="people.release' exists.*stays spent.*overwrite=True"):
        other.save(path)
    with pytest.raises(mehler.FileError, match="exists"):
        other.save(str(path))
    assert mehler.Release.load(path).to_bytes() == release.to_bytes()
    other.save(path, overwrite=True)
    assert mehler.Release.load(path).to_bytes() == other.to_bytes()
    model.save(tmp_path / "people.mehler")
    model.save(tmp_path / "people.mehler")  # costs nothing


def test_synthesize_refuses_a_release_that_exists_before_records_are_read(tmp_path):
    class Unread:
        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("was read")

    path = tmp_path / "small.release"
    path.write_bytes(b"paid for")
    with pytest.raises(mehler.FileError, match="exists") as refused:
        synthesized(Unread(), release_to=path)
    assert path.read_bytes() == b"paid for" and not hasattr(refused.value, "release")
    synthesized(table("polars"), release_to=path, overwrite=True)
    assert mehler.Release.load(path).method == "marginals"


def test_releases_models_and_schemas_pickle_by_their_bytes(release, model, schema):
    assert pickle.loads(pickle.dumps(release)).to_bytes() == release.to_bytes()
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()
    assert pickle.loads(pickle.dumps(schema)) == schema
    with pytest.raises(mehler.ReleaseError, match="damaged|altered|not a release"):
        mehler.Release.from_bytes(release.to_bytes()[:-1] + b"x")


def test_records_meet_their_conditions(model):
    made = model.sample(50, where={"smoker": True, "region": ["north", "east"], "hours": None}).to_polars()
    assert made["smoker"].all() and set(made["region"]) <= {"north", "east"} and made["hours"].null_count() == 50
    made = model.sample(50, where=["age>=65", {"region": "south"}]).to_polars()
    assert made["age"].min() >= 65 and set(made["region"]) == {"south"}
    with pytest.raises(mehler.ArgumentError, match="'regoin'.*'region'"):
        model.sample(5, where={"regoin": "north"})
    with pytest.raises(mehler.ArgumentError, match="empty"):
        model.sample(5, where={"region": []})
    with pytest.raises(mehler.ArgumentError, match="dict such as"):
        model.sample(5, where=5)


def test_rows_are_completed_in_their_order(model):
    known = polars.DataFrame({"age": [30, 40, 50], "region": ["north", None, "south"]})
    made = model.complete(known).to_polars()
    assert made["age"].to_list() == [30, 40, 50]
    assert made["region"][0] == "north" and made["region"][2] == "south" and made["region"][1] is not None
    with pytest.raises(mehler.TableError, match="known"):
        model.complete([1, 2])


def test_synthesize_is_release_fit_and_sample(tmp_path):
    path = tmp_path / "small.release"
    made = synthesized(table("polars"), release_to=path)
    again = mehler.Release.load(path).fit().sample(40)._to("polars", like=made)
    assert made.equals(again)


def test_what_fails_after_the_release_hands_it_over(tmp_path):
    with pytest.raises(mehler.FileError) as error:
        synthesized(table("polars"), release_to=tmp_path / "absent" / "small.release")
    assert isinstance(error.value, OSError) and error.value.release.fit().sample(5).to_polars().height == 5


def test_options_go_to_release_and_fit(release):
    assert synthesized(table("polars"), method="dp-hp", order=8, epochs=2).height == 40
    with pytest.raises(mehler.ArgumentError, match="no option 'epoch'; did you mean 'epochs'"):
        synthesized(table("polars"), method="dp-hp", epoch=2)
    with pytest.raises(mehler.ArgumentError, match="no method 'dp-h'.*dp-hp"):
        synthesized(table("polars"), method="dp-h")
    with pytest.raises(mehler.ArgumentError, match="no option 'stepz'"):
        release.fit(stepz=3)
    words = mehler.release.__doc__
    assert "{options}" not in words and all(option in words for option in mehler.methods()["marginals"].release_options)


@pytest.mark.parametrize("rows", [0, -1, 1.5, "5", True, None])
def test_numbers_of_rows_that_are_none_are_refused(model, rows):
    if rows is None:
        assert len(model.sample(rows)) > 0
    else:
        with pytest.raises(mehler.ArgumentError, match="rows must be a whole number of at least 1"):
            model.sample(rows)


def test_a_comparison_and_an_evaluation_say_who_may_see_them(release, model, people, schema):
    made = model.sample(1000)
    public = release.compare(made.to_polars())
    owner = mehler.evaluate(made, real=people, schema=schema, target="diagnosis")
    assert not owner.safe_to_share and not hasattr(public, "safe_to_share")  # of the private table it must not say so
    assert public.may_be_shared_if.startswith("the synthetic table was made from this release alone")
    assert release.compare(people).may_be_shared_if == public.may_be_shared_if
    assert public.counts[0]["mean_total_variation"] < 0.5
    assert "must not be" in str(owner) and "privacy" in owner.to_dict()
    with pytest.raises(mehler.ArgumentError, match="give both"):
        mehler.evaluate(made, real=people, schema=schema, positive="yes")


def test_a_plan_reads_no_table(schema):
    found = mehler.plan(schema, rows=2000, epsilon=[1, 10], delta=1e-6)
    assert [one["epsilon"] for one in found.to_dict()] == [1, 10] and "nothing was spent" in str(found)


def test_bounds_can_be_bought():
    bought = mehler.Schema({**SCHEMA.columns, "age": mehler.integer(mehler.BUY)})
    given = pandas.concat([table("pandas")] * 50)
    made = mehler.release(given, schema=bought, epsilon=20, delta=1e-6, buy_share=0.3)
    assert made.schema.columns["age"].bounds != mehler.BUY
    with pytest.raises(mehler.TableError, match="read once"):
        mehler.release(table("pyarrow").to_reader(), schema=bought, epsilon=20, delta=1e-6)
    with pytest.raises(mehler.ArgumentError, match="leaves none"):
        mehler.release(given, schema=SCHEMA, epsilon=20, delta=1e-6, buy_share=0.3)
