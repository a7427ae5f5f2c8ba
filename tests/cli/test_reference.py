"""Training without privacy, on tables that are declared public."""

import json

import numpy as np
import pytest
from image_sets import write_idx

KINDS = ["full-mmd", "dp-hp", "dp-merf", "dp-cgan-as-published"]
SHORT = ("--epochs", "2", "--batch", "64")


def short(kind):
    return ("--steps", "2", "--batch", "64") if kind == "dp-cgan-as-published" else SHORT


PROTECTED = "Nothing is protected: "


@pytest.fixture
def reference(run, study):
    """reference(kind, *extra, ...): `mehler reference KIND` on the study."""

    def run_reference(kind, *extra, table="study.csv", schema="study.schema.json", output="out.csv", public=True):
        declared = ["--declared-public"] if public else []
        return run("reference", kind, table, "--schema", schema, "-o", output, *declared, *extra)

    return run_reference


@pytest.mark.parametrize("kind", KINDS)
def test_synthetic_rows_are_written_and_nothing_else(reference, study, assert_done, kind):
    result = reference(kind, *short(kind))
    assert_done(result)
    assert result.new_files == {"out.csv"}  # no release, no model
    header, *rows = (study.folder / "out.csv").read_text().splitlines()
    assert len(rows) == len(study.rows) and header == "income,age,region,smoker,visit,outcome"


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_the_first_and_the_last_line_say_that_nothing_is_protected(reference, assert_done, quiet):
    result = reference("full-mmd", *SHORT, *quiet)
    assert_done(result)
    lines = result.stdout.splitlines()
    assert lines[0].startswith(PROTECTED) and lines[-1].startswith(PROTECTED)
    assert "out.csv" in lines[-1] and "mehler synth" in lines[-1]
    assert (len(lines) == 2) == bool(quiet)
    assert "epsilon" not in result.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_without_the_declaration_nothing_is_read(reference, assert_refused, kind):
    """Not even whether the files are there is found out."""
    for table, schema in (("study.csv", "study.schema.json"), ("nowhere.csv", "nowhere.json")):
        assert_refused(
            reference(kind, table=table, schema=schema, public=False),
            "--declared-public",
            "as they are",
            "no guarantee",
            "nothing was read",
            "published or simulated",
            "mehler synth",
            output="out.csv",
        )


def test_an_options_file_cannot_declare_records_public(reference, study, assert_refused):
    (study.folder / "options.json").write_text(json.dumps({"declared-public": True}))
    refused = reference("full-mmd", "--options", "options.json", public=False)
    assert_refused(refused, "options.json", "declared-public", output="out.csv")


def test_a_seed_gives_the_same_rows(reference, study, assert_done):
    texts = []
    for seed in ("1", "1", "2"):
        assert_done(reference("full-mmd", *SHORT, "--seed", seed, "--rows", "50"))
        texts.append((study.folder / "out.csv").read_text())
    assert texts[0] == texts[1] != texts[2] and len(texts[0].splitlines()) == 51


def test_images_and_a_grid(run, tmp_path, assert_done):
    shades = np.random.default_rng(1).integers(0, 256, (64, 4, 4)).astype(np.uint8)
    write_idx(tmp_path, shades, list(np.arange(64) % 2))
    schema = {
        "mehler_schema": 1,
        "target": "label",
        "columns": [
            {"name": "image", "kind": "image", "shape": [4, 4, 1]},
            {"name": "label", "kind": "categorical", "categories": [0, 1, 2]},
        ],
    }
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    words = ("--schema", "schema.json", "--declared-public")
    for kind in KINDS:
        outputs = ("-o", f"{kind}.npz", "--grid", f"{kind}.png")
        result = run("reference", kind, "train-images-idx3-ubyte", *words, *short(kind), *outputs)
        assert_done(result)
        assert result.new_files == {f"{kind}.npz", f"{kind}.png"}
        # The class that no record has is not drawn.
        assert "from the top: 0, 1." in " ".join(result.stdout.split())
    with np.load(tmp_path / "full-mmd.npz") as found:
        assert sorted(array.shape for array in found.values()) == [(64,), (64, 4, 4)]
    refused = run("reference", "full-mmd", "train-images-idx3-ubyte", *words, *SHORT, "-o", "out.csv")
    assert refused.returncode == 2 and "CSV" in refused.stderr and "'image'" in refused.stderr
    assert refused.stdout == "" and refused.new_files == set()


def test_presets_and_options_of_the_private_methods_are_known(reference, assert_done):
    assert_done(reference("dp-hp", "--preset", "adult", "--epochs", "1", "--product-columns", "2"))
    assert_done(reference("dp-merf", "--preset", "dp-merf-adult", "--protocol", "published", "--epochs", "1"))
    assert_done(reference("full-mmd", "--preset", "full-mmd-mnist", *SHORT))


def test_the_kinds_are_listed(run, assert_done):
    result = run("reference", "list")
    assert_done(result)
    assert all(f"\n{kind}\n" in "\n" + result.stdout for kind in KINDS)
    result = run("reference", "list", "--json")
    assert_done(result)
    assert [entry["name"] for entry in json.loads(result.stdout)] == KINDS
    result = run("reference", "full-mmd", "--help")
    assert_done(result)
    assert "--length-scale" in result.stdout and "--declared-public" in result.stdout


# Bad input


def test_an_unknown_kind_is_refused_with_near_names(run, assert_refused):
    assert_refused(run("reference", "ful-mmd"), "ful-mmd", "full-mmd")


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf", "0.001", "long"])
def test_a_bad_length_scale_is_refused(reference, assert_refused, scale):
    assert_refused(reference("full-mmd", "--length-scale", scale), "length", scale, output="out.csv")


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf"])
def test_a_bad_length_scale_of_features_is_refused(reference, assert_refused, scale):
    assert_refused(reference("dp-hp", "--length-scale", scale), "length scale", scale, output="out.csv")
    assert_refused(reference("dp-merf", "--fourier-length-scale", scale), "length scale", scale, output="out.csv")


def test_a_batch_larger_than_the_table_is_refused(reference, study):
    result = reference("full-mmd", "--batch", "201")
    assert result.returncode == 2 and result.new_files == set()
    assert "--batch asks for 201 records" in result.stderr and "the table has 200" in result.stderr


def test_a_smaller_table_than_the_usual_batch_is_no_mistake(reference, assert_done):
    assert_done(reference("full-mmd", "--epochs", "1"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_rate_needs_a_target(reference, study, assert_refused, kind):
    schema = {key: value for key, value in study.schema.items() if key != "target"}
    study.write_schema(schema=schema)
    refused = reference(kind, "--class-rate", "ill=2")
    assert_refused(refused, "'ill'", "no target", output="out.csv")


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_records_is_refused(reference, study, assert_refused, kind):
    study.write_table(rows=[])
    assert_refused(reference(kind), "no rows", output="out.csv")


def test_one_record_is_refused(reference, study):
    study.write_table(rows=study.rows[:1])
    result = reference("full-mmd", "--length-scale", "1")
    assert result.returncode == 2 and "at least 2" in result.stderr


@pytest.mark.parametrize(
    "option, value",
    [
        ("--epochs", "0"),
        ("--epochs", "-1"),
        ("--batch", "3"),
        ("--learning-rate", "0"),
        ("--learning-rate", "nan"),
        ("--learning-rate-decay", "1.5"),
        ("--rows", "0"),
        ("--rows", "-5"),
        ("--seed", "x"),
        ("--threads", "0"),
        ("--preset", "mnits"),
        ("--generator", "convolutional"),
    ],
)
def test_a_bad_option_is_refused(reference, assert_refused, option, value):
    refused = reference("full-mmd", option, value)
    assert_refused(refused, option.strip("-").replace("learning-rate", "learning rate").split("-")[0].split(" ")[0])


@pytest.mark.parametrize("option", ["--epsilon", "--delta", "--sensitivity", "--accounting", "--method"])
def test_options_that_have_to_do_with_privacy_are_unknown(reference, assert_refused, option):
    assert_refused(reference("dp-hp", option, "1"), "unknown option", option, output="out.csv")


@pytest.mark.parametrize("option, value", [("--steps", "0"), ("--batch", "0"), ("--sigma", "-1"), ("--sigma", "nan")])
def test_a_bad_option_of_dp_cgan_is_refused(reference, assert_refused, option, value):
    assert_refused(reference("dp-cgan-as-published", option, value), option, value, output="out.csv")


def test_dp_cgan_needs_a_target(reference, study, assert_refused):
    study.write_schema(schema={key: value for key, value in study.schema.items() if key != "target"})
    assert_refused(reference("dp-cgan-as-published"), "no target", output="out.csv")


def test_undeclared_or_bought_bounds_are_refused(reference, study, assert_refused):
    for changes in ({"bounds": None}, {"bounds": "buy"}):
        study.write_schema(schema=study.schema_with("income", **changes))
        assert_refused(reference("full-mmd"), "income", "bounds", output="out.csv")


def test_a_grid_needs_images(reference, assert_refused):
    assert_refused(
        reference("full-mmd", "--grid", "grid.png"), "--grid", "no column of the kind image", output="out.csv"
    )


def test_the_table_is_not_overwritten(reference, study):
    before = (study.folder / "study.csv").read_text()
    result = reference("full-mmd", output="study.csv")
    assert result.returncode == 2 and "would be overwritten" in result.stderr
    assert (study.folder / "study.csv").read_text() == before


def test_a_place_that_cannot_be_written_is_found_before_records_are_read(reference, study, assert_refused):
    (study.folder / "study.csv").write_text("not,a,table\n")
    assert_refused(reference("full-mmd", output="nowhere/out.csv"), "nowhere/out.csv", output="out.csv")


def test_a_table_that_does_not_fit_is_refused(reference, study, assert_refused):
    study.write_table(rows=study.rows_with("age", "old"))
    assert_refused(reference("full-mmd"), "'age'", output="out.csv")
