"""Method marginals on tables that ask much of it: few columns, records, values; many; rare ones."""

import csv
import random
import statistics

import pytest
from test_release import inspected
from test_synth import assert_fits, read

AB = {"name": "x", "kind": "categorical", "categories": ["a", "b"]}


def categorical(name, categories, **more):
    return {"name": name, "kind": "categorical", "categories": list(categories), **more}


def integer(name, low, high, **more):
    return {"name": name, "kind": "integer", "bounds": [low, high], **more}


@pytest.fixture
def chance():
    return random.Random(7)


@pytest.fixture
def synth_of(run, study):
    """synth_of(columns, rows, *options, ...): `mehler synth` of a table, to out.parquet."""

    def make(columns, rows, *options, epsilon="1", table="table.csv", stdin=None, **keys):
        study.write_schema("table.json", {"mehler_schema": 1, **keys, "columns": columns})
        study.write_table("table.csv", rows=rows, columns=[column["name"] for column in columns])
        given = ["--schema", "table.json", "--epsilon", epsilon, "--delta", "1e-6"]
        return run("synth", table, *given, *options, "--force", "-o", "out.parquet", stdin=stdin)

    return make


@pytest.fixture
def records_of(synth_of, study, assert_done):
    """records_of(columns, rows, ...): its records as lists; all of them fit the schema."""

    def make(columns, rows, *options, **more):
        assert_done(synth_of(columns, rows, *options, **more))
        table = read(study.folder / "out.parquet")
        assert_fits(table, {"columns": columns})
        return [list(record.values()) for record in table.to_pylist()]

    return make


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
def test_a_table_without_records_goes_through(records_of, epsilon):
    """The noisy number of records is of either sign; nothing but noise is to be seen."""
    columns = [AB, integer("n", 0, 999, missing=True), categorical("c", map(str, range(150)))]
    for _ in range(5):
        records_of(columns, [], epsilon=epsilon)


def share(records, is_meant):
    return sum(map(is_meant, records)) / len(records)


@pytest.mark.parametrize(
    "column,values",
    [
        (AB, ["a", "b", "b"]),
        (integer("n", 0, 999), [5, 5, 700]),
        ({"name": "n", "kind": "numeric", "bounds": [0, 1]}, [0.25, 0.5, 1]),
        ({"name": "d", "kind": "date", "bounds": ["2020-01-01", "2020-12-31"]}, ["2020-02-29"] * 3),
    ],
)
def test_one_column_alone(records_of, run, study, assert_done, column, values):
    records = records_of([column], [[value] for value in values * 300])
    assert abs(len(records) - 900) < 200  # 8 deviations of the noisy count
    assert_done(run("sample", "out.mehler", "--rows", "2000", "-o", "more.csv"))
    condition = f"{column['name']}={values[0]}"
    assert_done(run("sample", "out.mehler", "--rows", "9", "--where", condition, "-o", "some.csv"))
    with open(study.folder / "some.csv", newline="") as file:
        assert list(csv.reader(file))[1:] == [[str(values[0])]] * 9


def test_a_category_with_one_value_is_that_value(records_of, run, assert_done, chance):
    rows = [["only", chance.choice("ab")] for _ in range(500)]
    records = records_of([categorical("k", ["only"]), AB], rows)
    assert {record[0] for record in records} == {"only"}
    for options in (["--rows", "2000"], ["--where", "k=only"], ["--where", "x=a"]):
        assert_done(run("sample", "out.mehler", *options, "-o", "more.csv"))


@pytest.mark.parametrize("relation", ["add-remove-one", "replace-one"])
def test_a_schema_with_nothing_to_measure_is_refused_before_records_are_read(synth_of, assert_refused, relation):
    columns = [categorical("k", ["only"])]
    result = synth_of(columns, [], table="-", stdin="no,such\n", relation=relation)
    assert_refused(result, "single possible value", "declare more values", output="out.parquet")


def test_an_integer_that_is_always_the_same_stays_so(records_of, chance):
    rows = [[7, chance.choice("ab")] for _ in range(2000)]
    records = records_of([integer("k", 0, 100), AB], rows)
    assert share(records, lambda record: record[0] == 7) > 0.9  # 0.983, deviation 0.01


def test_columns_that_are_always_missing_stay_so(records_of, chance):
    columns = [integer("k", 0, 100, missing=True), categorical("c", "ab", missing=True), AB]
    records = records_of(columns, [["", "", chance.choice("ab")] for _ in range(2000)])
    for place in (0, 1):
        # The smaller of both is 0.99, with deviation 0.005.
        assert share(records, lambda record, place=place: record[place] is None) > 0.95


def test_two_identical_columns_stay_identical(records_of, chance):
    columns = [categorical("x", "abcde"), categorical("y", "abcde")]
    values = [chance.choice("abcde") for _ in range(2000)]
    records = records_of(columns, [[value, value] for value in values])
    assert share(records, lambda record: record[0] == record[1]) > 0.93  # 0.989, deviation 0.008


def test_columns_of_500_values_in_one_to_one_correspondence_mostly_stay_so(records_of, chance):
    columns = [categorical("x", map(str, range(500))), categorical("y", map(str, range(500)))]
    values = [min(499, int(chance.expovariate(1 / 80))) for _ in range(20_000)]
    records = records_of(columns, [[value, value * 7 % 500] for value in values])
    # 0.76 at this noise, with deviation 0.01; were they independent, it would be 0.006.
    assert share(records, lambda record: int(record[0]) * 7 % 500 == int(record[1])) > 0.6


def test_three_records_are_enough(records_of, run, assert_done):
    columns = [{"name": "k", "kind": "numeric", "bounds": [0, 100]}, AB]
    records_of(columns, [[1, "a"], [2, "b"], [3, "a"]])
    assert_done(run("sample", "out.mehler", "--rows", "500", "-o", "more.csv"))


def test_a_noisy_count_below_one_gives_one_record(records_of, run, assert_done):
    columns = [integer("k", 0, 100, missing=True), categorical("c", map(str, range(500))), AB]
    rows = [[1, "1", "a"], ["", "2", "b"], [3, "3", "a"]]
    for _ in range(5):  # half of the counts are below 1
        records = records_of(columns, rows, epsilon="0.01")
        assert len(records) == max(1, round(inspected(run)["records"]["count"]))
        assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "more.csv"))


@pytest.mark.parametrize("epsilon", ["0.001", "100"])
def test_a_tiny_and_a_large_epsilon_give_records(records_of, run, assert_done, epsilon, chance):
    columns = [integer("n", 0, 59), AB, {"name": "k", "kind": "numeric", "bounds": [-1, 1]}]
    rows = [[i % 60, "ab"[i % 60 > 30], chance.uniform(-1, 1)] for i in range(2000)]
    records = records_of(columns, rows, epsilon=epsilon, target="x")
    if epsilon == "100":  # and so hardly any noise
        assert abs(len(records) - 2000) < 10
        assert share(records, lambda record: (record[0] > 32) == (record[1] == "b")) > 0.9
    assert_done(run("sample", "out.mehler", "--rows", "5000", "-o", "more.csv"))


@pytest.mark.parametrize("value", ["a", "b"])
def test_a_condition_on_a_table_of_one_record_is_met(records_of, run, assert_done, value):
    records_of([AB], [["a"]], epsilon="0.1", relation="replace-one")
    where = ["--rows", "9", "--where", f"x={value}"]
    assert_done(run("sample", "out.mehler", *where, "-o", "some.csv"))


def test_a_condition_that_contradicts_the_model_is_refused(records_of, run, chance, assert_refused):
    columns = [categorical("x", "abcde"), categorical("y", "abcde")]
    values = [chance.choice("abcde") for _ in range(2000)]
    # The noise of a pair's cell is some hundredths of a record: none seems to be where there are none.
    records_of(columns, [[value, value] for value in values], epsilon="1000")
    where = ["--where", "x=a", "--where", "y=b"]
    assert_refused(
        run("sample", "out.mehler", "--rows", "9", *where, "-o", "out.csv"),
        "hardly any record meets the conditions",
        "loosen",
        output="out.csv",
    )


# Wide tables and columns of many categories.


def test_a_table_too_wide_for_the_memory_is_refused_before_records_are_read(synth_of, assert_refused):
    columns = [categorical(f"c{number}", "ab") for number in range(200)]
    result = synth_of(columns, [], "--memory", "10", table="-", stdin="no,such,columns\n1,2,3\n")
    assert_refused(result, "200 columns", "limit of 10 MB", "--memory", "ignore columns", output="out.parquet")


def test_a_small_memory_limit_leaves_columns_fewer_cells(records_of, run, chance):
    columns = [categorical(f"c{number}", map(str, range(60))) for number in range(20)]
    rows = [[chance.randrange(60) for _ in columns] for _ in range(1000)]
    sizes = {}
    for memory in ("10", "2000"):
        records_of(columns, rows, "--rounds", "1", "--memory", memory, epsilon="1000")
        blocks = inspected(run)["blocks"]
        sizes[memory] = sum(block["features"] for block in blocks if len(block.get("cells", [])) == 2)
    assert sizes["10"] * 64 < 10_000_000 < sizes["2000"] * 64


def test_200_columns(records_of, chance):
    columns = [categorical(f"c{number}", "abcd") for number in range(200)]
    rows = [[chance.choice("abcd") for _ in columns] for _ in range(500)]
    assert abs(len(records_of(columns, rows, target="c7")) - 500) < 200


def test_a_wide_table_of_numbers_is_released_as_moments_and_sampled(records_of, run, chance, assert_done):
    columns = [integer(f"n{number}", 0, 99, missing=number % 5 == 0) for number in range(120)]
    columns += [categorical("kind", "abc"), categorical("one", ["only"]), categorical("label", ["no", "yes"])]
    rows = [[chance.randrange(100) for _ in range(120)] + [chance.choice("abc"), "only", "no"] for _ in range(400)]
    for row in rows:
        row[-1] = "yes" if row[1] + row[2] > 100 else "no"
    records = records_of(columns, rows, target="label", never=[{"label": "yes", "kind": "a"}])
    assert abs(len(records) - 400) < 200
    assert not any(record[-1] == "yes" and record[120] == "a" for record in records)
    names = {block["name"] for block in inspected(run)["blocks"]}
    assert {"lengths", "mean", "scatter", "teacher, round 20", "class means", "loadings"} <= names
    where = ["--where", "label=yes", "--where", "n1>=50"]
    assert_done(run("sample", "out.mehler", "--rows", "50", *where, "-o", "some.parquet"))


@pytest.mark.parametrize("count", [10_000, 70_000])
def test_a_column_of_very_many_categories_keeps_its_frequent_ones(records_of, chance, count):
    columns = [categorical("c", map(str, range(count))), AB]
    rows = [[count - 1 - number % 8, "ab"[number % 8 < 4]] for number in range(8000)]
    records = records_of(columns, rows)
    # Each has an eighth; all noise together takes less than a tenth.
    frequent = [record for record in records if int(record[0]) >= count - 8]
    assert len(frequent) > 0.9 * len(records)
    # The first four of the eight go with b.
    goes_with_b = [record[1] == "b" for record in frequent if count - 1 - int(record[0]) < 4]
    assert sum(goes_with_b) > 0.9 * len(goes_with_b) > 1000


@pytest.mark.parametrize("count", [500, 10_000, 70_000])
def test_a_column_of_rare_categories_alone_is_drawn_by_itself(records_of, run, assert_done, chance, count):
    """No category has enough records for a pair, and none is measured."""
    columns = [categorical("c", map(str, range(count))), AB, integer("n", 0, 9)]
    rows = [[chance.randrange(count), chance.choice("ab"), number % 10] for number in range(300)]
    records = records_of(columns, rows, epsilon="0.3")
    assert len({record[0] for record in records}) > 2
    assert not any("c x" in block["name"] for block in inspected(run)["blocks"])
    for options in (["--rows", "3000"], ["--rows", "9", "--where", "c=77"]):
        assert_done(run("sample", "out.mehler", *options, "-o", "more.csv"))


# What must survive the noise.


def test_a_rare_class_survives(records_of, chance):
    """0.5% of 40,000 records; 200 of them, with a deviation of 20: fails once in 10^8 times."""

    def row(number):
        positive = number % 200 == 0
        risk = "ab"[chance.random() < (0.9 if positive else 0.1)]
        return ["ab"[positive], risk, round(chance.gauss(70 if positive else 40, 9)), number % 3]

    columns = [categorical("t", "ab"), AB, integer("n", 0, 120), categorical("z", "012")]
    records = records_of(columns, [row(number) for number in range(40_000)], target="t")
    positives = [record for record in records if record[0] == "b"]
    assert 80 < len(positives) < 320
    # What tells them from the others, too: 0.9 and 0.1; the deviation of the first is 0.06.
    assert share(positives, lambda record: record[1] == "b") > 0.5
    assert sum(record[2] for record in positives) / len(positives) > 55


def test_a_value_that_most_records_have_comes_back_exactly_and_as_often(records_of, chance):
    """Deviations over runs are 0.006 for the zeros and 0.003 for missing values."""

    def row():
        gain = 0 if chance.random() < 0.8 else round(chance.expovariate(1 / 5000)) % 100_000
        weight = "" if chance.random() < 0.3 else f"{chance.gauss(50, 9):.1f}"
        return [gain, weight, chance.choice("ab")]

    weight = {"name": "w", "kind": "numeric", "bounds": [0, 100], "decimals": 1, "missing": True}
    records = records_of([integer("g", 0, 99_999), weight, AB], [row() for _ in range(5000)])
    assert share(records, lambda record: record[0] == 0) == pytest.approx(0.8, abs=0.06)
    assert share(records, lambda record: record[1] is None) == pytest.approx(0.3, abs=0.04)


# Odd tables, with a column of every kind.

MOMENT = "2024-05-06T07:08:00"
EVERY_KIND = [
    {"name": "sum", "kind": "numeric", "bounds": [0, 1000], "decimals": 2, "missing": True},
    {"name": "real", "kind": "numeric", "bounds": [-1, 1], "missing": True},
    integer("count", 0, 1000, missing=True),
    categorical("c", "abc", missing=True),
    {"name": "stage", "kind": "ordinal", "categories": ["I", "II", "III"], "missing": True},
    {"name": "flag", "kind": "boolean", "missing": True},
    {"name": "day", "kind": "date", "bounds": ["2020-01-01", "2024-12-31"], "missing": True},
    {"name": "at", "kind": "datetime", "bounds": ["2024-01-01T00:00:00", "2024-12-31T00:00:00"], "missing": True},
    categorical("t", "ab"),
]


def row_of_every_kind(chance):
    numbers = [f"{chance.uniform(0, 1000):.2f}", chance.uniform(-1, 1), chance.randrange(1001)]
    labels = [chance.choice("abc"), chance.choice(["I", "II", "III"]), chance.choice(["true", "false"])]
    return [*numbers, *labels, f"2021-03-{chance.randrange(1, 31):02}", MOMENT, chance.choice("ab")]


@pytest.fixture
def every_kind(records_of, run, assert_done):
    """every_kind(rows, ...): synthetic records; further ones can be drawn, too."""

    def make(rows, **more):
        records = records_of(EVERY_KIND, rows, target="t", **more)
        assert records
        assert_done(run("sample", "out.mehler", "--rows", "50", "--seed", "2", "--quiet", "-o", "more.csv"))
        return records

    return make


@pytest.mark.parametrize("epsilon", ["0.001", "1", "1000"])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_hardly_any_records_of_every_kind_go_through(every_kind, chance, count, epsilon):
    records = every_kind([row_of_every_kind(chance) for _ in range(count)], epsilon=epsilon)
    if epsilon == "1000":  # the noise of the count has a deviation of 0.15: 10 of them
        assert abs(len(records) - max(count, 1)) < 2


def test_a_noisy_count_below_one_gives_a_record_of_every_kind(every_kind, run):
    """All of 40 counts are above 1 once in 10^12 times."""
    for _ in range(40):
        every_kind([], epsilon="0.001")
        if inspected(run)["records"]["count"] < 1:
            return
    raise AssertionError("no noisy count was below 1")


def test_equal_records_of_every_kind_come_back(every_kind):
    row = ["12.34", "0.5", 7, "a", "II", "true", "2021-03-04", MOMENT, "a"]
    records = every_kind([row] * 500, epsilon="1000")
    # Of 500 counts a record or two may be noise, whose deviation is 0.1, or of the fit.
    for place, value in ((2, 7), (3, "a"), (4, "II"), (5, True), (8, "a")):
        assert share(records, lambda record, place=place, value=value: record[place] == value) > 0.99

    def is_near(found, wanted, distance):
        return found is not None and abs(found - wanted) < distance  # of those that are noise a value may be missing

    assert share(records, lambda record: is_near(record[0], 12.34, 0.05) and is_near(record[1], 0.5, 0.001)) > 0.99
    assert share(records, lambda record: str(record[6]) == "2021-03-04") > 0.99


def test_a_table_of_missing_values_alone_stays_so(every_kind):
    records = every_kind([[""] * 8 + ["a"]] * 500, epsilon="1000")
    assert share(records, lambda record: record[:8] == [None] * 8) > 0.99


@pytest.mark.parametrize("epsilon,least", [("1", 0.93), ("1000", 0.99)])
def test_two_equal_numbers_stay_close(records_of, chance, epsilon, least):
    """Correlations are 0.985 and 0.997, with deviations of 0.006 and 0.001."""
    columns = [{"name": name, "kind": "numeric", "bounds": [0, 1000], "decimals": 2} for name in "yz"]
    rows = [[f"{value:.2f}"] * 2 for value in (chance.uniform(0, 1000) for _ in range(5000))]
    first, second = zip(*records_of(columns, rows, epsilon=epsilon))
    assert statistics.correlation(first, second) > least


@pytest.mark.parametrize("classes", ["a", "ab"])
def test_a_target_of_one_class_is_that_class(records_of, chance, classes):
    """Noise leaves some of the other class, 10 with a deviation of 13; 100 of 2,000 once in 10^11 times."""
    columns = [integer("n", 0, 99), AB, categorical("t", classes)]
    rows = [[chance.randrange(100), chance.choice("ab"), "a"] for _ in range(2000)]
    records = records_of(columns, rows, target="t")
    assert share(records, lambda record: record[2] == "a") > 0.95


@pytest.mark.parametrize("epsilon", ["1", "1000"])
def test_whole_numbers_that_never_repeat_keep_their_quartiles(records_of, chance, epsilon):
    """5,000 of the numbers to a million; the deviation of a quartile is 2,500 at epsilon 1."""
    rows = [[200 * number, chance.choice("ab")] for number in range(5000)]
    records = records_of([integer("n", 0, 1_000_000), AB], rows, epsilon=epsilon)
    quartiles = statistics.quantiles([record[0] for record in records], n=4)
    assert quartiles == pytest.approx([250_000, 500_000, 750_000], abs=25_000)


def test_little_noise_leaves_records_of_every_kind_as_they_are(every_kind, chance):
    """At epsilon 1000: as many records but for one, and shares of labels but for 1 %."""
    rows = [row_of_every_kind(chance) for _ in range(2000)]
    records = every_kind(rows, epsilon="1000")
    assert abs(len(records) - 2000) < 2
    for place, value in ((3, "a"), (4, "II"), (8, "b")):
        real = share(rows, lambda row, place=place, value=value: row[place] == value)
        found = share(records, lambda record, place=place, value=value: record[place] == value)
        assert found == pytest.approx(real, abs=0.01)
