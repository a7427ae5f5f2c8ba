"""Options from a JSON file, and the paper's settings by name."""

import json
import math
import os
from pathlib import Path

import pytest
from test_products import columns_of, products_of
from test_release import inspected

pytestmark = pytest.mark.method("dp-hp")

FAST = ["--epochs", "1", "--batch", "64", "--threads", "1"]
PRESETS = sorted((Path(os.environ["MEHLER_SOURCE"]) / "experiments" / "presets").glob("*.json"))
GIVEN = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6"]


@pytest.fixture
def options(study):
    """options(text or a dictionary, name=...): the path of an options file that holds it."""

    def write(content, name="options.json"):
        text = content if isinstance(content, str) else json.dumps(content)
        (study.folder / name).write_text(text)
        return name

    return write


def orders(told):
    return {entry["column"]: entry["order"] for entry in told["blocks"][1]["maps"] if entry["map"] == "hermite"}


def test_a_file_gives_options(run, release, options, assert_done):
    path = options(
        {
            "about": "numbers, texts, lists and booleans",
            "kernel": "combined",
            "order": ["7", "age=4"],
            "length-scale": 0.25,
            "product": ["age,region", "visit,smoker"],
            "quiet": True,
        }
    )
    result = release("--options", path)
    assert_done(result)
    assert result.stdout == ""
    told = inspected(run)
    assert orders(told) == {"income": 7, "age": 4, "visit": 7}
    assert told["blocks"][1]["maps"][0]["length_scale"] == 0.25
    assert [columns_of(block) for block in products_of(told)] == [
        ["age", "region"],
        ["visit", "smoker"],
    ]


@pytest.mark.parametrize("place", ["first", "last", "joined", "before --"])
def test_the_place_of_the_file_does_not_matter(run, options, assert_done, place):
    path = options({"method": "dp-hp", "order": 6})
    arguments = {
        "first": ["--options", path, "study.csv", *GIVEN, "-o", "out.release"],
        "last": ["study.csv", *GIVEN, "-o", "out.release", "--options", path],
        "joined": [f"--options={path}", "study.csv", *GIVEN, "-o", "out.release"],
        "before --": ["--options", path, *GIVEN, "-o", "out.release", "--", "study.csv"],
    }[place]
    assert_done(run("release", *arguments))
    assert orders(inspected(run))["age"] == 6


def test_a_file_can_give_what_is_required(run, options, assert_done):
    path = options({"schema": "study.schema.json", "epsilon": 0.5, "delta": 1e-7, "output": "out.release"})
    assert_done(run("release", "study.csv", "--options", path))
    privacy = inspected(run)["privacy"]
    assert (privacy["epsilon"], privacy["delta"]) == (0.5, 1e-7)


def test_the_command_line_wins(run, release, options, assert_done):
    path = options({"epsilon": 9, "order": ["7", "age=4"], "output": "elsewhere.release"})
    result = release("--options", path, "--order", "income=5")
    assert_done(result)
    assert result.new_files == {"out.release"}
    told = inspected(run)
    assert told["privacy"]["epsilon"] == 1
    assert orders(told) == {"income": 5, "age": 20, "visit": 20}, "the file's order is replaced"


def test_the_first_file_wins_and_any_file_over_the_preset(run, release, options, assert_done):
    first = options({"order": 3}, "first.json")
    second = options({"order": 4, "product-order": 2}, "second.json")
    assert_done(release("--preset", "adult", "--options", first, "--options", second))
    told = inspected(run)
    assert orders(told)["age"] == 3
    assert products_of(told)[0]["maps"][0]["order"] == 2
    assert len(columns_of(products_of(told)[0])) == 5


def test_a_file_can_build_on_a_preset(run, release, options, assert_done):
    assert_done(release("--options", options({"preset": "adult", "order": 3})))
    told = inspected(run)
    assert orders(told)["age"] == 3 and len(columns_of(products_of(told)[0])) == 5


def test_options_of_other_commands_are_skipped(run, release, options, study, assert_done):
    path = options(
        {
            "method": "dp-hp",
            "order": 6,
            "epochs": 1,
            "batch": 64,
            "threads": 1,
            "rows": 5,
            "seed": 3,
        }
    )
    assert_done(release("--options", path))
    assert_done(run("train", "out.release", "--options", path, "-o", "a.mehler"))
    assert_done(run("train", "out.release", *FAST, "--seed", "3", "-o", "b.mehler"))
    first, second = ((study.folder / f"{name}.mehler").read_bytes() for name in "ab")
    assert first == second
    result = run("synth", "study.csv", *GIVEN, "--force", "--options", path, "-o", "out.csv")
    assert_done(result)
    assert len((study.folder / "out.csv").read_text().splitlines()) == 6


def test_false_leaves_a_flag_out(release, options, assert_done):
    result = release("--options", options({"quiet": False}))
    assert_done(result)
    assert "Wrote out.release" in result.stdout


def test_whole_numbers_may_be_written_as_any_number(run, release, options, assert_done):
    assert_done(release("--options", options('{"order": 1e1, "length-scale": [0.30, "age=1"]}')))
    assert orders(inspected(run))["age"] == 10


@pytest.mark.parametrize(
    "file,given",
    [
        ({"kernel": "combined", "product-columns": 2, "product-share": 0.1}, ["--kernel", "sum"]),
        ({"kernel": "combined", "order": 9, "weight": "age=2"}, ["--kernel", "product"]),
        (
            {"kernel": "combined", "accounting": "published", "product-share": 0.1},
            ["--accounting", "exact"],
        ),
        ({"kernel": "combined", "product-weight": 3}, ["--accounting", "published"]),
    ],
)
def test_what_the_command_line_leaves_no_meaning_is_left_out(release, options, assert_done, file, given):
    assert_done(release("--options", options(file), *given))


@pytest.mark.parametrize("file,given", [("batch-rate", "batch"), ("batch", "batch-rate")])
def test_a_batch_of_the_command_line_replaces_the_one_of_a_file(run, model, options, assert_done, file, given):
    values = {"batch": "64", "batch-rate": "0.1"}
    path = options({file: values[file], "epochs": 1})
    train = ["train", "study.release", "--options", path, f"--{given}", values[given]]
    assert_done(run(*train, "-o", "new.mehler"))


def test_a_method_of_the_command_line_leaves_the_options_of_another_out(run, release, options, assert_done):
    path = options({"method": "dp-hp", "order": 6, "epochs": 1, "rounds": 1})
    assert_done(release("--options", path))
    assert orders(inspected(run))["age"] == 6
    given = [*GIVEN, "--method", "marginals", "--options", path, "--force", "-o", "out.release"]
    assert_done(run("release", "study.csv", *given))
    names = [part["name"] for part in inspected(run)["parts"]]
    assert names[-2:] == ["pairs of columns, round 1", "all"]


# Presets.


OF_REFERENCE = [path for path in PRESETS if json.loads(path.read_text())["method"] == "full-mmd"]


@pytest.mark.parametrize("path", sorted(set(PRESETS) - set(OF_REFERENCE)), ids=lambda path: path.stem)
def test_every_preset_parses_and_names_options(study, run, path):
    preset = json.loads(path.read_text())
    assert isinstance(preset.pop("about"), str)
    known = run("release", "--help").stdout + run("methods", preset["method"]).stdout
    for name in preset:
        assert f"--{name} " in known or f"--{name}\n" in known, name
    assert path.stem in run("synth", "--help").stdout
    # Refused for its epsilon alone, so the rest was understood.
    given = ["--schema", "study.schema.json", "--epsilon", "0", "--delta", "1e-6"]
    result = run("release", "study.csv", "--preset", path.stem, *given, "-o", "out.release")
    assert result.returncode == 2 and "epsilon must be greater than 0" in result.stderr


@pytest.mark.parametrize("path", OF_REFERENCE, ids=lambda path: path.stem)
def test_a_preset_of_a_reference_is_refused_elsewhere(study, run, assert_refused, path):
    preset = json.loads(path.read_text())
    known = run("reference", "full-mmd", "--help").stdout
    assert isinstance(preset.pop("about"), str) and path.stem in known
    assert all(f"--{name} " in known for name in preset.keys() - {"method"})
    said = (path.stem, "mehler reference full-mmd", "without privacy", "leave it out")
    for method in ((), ("--method", "dp-hp"), ("--method", "marginals")):
        refused = run("synth", "study.csv", *GIVEN, *method, "--preset", path.stem, "-o", "out.csv")
        assert_refused(refused, *said, output="out.csv")


def test_a_reference_lists_the_presets_that_it_takes(run):
    def listed(kind):
        said = " ".join(run("reference", kind, "--help").stdout.split())
        return said.partition("paper's tables or image sets: ")[2].split(", ")

    assert listed("full-mmd") == ["full-mmd-fashion-mnist", "full-mmd-mixture", "full-mmd-mnist"]
    assert "dp-merf-adult" in listed("dp-merf") and "adult" not in listed("dp-merf")
    assert "adult" in listed("dp-hp") and "dp-merf-adult" not in listed("dp-hp")
    assert "--preset" not in run("reference", "dp-cgan-as-published", "--help").stdout
    assert "full-mmd-mnist" not in run("synth", "--help").stdout


KINDS = [
    ("full-mmd", "mnist"),
    ("dp-hp", "dp-merf-mnist"),
    ("dp-merf", "adult"),
    ("dp-cgan-as-published", "dp-cgan-adult"),
]


@pytest.mark.parametrize("kind, preset", KINDS)
def test_a_reference_takes_no_preset_of_another_system(study, run, assert_refused, kind, preset):
    (study.folder / "preset.json").write_text(json.dumps({"preset": preset}))
    words = ("study.csv", "--schema", "study.schema.json", "--declared-public", "--preset", preset, "-o", "out.csv")
    refused = run("reference", kind, *words)
    assert_refused(refused, f"'{preset}'", "belongs to", f"mehler reference {kind}", output="out.csv")
    in_a_file = run("reference", kind, *words[:-4], "--options", "preset.json", *words[-2:])
    assert_refused(in_a_file, f"'{preset}'", "belongs to", f"mehler reference {kind}", output="out.csv")


def test_a_reference_takes_no_file_of_another_system(study, run, assert_refused):
    (study.folder / "settings.json").write_text(json.dumps({"method": "dp-hp", "steps": 3}))
    words = ("study.csv", "--schema", "study.schema.json", "--declared-public", "--options", "settings.json")
    for kind in ("full-mmd", "dp-merf", "dp-cgan-as-published"):
        refused = run("reference", kind, *words, "-o", "out.csv")
        assert_refused(refused, "'settings.json'", "belongs to dp-hp", f"mehler reference {kind}", output="out.csv")


def test_a_file_of_a_reference_is_refused_by_a_method(study, run, assert_refused):
    (study.folder / "settings.json").write_text(json.dumps({"method": "full-mmd", "epochs": 3}))
    for method in ((), ("--method", "dp-hp")):
        refused = run("synth", "study.csv", *GIVEN, *method, "--options", "settings.json", "-o", "out.csv")
        assert_refused(refused, "'settings.json'", "mehler reference full-mmd", "leave it out", output="out.csv")


def test_a_refused_preset_comes_with_those_that_are_taken(study, run, assert_refused):
    words = ("study.csv", "--schema", "study.schema.json", "--declared-public", "-o", "out.csv")
    for preset in ("mnist", "full-mmd-mnits"):
        refused = run("reference", "full-mmd", *words, "--preset", preset)
        assert_refused(refused, preset, "full-mmd-mnist", output="out.csv")


def test_an_unknown_method_beside_a_preset_is_what_is_wrong(study, run, assert_refused):
    refused = run("synth", "study.csv", *GIVEN, "--method", "marginols", "--preset", "adult", "-o", "out.csv")
    assert_refused(refused, "marginols", "marginals", output="out.csv")


@pytest.mark.parametrize(
    "name",
    [path.stem for path in PRESETS if json.loads(path.read_text()).get("product-columns", 6) <= 5],
)
def test_every_preset_releases_what_it_says(run, release, study, assert_done, name):
    preset = next(json.loads(path.read_text()) for path in PRESETS if path.stem == name)
    assert_done(release("--preset", name))
    told = inspected(run)
    assert set(orders(told).values()) == {preset["order"]}
    products = products_of(told)
    different = math.comb(5, preset["product-columns"])
    assert len(products) == min(preset.get("product-subsets", 20), different)
    for block in products:
        assert len(columns_of(block)) == preset["product-columns"]
        used = {entry["order"] for entry in block["maps"] if entry["map"] == "hermite"}
        assert used <= {preset["product-order"]}


def test_synth_takes_a_preset(run, study, assert_done):
    result = run("synth", "study.csv", *GIVEN, "--preset", "adult", "--epochs", "1", "-o", "out.csv")
    assert_done(result)
    assert result.new_files == {"out.csv", "out.release", "out.mehler"}
    assert orders(inspected(run))["age"] == 100


def test_a_preset_of_the_sum_kernel_alone(run, release, assert_done):
    assert_done(release("--preset", "adult", "--kernel", "sum"))
    told = inspected(run)
    assert [block["name"] for block in told["blocks"]] == ["count", "sum"]
    assert orders(told)["age"] == 100


# What is refused.


def test_an_unknown_preset_is_refused_with_the_near_name(release, assert_refused):
    assert_refused(release("--preset", "adlt"), "'adlt'", "did you mean 'adult'?")


def test_a_preset_unlike_any_is_refused_with_the_known_ones(release, assert_refused):
    assert_refused(release("--preset", "x"), "'x'", "known names: adult")


def test_an_options_file_that_is_missing_is_refused(release, assert_refused):
    assert_refused(release("--options", "none.json"), "'none.json'", "No such file")


@pytest.mark.parametrize("option", ["--options", "--preset"])
def test_an_option_without_its_name_is_refused(release, assert_refused, option):
    assert_refused(release(option), option, "missing", "--help")


def test_a_folder_is_refused(release, study, assert_refused):
    (study.folder / "folder").mkdir()
    assert_refused(release("--options", "folder"), "'folder'", "folder")


@pytest.mark.parametrize("text", ["", "order = 5", '{"order": 5', "{'order': 5}", '{"order": nan}'])
def test_an_options_file_that_is_not_json_is_refused(release, options, assert_refused, text):
    assert_refused(release("--options", options(text)), "the options file 'options.json'", "not valid JSON")


@pytest.mark.parametrize("text", ["[]", '["order", 5]', "5", '"order"', "null", "true"])
def test_an_options_file_that_is_no_object_is_refused(release, options, assert_refused, text):
    assert_refused(release("--options", options(text)), "'options.json'", "must be a JSON object", '"order"')


@pytest.mark.parametrize(
    "name,words",
    [
        ("ordr", "did you mean 'order'"),
        ("Order", "did you mean 'order'"),
        ("--order", "did you mean 'order'"),
        ("product_order", "'product-order'"),
        ("TABLE", "no option"),
        ("help", "no option"),
        ("version", "no option"),
        ("options", "no option"),
        ("", "no option"),
    ],
)
def test_an_unknown_option_is_refused(release, options, assert_refused, name, words):
    assert_refused(
        release("--options", options({name: "5"})),
        "'options.json'",
        f"names '{name}', which is no option",
        words,
    )


@pytest.mark.parametrize("value", [None, {}, {"age": 5}, [None], [[5]], [{"age": 5}], [True]])
@pytest.mark.parametrize("name", ["order", "epochs"])
def test_a_value_that_is_neither_text_nor_number_is_refused(release, options, assert_refused, name, value):
    assert_refused(
        release("--options", options({name: value})),
        "'options.json'",
        f"'{name}'",
        "a number, a text, true, false",
    )


def test_a_boolean_for_an_option_with_a_value_is_refused(release, options, assert_refused):
    assert_refused(release("--options", options({"order": True})), "'order'", "takes a number or a text")


@pytest.mark.parametrize("value", [1, "yes", "true", [1]])
def test_a_value_for_a_flag_is_refused(release, options, assert_refused, value):
    assert_refused(release("--options", options({"quiet": value})), "'quiet'", "true or false")


def test_a_list_for_an_option_with_one_value_is_refused(release, options, assert_refused):
    assert_refused(release("--options", options({"epsilon": [1, 2]}), epsilon=None), "'epsilon'", "one value")


def test_an_option_given_twice_in_a_file_is_refused(release, options, assert_refused):
    assert_refused(
        release("--options", options('{"order": 5, "order": 6}')),
        "'options.json'",
        "'order' twice",
        "remove one",
    )


def test_a_value_out_of_range_in_a_file_is_refused(release, options, assert_refused):
    assert_refused(release("--options", options({"order": 0})), "--order", "'0'", "1 to 1000")


def test_commands_without_options_files_say_so(run, options, assert_refused):
    assert_refused(run("inspect", "out.release", "--options", options({})), "unknown option '--options'")


@pytest.mark.parametrize("options_text", ['{"%s": 1}', '{"epsilon": "%s"}', '{"kernel": "%s", "epsilon": 1}'])
def test_a_message_does_not_repeat_a_name_of_any_length(release, study, assert_refused, options_text):
    (study.folder / "long.json").write_text(options_text % ("n" * 70_000))
    refused = release("--options", "long.json", epsilon=None)
    assert_refused(refused, "n" * 80 + "...")
    assert len(refused.stderr) < 1500


def test_options_of_a_file_of_another_method_are_left_out_though_their_names_are_shared(run, options, assert_done):
    """Of dp-hp steps are those of an epoch, of dp-cgan all that there are."""
    path = options({"method": "dp-hp", "steps": 3, "epochs": 2, "kernel": "sum"})
    few = ["--method", "dp-cgan", "--noise-multiplier", "50", "--expected-records", "200"]
    assert_done(run("release", "study.csv", *GIVEN[:3], "50", *GIVEN[4:], *few, "--options", path, "-o", "out.release"))
    assert "300 steps" in run("inspect", "out.release").stdout


@pytest.mark.method("dp-merf")
def test_options_of_the_other_stage_are_refused_and_those_of_a_file_skipped(
    run, release, options, assert_done, assert_refused
):
    assert_refused(release("--steps", "20"), "--steps", "'mehler train'", "'mehler release'")
    options({"method": "dp-merf", "steps": 2, "epochs": 1, "frequencies": 7})
    assert_done(release("--options", "options.json"))
    assert_done(run("train", "out.release", "--options", "options.json", "-o", "out.mehler"))


@pytest.mark.method("privbayes")
def test_a_preset_of_another_method_than_the_release_is_refused(run, release, assert_done, assert_refused):
    assert_done(release())
    refused = run("train", "out.release", "--preset", "dp-gan-adult", "-o", "out.mehler")
    assert_refused(refused, "method dp-gan", "of method privbayes", "leave it out", output="out.mehler")


@pytest.mark.method("dp-cgan")
@pytest.mark.parametrize(
    "words, said", [(["--steps", "3", "--steps", "3"], "given more than once"), (["--steps"], "required")]
)
def test_an_option_of_a_method_is_named_where_it_is_given_badly(run, release, assert_refused, words, said):
    assert_refused(release(*words), "--steps", said)


def test_a_preset_of_another_method_is_refused(run, study, assert_refused):
    refused = run("release", "study.csv", *GIVEN, "--method", "images", "--preset", "mnist", "-o", "out.release")
    assert_refused(refused, "the preset 'mnist'", "dp-hp", "method here is images")
