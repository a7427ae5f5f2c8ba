"""Outputs that cannot be written: nothing is left behind, and what was there stays as it was."""

import os
import subprocess
import time

import pytest


def test_an_output_in_a_missing_folder_is_refused(release, assert_refused):
    assert_refused(release(output="nowhere/out.release"), "nowhere/out.release", "No such file", "folder")


def test_an_output_that_is_a_folder_is_refused(release, study, assert_refused):
    (study.folder / "taken").mkdir()
    assert_refused(release(output="taken"), "taken", "folder", output="taken/out")


def test_an_output_below_a_file_is_refused(release, assert_refused):
    assert_refused(release(output="study.csv/out.release"), "Not a directory", output="none")


def test_an_unwritable_output_is_found_before_the_table_is_read(release, assert_refused):
    assert_refused(
        release(output="nowhere/out.release", table="-", stdin="no,such,columns\n1,2,3\n"),
        "nowhere/out.release",
    )


def test_a_full_disk_is_refused(release, assert_refused):
    assert_refused(
        release(output="/dev/full"),
        "'/dev/full'",
        "No space left",
        "free some space",
        "the privacy budget counts as spent",
        output="none",
    )


def test_a_table_that_is_refused_spends_nothing(release, study, assert_refused):
    study.write_table("odd.csv", rows=study.rows_with("region", "Atlantis"))
    refused = release(table="odd.csv")
    assert_refused(refused, "'region'")
    assert "spent" not in refused.stderr


def test_a_full_disk_of_a_draft_is_refused(run, assert_refused):
    assert_refused(
        run("schema", "init", "study.csv", "-o", "/dev/full", "--force"),
        "'/dev/full'",
        "No space left",
        output="none",
    )


def test_a_release_above_the_limit_on_file_sizes_is_refused(release, assert_refused):
    assert_refused(
        release(limit_blocks=4),
        "out.release",
        "File too large",
        "choose another place",
    )


def test_a_failed_release_keeps_the_file_that_was_there(release, study, assert_refused):
    kept = study.folder / "kept.release"
    kept.write_text("an earlier release")
    assert_refused(release(output="kept.release", limit_blocks=4), "File too large")
    assert_refused(release(output="kept.release", table="nowhere.csv"), "nowhere.csv")
    assert kept.read_text() == "an earlier release"


def test_a_schema_is_not_overwritten_without_force(run, study, assert_refused):
    before = (study.folder / "study.schema.json").read_text()
    result = run("schema", "init", "study.csv", "-o", "study.schema.json")
    assert_refused(result, "'study.schema.json' exists", "--force")
    assert (study.folder / "study.schema.json").read_text() == before


def test_force_overwrites_a_schema(run, study):
    result = run("schema", "init", "study.csv", "-o", "study.schema.json", "--force")
    assert result.returncode == 0
    assert "undeclared" in (study.folder / "study.schema.json").read_text()


def test_a_failed_draft_leaves_no_file(run, assert_refused):
    result = run("schema", "init", "nowhere.csv", "-o", "draft.json")
    assert_refused(result, "'nowhere.csv'", output="draft.json")


@pytest.mark.parametrize(
    "command",
    [
        ["inspect", "out.release"],
        ["inspect", "out.release", "--json"],
        ["schema", "check", "study.schema.json"],
        ["schema", "init", "study.csv"],
    ],
)
def test_a_full_disk_behind_standard_output_is_an_error(program, release, study, command):
    assert release().returncode == 0
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [program, *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=study.folder,
            timeout=60,
            check=False,
        )
    assert result.returncode == 2
    assert "No space left" in result.stderr


@pytest.mark.parametrize("command", [["inspect", "out.release", "--json"], ["schema", "init", "study.csv"]])
def test_a_reader_that_wants_no_more_ends_the_program_quietly(program, release, study, command):
    """As `head` does; 141 is what shells say of a program that a closed pipe ended."""
    assert release().returncode == 0
    there, here = os.pipe()
    os.close(there)
    with os.fdopen(here, "w") as closed:
        result = subprocess.run(
            [program, *command],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            cwd=study.folder,
            timeout=60,
            check=False,
        )
    assert result.returncode == 141
    assert "error" not in result.stderr


def test_what_a_killed_run_left_behind_goes_with_the_next_run(release, study, program, assert_done):
    """Unless a living process owns it."""
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6"]
    runs = [
        subprocess.Popen(
            [program, "release", "-", *given, "-o", "out.release"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=study.folder,
        )
        for _ in range(2)
    ]
    killed, living = runs

    def partial_files():
        return set(study.folder.glob(".out.release.partial-*"))

    deadline = time.monotonic() + 60
    while len(partial_files()) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(partial_files()) == 2  # both wait for their tables
    killed.kill()
    killed.communicate()
    assert len(partial_files()) == 2
    try:
        assert_done(release())
        assert len(partial_files()) == 1
        living.communicate((study.folder / "study.csv").read_bytes(), timeout=60)
        assert living.returncode == 0 and not partial_files()
    finally:
        living.kill()
        living.communicate()
