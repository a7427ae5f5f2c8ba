"""Product and combined kernels, and the paper's rules for sensitivity and noise."""

import csv
import json
import math
import re

import pytest
from test_release import inspected, payload

pytestmark = pytest.mark.method("dp-hp")

COMBINED = ["--kernel", "combined"]
PUBLISHED = [*COMBINED, "--accounting", "published"]
FAST = ["--epochs", "1", "--batch", "64", "--threads", "1"]
GRID = 2**34


def columns_of(block):
    return [entry["column"] for entry in block["maps"] if "column" in entry]


def products_of(told):
    return [block for block in told["blocks"] if block["combination"] == "product"]


@pytest.fixture
def released(release, run, assert_done):
    """released(*options, ...): what inspect tells of the release that these options give."""

    def make(*options, **more):
        assert_done(release(*options, **more))
        return inspected(run)

    return make


def test_a_combined_release_has_counts_a_sum_and_the_products(released):
    told = released(*COMBINED, "--product-columns", "3", "--product-subsets", "4")
    assert [block["name"] for block in told["blocks"]] == [
        "count",
        "sum",
        *(f"product_{number}" for number in range(1, 5)),
    ]
    for block in products_of(told):
        assert len(set(columns_of(block))) == 3
        assert not {"outcome", "person"} & set(columns_of(block))
        sizes = {"income": 6, "age": 6, "visit": 6, "region": 4, "smoker": 2}
        assert block["features"] == math.prod(sizes[name] for name in columns_of(block))
        assert block["classes"] == 2
        assert 0.9 < block["sensitivity"] <= 1.001
        assert block["mu_squared"] == pytest.approx((block["sensitivity"] / block["sigma"]) ** 2)
    assert sum(block["share"] for block in told["blocks"]) == pytest.approx(1)


def test_a_product_release_has_no_sum(released):
    told = released("--kernel", "product", "--product-subsets", "1")
    assert [block["name"] for block in told["blocks"]] == ["count", "product_1"]
    assert len(columns_of(told["blocks"][1])) == 2


def test_products_can_be_named_in_any_order_and_beside_drawn_ones(released):
    told = released(
        *(*COMBINED, "--product", "visit,age", "--product", "smoker"),
        *("--product-columns", "2", "--product-subsets", "1"),
    )
    named = [columns_of(block) for block in products_of(told)]
    assert named[:2] == [["visit", "age"], ["smoker"]] and len(named) == 3


def test_one_seed_draws_the_same_columns_and_another_others(released):
    def drawn(*options):
        told = released(*COMBINED, "--product-columns", "2", "--product-subsets", "20", *options)
        return [columns_of(block) for block in products_of(told)]

    assert drawn("--product-seed", "5") == drawn("--product-seed", "5")
    assert drawn("--product-seed", "5") != drawn("--product-seed", "6")
    assert drawn() == drawn("--product-seed", "1")


def test_orders_and_length_scales_can_be_set_for_single_columns(released):
    told = released(
        *COMBINED,
        *["--order", "9", "--order", "age=4", "--length-scale", "visit=0.4"],
        *["--product", "age,income", "--product-order", "3", "--product-order", "income=7"],
        *["--product-length-scale", "0.6", "--product-length-scale", "age=0.5"],
    )
    maps = [
        {entry["column"]: entry for entry in block["maps"] if entry["map"] == "hermite"} for block in told["blocks"]
    ]
    assert {name: entry["order"] for name, entry in maps[1].items()} == {
        "income": 9,
        "age": 4,
        "visit": 9,
    }
    assert maps[1]["visit"]["length_scale"] == 0.4
    assert {name: entry["order"] for name, entry in maps[2].items()} == {"age": 3, "income": 7}
    assert {name: entry["length_scale"] for name, entry in maps[2].items()} == {
        "age": 0.5,
        "income": 0.6,
    }
    assert told["blocks"][2]["features"] == 4 * 8


def test_a_heavier_product_gets_more_of_the_budget(released):
    options = [*COMBINED, "--product", "age,region"]
    light, heavy = (released(*options, "--product-weight", weight)["blocks"][2] for weight in ("1", "100"))
    assert heavy["share"] > 1.5 * light["share"] and heavy["sigma"] < light["sigma"]


def test_inspect_says_the_same_of_products_in_words_and_in_json(run, released):
    told = released(*COMBINED, "--product", "region,visit", "--product-order", "visit=4")
    lines = [line.split() for line in run("inspect", "out.release").stdout.splitlines()]
    block = told["blocks"][2]
    assert [
        "product_1",
        "2",
        "x",
        str(4 * 5),
        f"{block['sensitivity']:.6g}",
        f"{block['sigma']:.6g}",
        f"{100 * block['share']:.2f}%",
        *"region x visit (order 4)".split(),
    ] in lines


@pytest.mark.parametrize("epsilon", ["0.01", "1", "50"])
@pytest.mark.parametrize("kernel", ["product", "combined"])
def test_the_epsilon_rederived_from_products_is_the_one_stated(released, epsilon, kernel):
    told = released("--kernel", kernel, "--product-subsets", "3", epsilon=epsilon, delta="1e-9")
    assert told["privacy"]["rederived_epsilon"] == pytest.approx(float(epsilon), rel=1e-9)


def named(study, *products):
    """The options that name these products, from a file: there may be thousands."""
    (study.folder / "products.json").write_text(json.dumps({"product": products}))
    return [*COMBINED, "--options", "products.json"]


def test_no_more_products_are_drawn_than_there_are(released):
    told = released(*COMBINED, "--product-subsets", "10000")
    drawn = [tuple(columns_of(block)) for block in products_of(told)]
    assert len(drawn) == len(set(drawn)) == math.comb(5, 2)


def test_thousands_of_products_keep_the_budget(released, study):
    told = released(*named(study, *["age,region", "smoker,visit"] * 5000))
    assert len(told["blocks"]) == 10_002
    assert told["privacy"]["rederived_epsilon"] == pytest.approx(1, rel=1e-9)


def test_sums_of_products_are_near_the_true_ones(released, study):
    told = released("--kernel", "product", "--product", "region,smoker", epsilon="1000")
    true = {}
    for row in study.rows:
        key = (row[6], row[3], row[4])
        true[key] = true.get(key, 0) + 1
    keys = [
        (label, region, smoker)
        for label in ("well", "ill")
        for region in ("north", "south", "west", "")
        for smoker in ("false", "true")
    ]
    noisy = [number / GRID for number in payload(study.folder / "out.release")[2:]]
    for key, number in zip(keys, noisy, strict=True):
        assert abs(number - true.get(key, 0)) < 8 * told["blocks"][1]["sigma"]


def test_a_product_keeps_a_dependence_that_the_sum_loses(release, run, study, assert_done):
    """Region and smoker are independent within each class of the sum; here they are equal."""
    rows = study.simulate(4_000)
    for row in rows:
        row[3] = "north" if row[4] == "true" else "south"
    study.write_table("dependent.csv", rows=rows)

    def agreement(*kernel):
        assert_done(release(*kernel, table="dependent.csv", epsilon="100"))
        train = ["train", "out.release", "--epochs", "15", "--batch", "500", "-o", "out.mehler"]
        assert_done(run(*train))
        assert_done(run("sample", "out.mehler", "--rows", "2000", "-o", "out.csv"))
        with open(study.folder / "out.csv", encoding="utf-8") as file:
            drawn = list(csv.DictReader(file))
        return sum((row["region"] == "north") == (row["smoker"] == "true") for row in drawn) / 2000

    assert agreement("--kernel", "sum") < 0.75
    assert agreement(*COMBINED, "--product", "region,smoker") > 0.9


@pytest.mark.parametrize("kernel", ["product", "combined"])
@pytest.mark.parametrize("training", [[], ["--gamma", "0.1", "--one-product-per-epoch"]])
def test_models_train_and_sample_from_products(released, run, study, assert_done, kernel, training):
    released("--kernel", kernel, "--product-subsets", "3", "--product-columns", "3", epsilon="10")
    assert_done(run("train", "out.release", *FAST, *training, "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "300", "-o", "out.csv"))
    with open(study.folder / "out.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 300 and list(rows[0]) == study.columns[1:]
    assert {row["region"] for row in rows} <= {"north", "south", "west", ""}


# The paper's rules.


def test_the_published_sensitivity_is_larger_and_so_is_the_noise(released):
    options = [*COMBINED, "--product", "age,region"]
    own, published = released(*options), released(*options, "--sensitivity", "published")
    assert own["privacy"]["sensitivity_rule"] == "certified"
    assert published["privacy"]["sensitivity_rule"] == "published"
    for ours, theirs in zip(own["blocks"][1:], published["blocks"][1:], strict=True):
        assert theirs["sensitivity"] >= ours["sensitivity"]
    assert published["blocks"][2]["sensitivity"] > own["blocks"][2]["sensitivity"]
    assert published["privacy"]["rederived_epsilon"] == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("share", [[], ["--product-share", "0.5"], ["--product-share", "0.001"]])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
def test_the_published_accounting_keeps_its_budget_and_says_what_it_spends(run, released, share, epsilon):
    told = released(*PUBLISHED, "--product-subsets", "3", *share, epsilon=epsilon)
    privacy = told["privacy"]
    assert privacy["accounting_rule"] == "published" and privacy["epsilon"] == float(epsilon)
    assert 0 < privacy["rederived_epsilon"] < float(epsilon)
    stated = re.search(r"the same noise gives epsilon ([0-9.e-]+)\.", privacy["in_words"])
    # Four digits, rounded up: never less than is spent.
    assert 1 <= float(stated[1]) / privacy["rederived_epsilon"] < 1.001
    text = " ".join(run("inspect", "out.release").stdout.split())
    assert stated[0] in text and "within what is stated" in text and "It matches" not in text


def test_the_share_of_products_is_theirs(released):
    """Each class of blocks alone spends less than its share of epsilon says."""
    options = [*PUBLISHED, "--product-subsets", "2", "--product-share"]
    small, large = (sum(block["share"] for block in products_of(released(*options, share))) for share in ("0.1", "0.6"))
    assert small < 0.1 < 0.3 < large


def test_the_rules_are_told_of_a_release_without_products(released):
    told = released("--kernel", "sum", "--accounting", "published", "--sensitivity", "published")
    assert told["privacy"]["accounting_rule"] == "published"
    assert told["privacy"]["rederived_epsilon"] == pytest.approx(1, rel=1e-9)


def test_synth_takes_products(run, study, assert_done):
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6"]
    given += ["--method", "dp-hp"]
    result = run("synth", "study.csv", *given, *COMBINED, *FAST, "--gamma", "1", "-o", "out.csv")
    assert_done(result)
    assert result.new_files == {"out.csv", "out.release", "out.mehler"}
    assert [block["name"] for block in inspected(run)["blocks"]][2] == "product_1"


# What is refused.


@pytest.mark.parametrize("columns", ["6", "1000"])
def test_a_product_of_more_columns_than_there_are_is_refused(release, assert_refused, columns):
    assert_refused(release(*COMBINED, "--product-columns", columns), f"over {columns} columns", "1 to 5")


@pytest.mark.parametrize(
    "option,values",
    [
        ("--product-columns", ["0", "-1", "two", "2.5", "1001", ""]),
        ("--product-subsets", ["0", "-1", "many", "1.5", "10001"]),
        ("--product-seed", ["-1", "x", "0.5", str(2**64)]),
        ("--product-order", ["0", "1001", "2.5", "nan", "-3", "x"]),
        ("--order", ["0", "1001", "2.5", "nan", "inf", "x"]),
    ],
)
def test_a_number_that_is_not_whole_or_out_of_range_is_refused(release, assert_refused, option, values):
    for value in values:
        assert_refused(release(*COMBINED, option, value), option, f"'{value}'", "takes a whole number")


@pytest.mark.parametrize("option", ["--order", "--product-order"])
@pytest.mark.parametrize("order", ["0", "1001", "2.5", "nan", "", "high"])
def test_an_impossible_order_of_one_column_is_refused(release, assert_refused, option, order):
    assert_refused(
        release(*COMBINED, option, f"age={order}"),
        f"{option} of 'age'",
        f"'{order}'",
        "takes a whole number from 1 to 1000",
    )


@pytest.mark.parametrize("option", ["--order", "--product-order"])
@pytest.mark.parametrize("column", ["agee", "region", "outcome"])
def test_an_order_of_a_column_without_one_is_refused(release, assert_refused, option, column):
    assert_refused(release(*COMBINED, option, f"{column}=5"), "an order", f"'{column}'", "numbers", "age")


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf"])
@pytest.mark.parametrize("column", ["", "age="])
def test_a_length_scale_of_products_out_of_range_is_refused(release, assert_refused, scale, column):
    assert_refused(
        release(*COMBINED, "--product-length-scale", column + scale),
        "length scale",
        f"is {scale}",
        "[0.001, 1000]",
    )


@pytest.mark.parametrize("option", ["--order", "--length-scale", "--product-order", "--weight"])
def test_a_value_without_a_column_before_its_sign_is_refused(release, assert_refused, option):
    assert_refused(release(*COMBINED, option, "=2"), option, "'=2'", "NAME=NUMBER")


@pytest.mark.parametrize(
    "option,first,second,words",
    [
        ("--order", "5", "6", "all columns"),
        ("--order", "age=5", "age=5", "'age'"),
        ("--product-length-scale", "age=0.5", "age=0.6", "'age'"),
        ("--weight", "age=2", "age=3", "'age'"),
    ],
)
def test_a_value_given_twice_for_one_column_is_refused(release, assert_refused, option, first, second, words):
    assert_refused(release(*COMBINED, option, first, option, second), option, "twice", words)


def test_products_that_exceed_the_memory_limit_are_refused_with_their_size(release, study, assert_refused):
    assert_refused(
        release(*COMBINED, "--product", "income,age,visit", "--product-order", "500"),
        "'product_1'",
        "2012 MB",
        "1073 MB",
        "fewer columns",
    )
    assert_refused(
        release(*named(study, *["age,income"] * 100), "--product-order", "999"),
        "16 MB besides",
        "1073 MB",
    )
    assert_refused(release(*COMBINED, "--product-columns", "5", "--product-order", "1000"), "1073 MB")


@pytest.mark.parametrize("name", ["agee", "person", "Age"])
def test_a_product_of_an_unknown_column_is_refused(release, assert_refused, name):
    assert_refused(release(*COMBINED, "--product", f"region,{name}"), "product", f"'{name}'", "age")


def test_a_product_of_the_target_is_refused(release, assert_refused):
    assert_refused(release(*COMBINED, "--product", "age,outcome"), "'outcome'", "is the target", "leave it out")


def test_a_product_that_names_a_column_twice_is_refused(release, assert_refused):
    assert_refused(release(*COMBINED, "--product", "age,region,age"), "'age' twice")


@pytest.mark.parametrize("names", ["age,,region", ",age", "age,", "", ","])
def test_a_product_with_an_empty_name_is_refused(release, assert_refused, names):
    assert_refused(release(*COMBINED, "--product", names), "--product", f"'{names}'", "without a name")


@pytest.mark.parametrize("option", ["--product-subsets", "--product-seed"])
def test_options_of_drawn_products_are_refused_where_none_is_drawn(release, assert_refused, option):
    assert_refused(release(*COMBINED, "--product", "age,region", option, "3"), option, "--product-columns")


@pytest.mark.parametrize("weight", ["0", "-1", "nan", "inf"])
def test_an_impossible_weight_of_products_is_refused(release, assert_refused, weight):
    assert_refused(
        release(*COMBINED, "--product-weight", weight),
        "weight of products",
        "greater than 0",
        f"is {weight}",
    )


@pytest.mark.parametrize(
    "option,allowed",
    [
        ("--kernel", ["sum", "product", "combined"]),
        ("--sensitivity", ["certified", "published"]),
        ("--accounting", ["exact", "published"]),
    ],
)
@pytest.mark.parametrize("value", ["pubished", "Sum", ""])
def test_an_unknown_kernel_or_rule_is_refused_with_the_known_ones(release, assert_refused, option, allowed, value):
    assert_refused(release(option, value), option, f"'{value}'", *allowed)


@pytest.mark.parametrize(
    "option,value",
    [
        ("--product", "age,region"),
        ("--product-columns", "2"),
        ("--product-subsets", "2"),
        ("--product-seed", "2"),
        ("--product-order", "3"),
        ("--product-length-scale", "0.2"),
        ("--product-weight", "2"),
        ("--product-share", "0.2"),
    ],
)
def test_product_options_are_refused_with_the_sum_kernel(release, assert_refused, option, value):
    assert_refused(release("--kernel", "sum", option, value), f"{option} is given", "--kernel sum", "--kernel combined")


@pytest.mark.parametrize("option,value", [("--order", "9"), ("--length-scale", "1"), ("--weight", "age=2")])
def test_options_of_the_sum_are_refused_with_the_product_kernel(release, assert_refused, option, value):
    assert_refused(
        release("--kernel", "product", option, value),
        f"{option} is given",
        "--kernel product",
        "--kernel combined",
    )


@pytest.mark.parametrize("share", ["0", "1", "nan", "-0.1", "2", "inf"])
def test_an_impossible_share_of_products_is_refused(release, assert_refused, share):
    assert_refused(release(*PUBLISHED, "--product-share", share), "share", "between 0 and 1", f"is {share}")


def test_a_share_of_products_needs_the_published_accounting(release, assert_refused):
    assert_refused(
        release(*COMBINED, "--product-share", "0.2"),
        "--product-share",
        "--accounting published",
        "--product-weight",
    )


def test_a_weight_of_products_needs_the_exact_accounting(release, assert_refused):
    assert_refused(
        release(*PUBLISHED, "--product-weight", "2"),
        "--product-weight",
        "--accounting exact",
        "--product-share",
    )


# What nobody asked for.


def test_pairs_of_columns_are_measured_without_being_asked_for(released):
    told = released()
    products = products_of(told)
    assert len(products) == 10  # all pairs of five columns
    assert all(len(columns_of(block)) == 2 for block in products)


def test_a_table_with_one_column_besides_the_target_has_no_products(run, release, study, assert_done):
    schema = json.loads((study.folder / "study.schema.json").read_text())
    for column in schema["columns"]:
        if column["name"] not in ("age", schema["target"]):
            column["kind"] = "ignored"
    study.write_schema("one.json", schema)
    assert_done(release(schema="one.json"))
    assert [block["name"] for block in inspected(run)["blocks"]] == ["count", "sum"]
