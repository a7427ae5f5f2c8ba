"""Options of method marginals, what inspect tells of its releases, and who may use which option."""

import pytest
from test_release import inspected

GIVEN = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6"]


@pytest.fixture
def parts_of(run, release, assert_done):
    """parts_of(*options): the parts of the release that these options give, by name."""

    def make(*options, **more):
        assert_done(release(*options, **more))
        return {part["name"]: part for part in inspected(run)["parts"]}

    return make


def test_two_rounds_are_the_default(parts_of):
    # How many finer looks there are, up to three, depends on what the first finds.
    names = [name for name in parts_of("--triples", "off", epsilon="100") if not name[:-1].endswith("finer look ")]
    assert names == [
        "number of records",
        "columns, round 1",
        "values within ranges",
        "pairs of columns, round 1",
        "pairs of columns, round 2",
        "all",
    ]


def test_one_round_spends_the_same_in_one_go(parts_of):
    two, one = parts_of("--triples", "off", epsilon="10"), parts_of("--rounds", "1", epsilon="10")
    assert "pairs of columns, round 2" not in one
    assert one["all"]["mu_squared"] == pytest.approx(two["all"]["mu_squared"], rel=1e-9)
    pairs = sum(two[f"pairs of columns, round {number}"]["mu_squared"] for number in (1, 2))
    assert one["pairs of columns, round 1"]["mu_squared"] == pytest.approx(pairs, rel=0.2)


def test_pairs_with_a_rare_class_are_measured_more_precisely(run, study, release, assert_done):
    names = [f"x{number}" for number in range(44)]
    columns = [{"name": name, "kind": "categorical", "categories": [0, 1]} for name in names]
    schema = {"mehler_schema": 1, "relation": "replace-one", "target": "x43", "columns": columns}
    study.write_schema(schema=schema)
    shares = []
    # Of 2,000. With so many pairs the noise of a cell of one with the target is about 20, that of the
    # classes' own counts 16: 3 records seem to be 97 once in 5 * 10^8 times.
    for rare in (1000, 3):
        rows = [[row >> place % 11 & 1 for place in range(43)] + [int(row < rare)] for row in range(2000)]
        study.write_table(rows=rows, columns=names)
        assert_done(release(epsilon="2"))
        pairs = [
            block
            for block in inspected(run)["blocks"]
            if " x " in block["name"] and block["name"].endswith("(round 1)")
        ]
        of_target = sum(block["mu_squared"] for block in pairs if "x43" in block["name"])
        shares.append(of_target / sum(block["mu_squared"] for block in pairs))
        (study.folder / "out.release").unlink()
    assert shares[0] == pytest.approx(43 * 4 / (43 * 4 + 903))
    assert 1.15 * shares[0] < shares[1] < 0.5 + 1e-9


LOOK, MEASURED = "triples of columns, first look", "triples of columns, round 2"


def write_exclusive_or(study, rows=2000):
    """Three columns of which no pair tells anything, and two of them the third; and one more."""
    values = [(n & 1, n >> 1 & 1, (n ^ n >> 1) & 1, n % 3) for n in range(rows)]
    study.write_table(rows=values, columns=list("abcd"))
    columns = [{"name": name, "kind": "categorical", "categories": [0, 1]} for name in "abc"]
    columns.append({"name": "d", "kind": "categorical", "categories": [0, 1, 2]})
    study.write_schema(schema={"mehler_schema": 1, "relation": "add-remove-one", "columns": columns})


@pytest.mark.parametrize(
    "triples, is_measured",
    [(["--triples"], True), (["--triples", "on"], True), (["--triples", "off"], False)],
)
def test_triples_tell_what_no_pair_does(run, study, assert_done, triples, is_measured):
    # The contrast of a x b x c is 2000 / sqrt(8) = 707; its noise has a standard deviation of about
    # 30 (the first look alone: 5 % of mu^2 = .058 among 4 triples at a cost of 1/8 and 1/6). 15 % of
    # the records on the wrong side would be 7 standard deviations: below 1e-11.
    write_exclusive_or(study)
    assert_done(run("synth", "study.csv", *GIVEN, *triples, "-o", "out.csv"))
    lines = (study.folder / "out.csv").read_text().splitlines()[1:]
    agree = sum(int(a) ^ int(b) == int(c) for a, b, c, _ in (line.split(",") for line in lines)) / len(lines)
    assert agree > 0.85 if is_measured else 0.3 < agree < 0.7
    parts = {part["name"]: part for part in inspected(run, "out.release")["parts"]}
    assert (LOOK in parts) == is_measured
    assert ("triples" in " ".join(parts)) == is_measured


def test_triples_by_their_rule(run, study, parts_of):
    write_exclusive_or(study)
    assert LOOK not in parts_of(epsilon="1")
    parts = parts_of("--triples", "auto", epsilon="3")
    assert parts[LOOK]["mu_squared"] == pytest.approx(0.05 * parts["all"]["mu_squared"], rel=1e-6)
    assert LOOK not in parts_of("--rounds", "1", epsilon="3")


@pytest.mark.parametrize(
    "options, words",
    [
        (["--triples", "sometimes"], ["--triples", "auto, on, off", "sometimes"]),
        (["--triples", "on", "--rounds", "1"], ["triples", "2 rounds"]),
    ],
)
def test_triples_refuse(release, assert_refused, options, words):
    assert_refused(release(*options), *words)


@pytest.mark.parametrize(
    "protected",
    [
        {"relation": "add-remove-one"},
        {"relation": "replace-one"},
        {"relation": "add-remove-one", "privacy_unit": {"column": "person", "max_rows": 2}},
    ],
)
def test_parts_and_blocks_add_up_to_the_total(run, parts_of, study, protected):
    study.write_schema(schema={**study.schema, **protected})
    parts = parts_of()
    told = inspected(run)
    total = told["privacy"]["mu"] ** 2
    assert parts.pop("all")["mu_squared"] == pytest.approx(total, rel=1e-12)
    for amount in ("mu_squared", "blocks", "numbers"):
        of_blocks = {
            "mu_squared": sum(block["mu_squared"] for block in told["blocks"]),
            "blocks": len(told["blocks"]),
            "numbers": sum(block["features"] for block in told["blocks"]),
        }[amount]
        assert sum(part[amount] for part in parts.values()) == pytest.approx(of_blocks, rel=1e-12)
    for block in told["blocks"]:
        expected = (block["sensitivity"] / block["sigma"]) ** 2
        assert block["mu_squared"] == pytest.approx(expected, rel=1e-12)
    assert told["privacy"]["rederived_epsilon"] == pytest.approx(1, rel=1e-9)
    assert ("number of records" in parts) == (protected["relation"] == "add-remove-one")


def test_inspect_says_the_same_of_parts_in_words_and_in_json(run, parts_of):
    parts = parts_of()
    lines = run("inspect", "out.release").stdout.splitlines()
    for name, part in parts.items():
        line = next(line.strip() for line in lines if line.strip().startswith(name))
        words = line.removeprefix(name).split()
        share = part["mu_squared"] / parts["all"]["mu_squared"]
        numbers = [f"{part['blocks']:,}", f"{part['numbers']:,}"]
        assert words == [*numbers, f"{part['mu_squared']:.6g}", f"{100 * share:.2f}%"]


def test_inspect_lists_many_blocks_only_when_asked(run, release, assert_done):
    assert_done(release())
    blocks = [block["name"] for block in inspected(run)["blocks"]]
    assert len(blocks) > 20
    short, long = (run("inspect", "out.release", *more).stdout for more in ([], ["--blocks"]))
    assert f"{len(blocks)} blocks" in short and "--blocks" in short
    assert not any(name in short for name in blocks if " x " in name)
    assert all(f"  {name}  " in long for name in blocks)


def test_a_public_number_of_records_is_met(run, study, assert_done):
    study.write_schema(schema={**study.schema, "relation": "replace-one"})
    assert_done(run("synth", "study.csv", *GIVEN, "-o", "out.csv"))
    assert len((study.folder / "out.csv").read_text().splitlines()) == 201


def test_pairs_with_the_target_get_what_their_weight_says(run, study, release, assert_done):
    # Categories: cells of numbers would follow the noise.
    study.write_table(rows=[(n % 2, n % 3, n // 2 % 2, n // 3 % 3) for n in range(2000)], columns=list("abcd"))
    columns = [{"name": name, "kind": "categorical", "categories": [0, 1, 2]} for name in "abcd"]
    study.write_schema(schema={"mehler_schema": 1, "relation": "add-remove-one", "target": "d", "columns": columns})

    def share_of_target(weight):
        assert_done(release("--rounds", "1", "--target-weight", weight, epsilon="5"))
        pairs = [block for block in inspected(run)["blocks"] if " x " in block["name"]]
        assert len(pairs) == 6
        with_target = [block for block in pairs if block["name"].split(" (")[0].endswith(" x d")]
        assert len(with_target) == 3
        return sum(map(mu_squared, with_target)) / sum(map(mu_squared, pairs))

    def mu_squared(block):
        return block["mu_squared"]

    one, eight = share_of_target("1"), share_of_target("8")
    assert eight == pytest.approx(8 * one / (8 * one + 1 - one), rel=1e-6)


# What is refused.


@pytest.mark.parametrize(
    "option,values,words",
    [
        ("--rounds", ["0", "3", "-1", "two", "1.5", ""], ["--rounds", "1 to 2"]),
        ("--memory", ["0", "9", "-1", "all", "1e9", ""], ["--memory", "10 to 1000000"]),
        ("--target-weight", ["0", "-1", "101", "nan", "inf"], ["[0.01, 100]"]),
        ("--target-weight", ["heavy", ""], ["--target-weight", "number"]),
    ],
)
def test_an_impossible_value_is_refused(release, assert_refused, option, values, words):
    for value in values:
        assert_refused(release(option, value), *words, value)


@pytest.mark.parametrize(
    "options",
    [
        ["--order", "5"],
        ["--kernel", "sum"],
        ["--product", "age,region"],
        ["--sensitivity", "published"],
        ["--weight", "age=2"],
    ],
)
def test_options_of_dp_hp_are_refused_with_the_way_out(release, assert_refused, options):
    assert_refused(
        release(*options),
        f"{options[0]} belongs to method dp-hp",
        "the method here is marginals",
        "add --method dp-hp, or leave the option out",
    )


@pytest.mark.parametrize("options", [["--epochs", "3"], ["--gamma", "1"], ["--class-rate=ill=2"]])
def test_training_options_of_dp_hp_are_refused_before_the_budget_is_spent(run, assert_refused, options):
    assert_refused(
        run("synth", "study.csv", *GIVEN, *options, "-o", "out.csv"),
        f"{options[0].split('=')[0]} belongs to method dp-hp",
        "add --method dp-hp",
        output="out.csv",
    )


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("option", ["--rounds", "--target-weight", "--memory"])
def test_options_of_mehler_are_refused_with_dp_hp(release, assert_refused, option):
    assert_refused(release(option, "1"), f"{option} belongs to method marginals", "the method here is dp-hp")


@pytest.mark.parametrize("options", [["--epochs", "3"], ["--one-product-per-epoch"]])
def test_training_options_are_refused_for_a_release_of_counts(run, model, assert_refused, options):
    assert_refused(
        run("train", "study.release", *options, "-o", "new.mehler"),
        f"{options[0]} belongs to method dp-hp",
        "the release is of method marginals",
        "leave the option out",
        output="new.mehler",
    )


def test_a_fit_cannot_be_resumed(run, model, assert_refused):
    assert_refused(
        run("train", "study.release", "--resume", "-o", "new.mehler"),
        "--resume",
        "made in one go",
        output="new.mehler",
    )
