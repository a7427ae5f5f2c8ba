"""The labels that CONTRIBUTING.md names choose tests, and nothing has another."""

import json
import os
import subprocess

BUILD = os.environ["MEHLER_BUILD"]
LABELS = {"unit", "statistical", "privacy", "golden", "slow", "data", "experiment"}


def labels_of_tests():
    """{test: its labels}."""
    shown = subprocess.run(
        ["ctest", "--test-dir", BUILD, "--show-only=json-v1"], capture_output=True, text=True, check=True
    )
    found = {}
    for test in json.loads(shown.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        found[test["name"]] = set(properties.get("LABELS", []))
    return found


def test_every_test_has_a_known_label():
    unknown = {name: labels for name, labels in labels_of_tests().items() if not labels or labels - LABELS}
    assert not unknown


def test_every_label_chooses_tests():
    chosen = {label: {name for name, labels in labels_of_tests().items() if label in labels} for label in LABELS}
    assert {name.split(".")[0] for name in chosen["golden"]} == {"GoldenRelease", "GoldenModel"}
    assert "Guarantee.SurvivesTheOptimalDistinguisher" in chosen["statistical"] & chosen["slow"]
    assert "RoundedGaussian.HasItsVarianceAndNoBias" in chosen["statistical"] - chosen["slow"]
    assert "Accountant.RefusesMoreThanIsLeftAndBooksNothing" in chosen["privacy"] - chosen["slow"]
    assert "Sensitivity.AddRemoveIsNeverExceededAndTight" in chosen["privacy"] & chosen["slow"]
    assert "cli/synth" in chosen["slow"] and "SumAccumulator.AddsBatchesUp" in chosen["unit"]
    assert chosen["data"] == {"experiments/datasets_on_data", "experiments/experiments_on_data"}
    assert not chosen["unit"] & (chosen["slow"] | chosen["golden"] | chosen["privacy"])
