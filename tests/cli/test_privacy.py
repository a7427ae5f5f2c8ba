"""`mehler privacy`: of noise, epsilon and delta two are given and the third is computed."""

import json
import math
import re

import pytest


@pytest.fixture
def answer(run, assert_done):
    """answer(*args): what `mehler privacy ... --json` prints."""

    def make(*args):
        result = run("privacy", *args, "--json")
        assert_done(result)
        return json.loads(result.stdout)

    return make


# Noise multiplier, rate, steps, epsilon at delta 1e-5: by dp_accounting 0.6.0 (privacy loss distributions), whose step of
# 1e-4 adds up to 2e-3 of it. Of the two directions the larger one.
SUBSAMPLED = [
    (1.1, "256/60000", 14063, 2.38178),
    (4, ".01", 10000, 0.94700),
    (1, ".01", 1000, 1.82824),
    (0.7, ".004", 5000, 3.70594),
    (1.232, ".01", 5000, 2.91761),
    (2, ".05", 200, 1.56061),
    (5, "1/300", 20000, 0.32448),
    (3, ".2", 100, 2.97696),
    (1.07, ".001", 20000, 0.60997),
    (0.6, ".001", 1000, 1.42526),
    (10, ".5", 50, 1.37679),
    (1, "1", 1, 4.377178096),
]


@pytest.mark.parametrize("noise, rate, steps, epsilon", SUBSAMPLED)
def test_sampled_steps_have_their_known_epsilon(answer, noise, rate, steps, epsilon):
    found = answer("subsampled", "--noise-multiplier", noise, "--rate", rate, "--steps", steps, "--delta", "1e-5")
    assert epsilon * (1 - 2.1e-3) <= found["epsilon"] <= epsilon * (1 + 4e-5)
    assert found["computed"] == "epsilon" and found["steps"] == steps and found["delta"] == 1e-5


# What the published code of others did, and what it states (docs/comparison.md).
@pytest.mark.parametrize(
    "system, words, epsilon, tolerance",
    [
        (
            "DP-CGAN, 9.6",
            ("subsampled", "--noise-multiplier", ".56", "--rate", "600/55000", "--steps", "30304"),
            65.9,
            0.2,
        ),
        ("DP-CGAN on tables, 0.9", ("gaussian", "--noise-multiplier", ".55", "--count", "38"), 109.8, 0.1),
        (
            "GS-WGAN, 10",
            ("subsampled", "--noise-multiplier", f"{1.07 / math.sqrt(32)}", "--rate", ".001", "--steps", "20000"),
            329.5,
            0.2,
        ),
        (
            "DP-GAN, 9.6",
            ("subsampled", "--noise-multiplier", "2.82", "--rate", "64/5421", "--steps", "1700"),
            0.650,
            0.002,
        ),
        (
            "GS-WGAN, a critic drawn for each image",
            ("replaced", "--noise-multiplier", "1.07", "--rate", "1/1000", "--steps", "640000"),
            5.51,
            0.005,
        ),
        (
            "GS-WGAN, the bound for any critics",
            ("replaced", "--noise-multiplier", f"{1.07 / math.sqrt(32)}", "--rate", "1/1000", "--steps", "20000"),
            346.66,
            0.01,
        ),
        (
            "DP-CGAN, 9.6, had it one norm",
            ("subsampled", "--noise-multiplier", "1.12", "--rate", "600/55000", "--steps", "30304"),
            10.7,
            0.05,
        ),
        ("DP-MERF, 1", ("gaussian", "--noise-multiplier", "5"), 0.7255, 1e-4),
        ("DP-MERF, .2", ("gaussian", "--noise-multiplier", "25"), 0.1254, 1e-4),
        ("DP-MERF on tables, 1", ("gaussian", "--noise-multiplier", "6.93", "--count", "2"), 0.742, 5e-4),
    ],
)
def test_published_settings_have_their_true_epsilon(answer, system, words, epsilon, tolerance):
    assert answer(*words, "--delta", "1e-5")["epsilon"] == pytest.approx(epsilon, abs=tolerance)


@pytest.mark.parametrize(
    "each, mu", [(0.01, 0.00626656788), (0.1, 0.0626629055), (1, 0.623892592), (2, 1.23203539), (4, 2.35796149)]
)
def test_a_choice_has_its_known_mu(answer, each, mu):
    found = answer("selection", "--each", each, "--delta", "1e-5")
    assert found["mu_of_each"] == pytest.approx(mu, rel=1e-8)
    # One alone is no more than its epsilon; many are as Gaussian noise of that mu.
    assert found["epsilon"] == pytest.approx(each, rel=1e-8)
    many = answer("selection", "--each", each, "--count", "200", "--delta", "1e-5")
    noise = ("gaussian", "--noise-multiplier", 1 / found["mu_of_each"], "--count", "200", "--delta", "1e-5")
    assert many["epsilon"] == pytest.approx(answer(*noise)["epsilon"], rel=1e-6)


def test_several_add_their_squares(answer):
    four = answer("gaussian", "--noise-multiplier", "2", "--count", "4", "--delta", "1e-6")
    assert four["epsilon"] == pytest.approx(answer("gaussian", "--noise-multiplier", "1", "--delta", "1e-6")["epsilon"])


@pytest.mark.parametrize(
    "words, strength",
    [
        (("subsampled", "--rate", ".01", "--steps", "2000"), "noise_multiplier"),
        (("replaced", "--rate", ".01", "--steps", "2000"), "noise_multiplier"),
        (("gaussian", "--count", "3"), "noise_multiplier"),
        (("selection", "--count", "14"), "each"),
        (("selection", "--count", "2"), "each"),
    ],
)
def test_a_budget_has_its_noise_and_back(answer, words, strength):
    noise = answer(*words, "--epsilon", "1", "--delta", "1e-5")
    assert noise["computed"] == strength
    option = "--" + strength.replace("_", "-")
    back = answer(*words, option, noise[strength], "--delta", "1e-5")
    assert 0.999 < back["epsilon"] <= 1
    delta = answer(*words, option, noise[strength], "--epsilon", "1")
    assert delta["computed"] == "delta" and delta["delta"] <= 1e-5


def test_the_noise_of_the_default_image_plan(answer):
    """The plan's own 1.847 also pays for counts."""
    found = answer("subsampled", "--epsilon", "1", "--delta", "1e-5", "--rate", "600/60000", "--steps", "2000")
    assert found["noise_multiplier"] == pytest.approx(1.843, abs=0.002)


def test_the_answer_comes_first_in_words(run, assert_done):
    words = ("privacy", "subsampled", "--rate", "600/55000", "--steps", "30304", "--delta", "1e-5")
    result = run(*words, "--noise-multiplier", ".56")
    assert_done(result)
    first, second, *rest = result.stdout.splitlines()
    assert first.startswith("epsilon 65.9") and first.endswith("at delta 1e-05")
    assert second == "noise multiplier 0.56, rate 0.0109091, 30,304 steps"
    assert "added or removed" in " ".join(rest)
    result = run(*words, "--epsilon", "9.6")
    assert_done(result)
    assert result.stdout.startswith("noise multiplier ") and "epsilon 9.6 at delta 1e-05, rate" in result.stdout


@pytest.mark.parametrize(
    "words, name",
    [
        # 3.73063 is what the noise rounds to, and has a delta of 1.0000073e-5.
        (("gaussian", "--epsilon", "1", "--delta", "1e-5"), "--noise-multiplier"),
        # 1.99309, likewise, is less than the noise's epsilon.
        (("gaussian", "--noise-multiplier", "2", "--delta", "1e-5"), "--epsilon"),
        (("gaussian", "--noise-multiplier", "2", "--epsilon", "2"), "--delta"),
        (("selection", "--count", "14", "--epsilon", "1", "--delta", "1e-5"), "--each"),
        (("selection", "--count", "9", "--epsilon", "1", "--delta", "1e-5"), "--each"),
    ],
)
def test_words_are_rounded_to_the_safe_side_too(run, answer, assert_done, words, name):
    """What is printed, taken at its word, is within what it is printed for."""
    result = run("privacy", *words)
    assert_done(result)
    key = name[2:].replace("-", " ")
    shown = result.stdout.split(f"{key} ")[1].split()[0]
    exact = answer(*words)[name[2:].replace("-", "_")]
    assert float(shown) <= exact if name == "--each" else float(shown) >= exact
    assert float(shown) == pytest.approx(exact, rel=2e-5)


@pytest.mark.parametrize(
    "words",
    [
        ("subsampled", "--noise-multiplier", "50", "--rate", ".001", "--steps", "10", "--epsilon", "5"),
        ("subsampled", "--noise-multiplier", "5", "--rate", ".001", "--steps", "10", "--epsilon", "20"),
        ("gaussian", "--noise-multiplier", "1", "--epsilon", "38"),
        ("gaussian", "--noise-multiplier", "2", "--epsilon", "30"),
    ],
)
def test_a_delta_too_small_for_a_number_is_stated_and_is_not_0(run, answer, assert_done, words):
    result = run("privacy", *words)
    assert_done(result)
    shown = float(result.stdout.split("at delta ")[1].split()[0])
    assert 0 < answer(*words)["delta"] <= shown < 1e-300
    assert "is not 0" in " ".join(result.stdout.split()) or shown > 2.3e-308


def test_a_delta_of_0_is_that_of_pure_privacy(run, assert_done):
    result = run("privacy", "selection", "--each", ".1", "--epsilon", "1")
    assert_done(result)
    assert "at delta 0\n" in result.stdout and "is not 0" not in result.stdout


# Bad values

STEPS = {"--noise-multiplier": "1", "--rate": ".01", "--steps": "10", "--delta": "1e-5"}


@pytest.mark.parametrize(
    "option, value, words",
    [
        *(("--noise-multiplier", value, "noise multiplier") for value in ("0", "-1", "nan", "inf")),
        *(("--rate", value, "sampling rate") for value in ("0", "-.1", "1.5", "nan", "1/0", "0/0")),
        ("--rate", "a/b", "--rate"),
        ("--rate", "/", "--rate"),
        *(("--steps", value, "--steps") for value in ("0", "-3", "1.5", "2000000000", "many")),
        *(("--delta", value, "delta") for value in ("0", "1", "-1e-5", "nan", "2")),
    ],
)
def test_a_bad_value_is_refused(run, assert_refused, option, value, words):
    given = [word for pair in (STEPS | {option: value}).items() for word in pair]
    assert_refused(run("privacy", "subsampled", *given), words)


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf"])
def test_a_bad_epsilon_is_refused(run, assert_refused, epsilon):
    for words in (("subsampled", "--rate", ".1", "--steps", "5"), ("gaussian",), ("selection",)):
        assert_refused(run("privacy", *words, "--epsilon", epsilon, "--delta", "1e-5"), "epsilon", epsilon)


@pytest.mark.parametrize(
    "noise, rate, steps, renyi",  # as Renyi accountants with orders from 1.1 to 1024 have it
    [("1.1", "256/60000", 14063, 2.596656), ("4", ".01", 10000, 1.035490), ("3", ".2", 100, 3.253937)],
)
def test_it_says_what_renyi_privacy_alone_gives(run, answer, assert_done, noise, rate, steps, renyi):
    words = ("subsampled", "--noise-multiplier", noise, "--rate", rate, "--steps", steps, "--delta", "1e-5")
    told = answer(*words)
    assert renyi * 0.999 < told["renyi_epsilon"] < renyi * 1.00001  # finer orders find a little less
    assert told["renyi_epsilon"] > told["epsilon"] and 1 < told["renyi_order"] < 64
    said = run("privacy", *words)
    assert_done(said)
    stated = re.search("By Renyi privacy alone, as other accountants have it: epsilon ([0-9.]+)\n", said.stdout)
    assert told["renyi_epsilon"] <= float(stated.group(1)) < told["renyi_epsilon"] * 1.00001


def test_without_sampling_there_is_nothing_to_say_of_renyi_privacy(run, answer):
    words = ("gaussian", "--noise-multiplier", "5", "--delta", "1e-5")
    assert "renyi_epsilon" not in answer(*words) and "Renyi" not in run("privacy", *words).stdout


def test_a_choice_is_not_told_more_than_a_choice_can_have(answer):
    assert answer("selection", "--epsilon", "2000", "--delta", "1e-6")["each"] == 1000


@pytest.mark.parametrize("command, option", [("gaussian", "--noise-multiplier"), ("selection", "--each")])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_bad_noise_is_refused(run, assert_refused, command, option, value):
    assert_refused(run("privacy", command, option, value, "--delta", "1e-5"), "must")


@pytest.mark.parametrize("count", ["0", "-1", "x", "1000001"])
def test_a_bad_count_is_refused(run, assert_refused, count):
    assert_refused(
        run("privacy", "gaussian", "--noise-multiplier", "1", "--delta", "1e-5", "--count", count), "--count"
    )


def test_two_of_three_are_needed(run, assert_refused):
    assert_refused(run("privacy", "gaussian"), "give two of --noise-multiplier, --epsilon and --delta", "none is")
    assert_refused(run("privacy", "gaussian", "--delta", ".1"), "one is given")
    three = ("--noise-multiplier", "1", "--epsilon", "1", "--delta", ".1")
    assert_refused(run("privacy", "gaussian", *three), "all three are given")
    assert_refused(run("privacy", "selection", "--each", "1"), "give two of --each")


def test_an_unknown_mechanism_is_refused_with_near_names(run, assert_refused):
    assert_refused(run("privacy", "gausian"), "gausian", "gaussian")
    assert_refused(run("privacy", "subsampled", "--delta", "1e-5"), "--rate")
