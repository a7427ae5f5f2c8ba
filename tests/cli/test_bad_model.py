"""Model files that were cut, altered or never were models: sample refuses each."""

import json
import struct

import pytest
from test_bad_release import CHECKSUM, PREFIX, flipped, header_length, with_checksum, with_header

pytestmark = pytest.mark.method("marginals", "dp-hp")


@pytest.fixture
def good(model):
    """The bytes of a good model."""
    return model.read_bytes()


@pytest.fixture
def assert_bytes_refused(run, study, assert_refused):
    """Sample refuses a file with these bytes, by name, and writes nothing."""

    def check(data, *must_mention):
        (study.folder / "bad.mehler").write_bytes(data)
        assert_refused(
            run("sample", "bad.mehler", "--rows", "5", "-o", "out.csv"),
            "'bad.mehler'",
            *must_mention,
            output="out.csv",
        )

    return check


def with_payload(data, change):
    """The same model with some bytes after the header changed, and the checksum right."""
    start = PREFIX + header_length(data) + -header_length(data) % 8
    payload = bytearray(data[start:-CHECKSUM])
    change(payload)
    return with_checksum(data[:start] + bytes(payload) + b"\0" * CHECKSUM)


def test_a_missing_model_is_refused(run, assert_refused):
    assert_refused(
        run("sample", "nowhere.mehler", "-o", "out.csv"),
        "'nowhere.mehler'",
        "No such file",
        "check",
        output="out.csv",
    )


def test_a_folder_is_refused(run, study, assert_refused):
    (study.folder / "folder").mkdir()
    assert_refused(run("sample", "folder", "-o", "out.csv"), "'folder'", "folder", output="out.csv")


def test_an_empty_model_is_refused(assert_bytes_refused):
    assert_bytes_refused(b"", "not a mehler model")


def test_a_table_in_the_place_of_a_model_is_refused(run, assert_refused):
    assert_refused(
        run("sample", "study.csv", "-o", "out.csv"),
        "'study.csv' is not a mehler model",
        "a model was written to",
        output="out.csv",
    )


def test_a_release_in_the_place_of_a_model_is_refused(run, model, assert_refused):
    assert_refused(
        run("sample", "study.release", "-o", "out.csv"),
        "'study.release'",
        "not a model",
        "a model was written to",
        output="out.csv",
    )


def test_a_model_in_the_place_of_a_release_is_refused(run, model, assert_refused):
    assert_refused(run("inspect", "study.mehler"), "'study.mehler'", "not a release", "a release was written to")


@pytest.mark.parametrize("kept", [4, 12, 31, 32, 100, 5000])
def test_a_model_cut_near_its_start_is_refused(good, assert_bytes_refused, kept):
    assert_bytes_refused(good[:kept], "cut short", "copy it again")


@pytest.mark.parametrize("lost", [1, 8, 33, 50_000])
def test_a_model_cut_near_its_end_is_refused(good, assert_bytes_refused, lost):
    assert_bytes_refused(good[:-lost], "cut short", "copy it again")


def test_a_model_with_bytes_too_many_is_refused(good, assert_bytes_refused):
    assert_bytes_refused(good + b"\n", "bytes too many", "copy it again")


def test_an_altered_header_is_refused(good, assert_bytes_refused):
    for place in (PREFIX, PREFIX + header_length(good) // 2):
        assert_bytes_refused(flipped(good, place), "altered", "checksum", "copy it again")


def test_an_altered_release_inside_is_refused(good, assert_bytes_refused):
    place = PREFIX + header_length(good) + 100
    assert_bytes_refused(flipped(good, place), "altered", "checksum", "copy it again")


def test_an_altered_end_is_refused(good, assert_bytes_refused):
    assert_bytes_refused(flipped(good, len(good) - CHECKSUM - 9), "altered", "checksum")


def test_an_altered_checksum_is_refused(good, assert_bytes_refused):
    assert_bytes_refused(flipped(good, len(good) - 1), "altered", "checksum")


@pytest.mark.parametrize("place", [0, 7])
def test_an_altered_magic_is_refused(good, assert_bytes_refused, place):
    assert_bytes_refused(flipped(good, place), "not a mehler model")


@pytest.mark.parametrize("place", [16, 23, 24, 31])
def test_absurd_lengths_are_refused(good, assert_bytes_refused, place):
    changed = bytearray(good)
    changed[place] ^= 0x7F
    assert_bytes_refused(with_checksum(bytes(changed)))


@pytest.mark.parametrize("version", [2, 7, 2**32 - 1])
def test_a_model_of_a_newer_version_is_refused(good, assert_bytes_refused, version):
    newer = good[:12] + struct.pack("<I", version) + good[16:]
    assert_bytes_refused(with_checksum(newer), f"version {version}", "use a newer mehler")


def test_a_file_of_another_kind_is_refused(good, assert_bytes_refused):
    assert_bytes_refused(with_checksum(good[:8] + struct.pack("<I", 9) + good[12:]), "not a model")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_model_with_a_number_that_is_none_is_refused(good, assert_bytes_refused, method, value):
    number = struct.pack("<f" if method == "dp-hp" else "<d", value)

    def spoil(payload):
        payload[-len(number) :] = number

    assert_bytes_refused(with_payload(good, spoil), "not finite")


def test_an_altered_release_inside_is_refused_although_the_model_is_whole(good, assert_bytes_refused):
    def spoil(payload):
        payload[2000] ^= 1

    assert_bytes_refused(with_payload(good, spoil), "release inside")


@pytest.mark.method("dp-hp")
@pytest.mark.parametrize(
    "key,value",
    [
        ("mehler_model", 2),
        ("model", "oracle"),
        ("model", ""),
        ("model", 1),
        ("release_bytes", -1),
        ("release_bytes", 2**62),
        ("release_bytes", 8),
        ("noise_inputs", 0),
        ("noise_inputs", 11),
        ("noise_inputs", 2**62),
        ("hidden", []),
        ("hidden", [200]),
        ("hidden", [2**62, 2**62]),
        ("class_probabilities", [0.5, 0.6]),
        ("class_probabilities", [1.5, -0.5]),
        ("class_probabilities", [1.0]),
        ("class_probabilities", ["0.5", "0.5"]),
        ("in_words", 1),
        ("unheard_of", True),
    ],
)
def test_a_header_that_cannot_be_is_refused(good, assert_bytes_refused, key, value):
    def change(header):
        header[key] = value

    assert_bytes_refused(with_header(good, change))


@pytest.mark.method("marginals")
@pytest.mark.parametrize(
    "key,value",
    [
        ("rows", 0),
        ("rows", -1),
        ("rows", "one more"),
        ("rows", 2**62),
        ("rows", "2000"),
        ("averaged_sweeps", 0),
        ("averaged_sweeps", -1),
        ("averaged_sweeps", 2**40),
        ("slow_mixing", 1),
        ("slow_mixing", None),
        ("hidden", [200, 200]),
    ],
)
def test_a_header_of_a_fitted_table_that_cannot_be_is_refused(good, assert_bytes_refused, key, value):
    def change(header):
        assert header["model"] == "fitted-table"
        # The number of rows is noisy: no fixed number is surely another one.
        header[key] = header[key] + 1 if value == "one more" else value

    assert_bytes_refused(with_header(good, change))


@pytest.mark.method("marginals")
def test_a_table_with_a_code_that_its_column_does_not_have_is_refused(good, assert_bytes_refused):
    def spoil(payload):
        start = json.loads(good[PREFIX : PREFIX + header_length(good)])["release_bytes"]
        payload[start : start + 2] = struct.pack("<H", 60_000)

    assert_bytes_refused(with_payload(good, spoil), "a code that its column does not have")


def test_a_model_that_claims_to_be_of_the_other_kind_is_refused(good, assert_bytes_refused, method):
    def change(header):
        header["model"] = {"dp-hp": "fitted-table", "marginals": "network"}[method]

    assert_bytes_refused(with_header(good, change))


def test_a_model_of_an_unknown_kind_is_refused_with_the_known_ones(good, assert_bytes_refused):
    def change(header):
        header["model"] = "oracle"

    assert_bytes_refused(
        with_header(good, change), "'oracle'", "fitted-table, moments, images, bayes-network, network", "newer mehler"
    )


@pytest.mark.method("dp-hp")
def test_a_model_from_before_the_kinds_had_names_is_a_network(good, run, study, assert_done):
    def forget(header):
        assert header.pop("model") == "network"

    (study.folder / "early.mehler").write_bytes(with_header(good, forget))
    assert_done(run("sample", "early.mehler", "--rows", "5", "-o", "out.csv"))


def test_words_that_the_release_inside_does_not_say_are_refused(good, assert_bytes_refused):
    def overstate(header):
        header["in_words"] = header["in_words"].replace("(50, ", "(0.1, ").replace("^50", "^0.1")

    assert_bytes_refused(with_header(good, overstate), "'in_words'", "not what its numbers say")


@pytest.mark.parametrize("tail", [b"\0", b"{}", b"\xff"])
def test_bytes_after_the_header_are_refused(good, assert_bytes_refused, tail):
    assert_bytes_refused(with_header(good, lambda header: None, tail), "JSON")


def test_an_unchanged_header_written_anew_is_accepted(good, run, study, assert_done):
    (study.folder / "same.mehler").write_bytes(with_header(good, lambda header: None))
    assert_done(run("sample", "same.mehler", "--rows", "5", "-o", "out.csv"))


@pytest.mark.method("dp-hp")
def test_a_label_that_no_record_has_cannot_be_asked_for(good, run, study, assert_refused):
    def never_ill(header):
        header["class_probabilities"] = [1.0, 0.0]

    (study.folder / "well.mehler").write_bytes(with_header(good, never_ill))
    assert json.loads(good[PREFIX : PREFIX + header_length(good)])["class_probabilities"][1] > 0
    assert_refused(
        run("sample", "well.mehler", "--rows", "5", "--where", "outcome=ill", "-o", "out.csv"),
        "'outcome'",
        "'ill'",
        output="out.csv",
    )
