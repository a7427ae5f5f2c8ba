"""Release files that were cut, altered or never were releases: inspect refuses each."""

import hashlib
import json
import struct

import pytest

pytestmark = pytest.mark.method("marginals", "dp-hp")

PREFIX = 32  # magic, kind, version, length of the header, length of the payload
CHECKSUM = 32


@pytest.fixture
def good(release, study, assert_done):
    """The bytes of a good release."""
    assert_done(release())
    return (study.folder / "out.release").read_bytes()


@pytest.fixture
def assert_bytes_refused(run, study, assert_refused):
    """Both forms of inspect refuse a file with these bytes, by name."""

    def check(data, *must_mention):
        (study.folder / "bad.release").write_bytes(data)
        for form in ([], ["--json"]):
            assert_refused(
                run("inspect", "bad.release", *form),
                "'bad.release'",
                *must_mention,
                output="nothing",
            )

    return check


def header_length(data):
    return struct.unpack_from("<Q", data, 16)[0]


def with_checksum(data):
    """The same bytes with the checksum that belongs to them."""
    return data[:-CHECKSUM] + hashlib.sha256(data[:-CHECKSUM]).digest()


def with_header(data, change, tail=b""):
    """The same release with its JSON header changed and every length and the checksum right."""
    length = header_length(data)
    header = json.loads(data[PREFIX : PREFIX + length])
    change(header)
    text = json.dumps(header).encode() + tail
    payload = data[PREFIX + length + -length % 8 : -CHECKSUM]
    prefix = data[:16] + struct.pack("<QQ", len(text), len(payload))
    return with_checksum(prefix + text + b"\0" * (-len(text) % 8) + payload + b"\0" * CHECKSUM)


def flipped(data, place):
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


def test_a_missing_release_is_refused(run, assert_refused):
    assert_refused(run("inspect", "nowhere.release"), "'nowhere.release'", "No such file", "check")


def test_a_folder_is_refused(run, study, assert_refused):
    (study.folder / "folder").mkdir()
    assert_refused(run("inspect", "folder"), "'folder'", "folder")


def test_an_empty_release_is_refused(assert_bytes_refused):
    assert_bytes_refused(b"", "not a mehler release")


def test_a_file_that_is_no_release_is_refused(run, assert_refused):
    assert_refused(run("inspect", "study.csv"), "'study.csv' is not a mehler release", "a release was written to")


@pytest.mark.parametrize("kept", [4, 8, 12, 31, 32, 63, 64, 100])
def test_a_release_cut_near_its_start_is_refused(good, assert_bytes_refused, kept):
    assert_bytes_refused(good[:kept], "cut short", "copy it again")


@pytest.mark.parametrize("lost", [1, 7, 8, 32, 33, 500])
def test_a_release_cut_near_its_end_is_refused(good, assert_bytes_refused, lost):
    assert_bytes_refused(good[:-lost], "cut short", "copy it again")


def test_a_release_with_bytes_too_many_is_refused(good, assert_bytes_refused):
    assert_bytes_refused(good + b"\n", "bytes too many", "copy it again")


def test_an_altered_header_is_refused(good, assert_bytes_refused):
    for place in (PREFIX, PREFIX + header_length(good) // 2):
        assert_bytes_refused(flipped(good, place), "altered", "checksum", "copy it again")


def test_an_altered_payload_is_refused(good, assert_bytes_refused):
    for place in (PREFIX + header_length(good) + 16, len(good) - CHECKSUM - 1):
        assert_bytes_refused(flipped(good, place), "altered", "checksum", "copy it again")


def test_an_altered_checksum_is_refused(good, assert_bytes_refused):
    for place in (len(good) - CHECKSUM, len(good) - 1):
        assert_bytes_refused(flipped(good, place), "altered", "checksum", "copy it again")


@pytest.mark.parametrize("place", [0, 3, 7])
def test_an_altered_magic_is_refused(good, assert_bytes_refused, place):
    assert_bytes_refused(flipped(good, place), "not a mehler release")


@pytest.mark.parametrize("place", [16, 23, 24, 31])
@pytest.mark.parametrize("value", [8, 0x7F, 0xFF])
def test_absurd_lengths_are_refused(good, assert_bytes_refused, place, value):
    changed = bytearray(good)
    changed[place] ^= value
    assert_bytes_refused(with_checksum(bytes(changed)))


@pytest.mark.parametrize("version", [3, 7, 2**32 - 1])
def test_a_release_of_a_newer_version_is_refused(good, assert_bytes_refused, version):
    newer = good[:12] + struct.pack("<I", version) + good[16:]
    assert_bytes_refused(with_checksum(newer), f"version {version}", "use a newer mehler")


def test_a_file_of_another_kind_is_refused(good, assert_bytes_refused):
    assert_bytes_refused(with_checksum(good[:8] + struct.pack("<I", 9) + good[12:]), "not a release")


@pytest.mark.parametrize("claim", [0.5, 0.999, 1.001, 2])
def test_an_epsilon_that_does_not_follow_from_the_noise_is_refused(good, assert_bytes_refused, claim):
    def overstate(header):
        privacy = header["privacy"]
        privacy["epsilon"] = claim
        privacy["in_words"] = privacy["in_words"].replace("(1, ", f"({claim}, ").replace("e^1 ", f"e^{claim} ")

    assert_bytes_refused(with_header(good, overstate), "epsilon")


@pytest.mark.parametrize(
    "claim",
    ["(0.0001, 0)-differentially private", "", "This table is anonymous.", None],
)
def test_words_that_the_numbers_do_not_say_are_refused(good, assert_bytes_refused, claim):
    def overstate(header):
        privacy = header["privacy"]
        privacy["in_words"] = privacy["in_words"] + " " if claim is None else claim

    assert_bytes_refused(with_header(good, overstate), "'in_words'", "not what its numbers say")


def test_noise_that_the_statement_overstates_is_refused(good, assert_bytes_refused):
    def overstate(header):
        for block in header["privacy"]["charges"]:
            block["sigma"] *= 2

    assert_bytes_refused(with_header(good, overstate))


def test_a_payload_that_its_header_does_not_describe_is_refused(good, assert_bytes_refused):
    def drop_last_block(header):
        specified = header["counts"] if "counts" in header else header["sums"]
        specified["blocks"].pop()
        header["privacy"]["charges"].pop()

    assert_bytes_refused(with_header(good, drop_last_block), "payload")


@pytest.mark.parametrize("tail", [b"\0", b"\0 and more", b"{}", b"\xff"])
def test_bytes_after_the_header_are_refused(good, assert_bytes_refused, tail):
    assert_bytes_refused(with_header(good, lambda header: None, tail), "JSON")


def test_an_unchanged_header_written_anew_is_accepted(good, run, study, assert_done):
    (study.folder / "same.release").write_bytes(with_header(good, lambda header: None))
    assert_done(run("inspect", "same.release"))
