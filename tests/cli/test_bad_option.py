"""Arguments that cannot be meant: each is refused with its option, its value and the remedy."""

import pytest


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "-inf"])
def test_an_epsilon_out_of_range_is_refused(release, assert_refused, epsilon):
    assert_refused(release(epsilon=epsilon), "epsilon", f"is {epsilon}", "greater than 0")


@pytest.mark.parametrize("epsilon", ["1000001", "1e12", "1e300"])
def test_an_epsilon_that_protects_nothing_is_refused_before_the_table_is_read(release, run, assert_refused, epsilon):
    words = ["epsilon", "at most 1000000", "0.1 to 10 is usual"]
    assert_refused(release(epsilon=epsilon, table="-", stdin="no,such,columns\n"), *words)
    given = ["--schema", "study.schema.json", "--epsilon", epsilon, "--delta", "1e-6"]
    assert_refused(run("synth", "study.csv", *given, "-o", "out.csv"), *words, output="out.csv")


@pytest.mark.parametrize("epsilon", ["one", "1,5", "1x", ""])
def test_an_epsilon_that_is_no_number_is_refused(release, assert_refused, epsilon):
    assert_refused(release(epsilon=epsilon), "--epsilon", f"'{epsilon}'", "number")


def test_a_missing_epsilon_is_refused(release, assert_refused):
    assert_refused(release(epsilon=None), "--epsilon", "required")


@pytest.mark.parametrize("delta", ["0", "-1e-6", "nan", "inf", "1", "2"])
def test_a_delta_out_of_range_is_refused(release, assert_refused, delta):
    assert_refused(release(delta=delta), "delta", "between 0 and 1", "records")


@pytest.mark.parametrize("delta", ["small", "1e", ""])
def test_a_delta_that_is_no_number_is_refused(release, assert_refused, delta):
    assert_refused(release(delta=delta), "--delta", f"'{delta}'", "number")


def test_a_missing_delta_is_refused(release, assert_refused):
    assert_refused(release(delta=None), "--delta", "required")


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("order", ["0", "1001", "1000000000", "-3", "99999999999999999999999"])
def test_an_order_out_of_range_is_refused(release, assert_refused, order):
    assert_refused(release("--order", order), "order", order, "1000")


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("order", ["twenty", "2.5", ""])
def test_an_order_that_is_no_whole_number_is_refused(release, assert_refused, order):
    assert_refused(release("--order", order), "--order", f"'{order}'", "whole number")


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("scale", ["0", "-0.5", "nan", "inf"])
def test_a_length_scale_out_of_range_is_refused(release, assert_refused, scale):
    assert_refused(release("--length-scale", scale), "length scale", f"is {scale}", "[0.001, 1000]")


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("scale", ["0", "-0.5", "nan", "inf"])
def test_a_length_scale_of_one_column_out_of_range_is_refused(release, assert_refused, scale):
    assert_refused(
        release("--length-scale", f"age={scale}"),
        "length scale",
        "'age'",
        f"is {scale}",
        "[0.001, 1000]",
    )


@pytest.mark.method("dp-hp")
def test_a_length_scale_that_is_no_number_is_refused(release, assert_refused):
    assert_refused(release("--length-scale", "wide"), "--length-scale", "number", "'wide'")


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize("column", ["agee", "region"])
def test_a_length_scale_of_an_unknown_column_is_refused(release, assert_refused, column):
    assert_refused(release("--length-scale", f"{column}=0.2"), "length scale", f"'{column}'", "age")


@pytest.mark.parametrize("threads", ["0", "-1", "100000", "two"])
def test_an_impossible_number_of_threads_is_refused(release, assert_refused, threads):
    assert_refused(release("--threads", threads), "--threads", threads, "1 to 1024")


def test_an_unknown_option_is_refused_with_the_near_name(release, assert_refused):
    assert_refused(release("--ordre", "5"), "unknown option '--ordre'", "'--order'", "--help")
    assert_refused(release("--Quiet"), "unknown option '--Quiet'", "'--quiet'")


def test_an_abbreviated_option_is_refused(release, assert_refused):
    assert_refused(release("--len", "0.2"), "'--len'")


def test_an_unknown_subcommand_is_refused_with_the_near_name(run, assert_refused):
    assert_refused(run("relaese", "study.csv"), "'relaese'", "'release'")
    assert_refused(run("schema", "chek", "study.schema.json"), "'chek'", "'check'")


def test_a_missing_subcommand_is_refused(run, assert_refused):
    assert_refused(run(), "subcommand", "mehler --help")
    assert_refused(run("schema"), "subcommand", "mehler schema --help")


def test_a_missing_table_argument_is_refused(run, assert_refused):
    assert_refused(
        run(
            "release",
            "--schema",
            "study.schema.json",
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
            "-o",
            "out.release",
        ),
        "TABLE",
        "required",
    )


def test_a_missing_schema_option_is_refused(release, assert_refused):
    assert_refused(release(schema=None), "--schema", "required")


def test_a_missing_output_option_is_refused(release, assert_refused):
    assert_refused(release(output=None), "--output", "required")


def test_an_epsilon_given_twice_is_refused(release, assert_refused):
    assert_refused(release("--epsilon", "2"), "--epsilon", "once")


@pytest.mark.parametrize("option", ["--order=5", "--length-scale=1", "--weight=age=2", "--null=?"])
def test_an_option_that_may_be_repeated_does_not_take_the_table(run, study, assert_done, option):
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6"]
    given += ["--method", "dp-hp"]
    words = option.split("=", 1)
    assert_done(run("release", *given, *words, "study.csv", "-o", "out.release"))


@pytest.mark.parametrize("delimiter", [";;", "comma", '"'])
def test_an_impossible_delimiter_is_refused(release, assert_refused, delimiter):
    assert_refused(release("--delimiter", delimiter), "delimiter", "character")


@pytest.mark.parametrize("lines", ["-1", "two", "1.5"])
def test_an_impossible_number_of_lines_to_skip_is_refused(release, assert_refused, lines):
    assert_refused(release("--skip-lines", lines), "--skip-lines", lines, "whole number")


def test_an_unknown_format_is_refused_with_the_known_ones(release, assert_refused):
    assert_refused(release("--format", "xlsx"), "'xlsx'", "csv", "parquet", "arrow")


def test_column_names_beside_a_header_are_refused(release, assert_refused):
    assert_refused(release("--column-names", "a,b"), "--column-names", "--no-header")


def test_too_few_column_names_are_refused(release, study, assert_refused):
    study.write_table("bare.csv", columns=())
    assert_refused(release("--no-header", "--column-names", "a,b", table="bare.csv"), "7 fields", "2")


def test_an_unknown_target_of_a_draft_is_refused_with_the_near_name(run, assert_refused):
    assert_refused(
        run("schema", "init", "study.csv", "--target", "outcom", "-o", "draft.json"),
        "'outcom'",
        "'outcome'",
        output="draft.json",
    )


@pytest.mark.parametrize("command", [[], ["schema"], ["schema", "init"], ["schema", "check"], ["release"], ["inspect"]])
def test_help_goes_to_standard_output(run, assert_done, command):
    result = run(*command, "--help")
    assert_done(result)
    assert "Usage: mehler" in result.stdout and "--help" in result.stdout
