"""Methods that train networks on private records: from a table to records, and what they refuse."""

import json
import os
import pty
import signal
import struct
import subprocess

import pytest
from test_bad_release import CHECKSUM, PREFIX, header_length, with_checksum, with_header

METHODS = ("dp-gan", "dp-cgan", "gs-wgan")
pytestmark = pytest.mark.method(*METHODS)

# Short, and with noise that is given instead of looked for; of 200 records.
QUICK = ("--steps", "5", "--expected-records", "200", "--noise-multiplier", "20", "--threads", "1")
BATCHES = ("dp-gan", "dp-cgan")


def test_it_leads_from_a_table_to_records_that_meet_a_condition(run, release, study, assert_done):
    # Counts of classes have a noise of 50: of 200 records one in some hundred releases has none of a class.
    study.write_table(rows=study.simulate(2000))
    assert_done(release("--steps", "5", "--expected-records", "200", "--threads", "1"))
    assert_done(run("train", "out.release", "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "--where", "outcome=ill", "-o", "out.csv"))
    inspected = run("inspect", "out.release")
    assert_done(inspected)
    said = " ".join(inspected.stdout.split())
    assert "within what is stated" in said and "5 steps" in said
    assert "cannot be checked from the file" in said
    # Counts are all that has a mu^2 of its own: 100 % would say that the training cost nothing.
    assert "100.00%" not in said
    assert "share" not in json.loads(run("inspect", "out.release", "--json").stdout)["blocks"][0]


@pytest.mark.method("gs-wgan")
def test_a_file_says_how_critics_were_asked(run, release, assert_done):
    assert_done(release(*QUICK, "--shards", "10", "--queries", "4"))
    told = json.loads(run("inspect", "out.release", "--json").stdout)
    assert told["training"]["critics"] == {"shards": 10, "queries": 4, "drawn": "each"}
    charge = told["privacy"]["charges"][1]
    assert (charge["charge"], charge["steps"], charge["sampling_rate"]) == ("replaced-gaussian", 20, 0.1)


@pytest.mark.method("gs-wgan")
def test_one_critic_for_all_records_of_a_step_is_charged_as_one_answer(run, release, assert_done):
    result = release("--protocol", "published", "--steps", "5", "--shards", "10", "--threads", "1", epsilon="500")
    assert_done(result)
    told = json.loads(run("inspect", "out.release", "--json").stdout)
    assert told["training"]["critics"]["drawn"] == "jointly"
    charge = told["privacy"]["charges"][1]
    assert charge["steps"] == 5 and abs(charge["noise_multiplier"] - 1.07 / 32**0.5) < 1e-12
    said = " ".join(run("inspect", "out.release").stdout.split())
    assert "noise and schedule are its authors' where no option said otherwise" in said


@pytest.mark.method("gs-wgan")
@pytest.mark.parametrize(
    "words, said",
    [
        (("--shards", "1"), "--shards"),
        (("--queries", "0"), "--queries"),
        (("--warm-steps", "-1"), "--warm-steps"),
        (("--trained-critics", "0"), "--trained-critics"),
        (("--trained-critics", "100001"), "--trained-critics"),
        (("--critic", "2000,2000", "--shards", "1000"), "--shards"),
    ],
)
def test_critics_that_there_cannot_be_are_refused(release, assert_refused, words, said):
    assert_refused(release(*words, table="no-such-table.csv"), said)


@pytest.mark.method(*BATCHES)
def test_a_file_says_how_its_weights_were_trained(run, release, assert_done, method):
    assert_done(release(*QUICK, "--rate", "0.25", "--clip-norm", "0.5"))
    training = json.loads(run("inspect", "out.release", "--json").stdout)["training"]
    assert training["sampling"] == "poisson"
    assert training["rate_numerator"] == 2**30
    assert training["noise_multiplier"] == 20
    assert training["steps"] == 5
    assert training["clip_norm"] == 0.5
    assert training["critics"] == ("one-per-class" if method == "dp-gan" else "one")
    assert training["protocol"] == "own"


@pytest.mark.method(*BATCHES)
def test_the_published_protocol_states_the_epsilon_that_it_has(run, release, assert_done):
    refused = release("--protocol", "published", "--steps", "5", epsilon="0.01")
    assert refused.returncode == 2 and "--protocol" in refused.stderr and "epsilon" in refused.stderr
    assert refused.new_files == set()
    result = release("--protocol", "published", "--steps", "5", "--rate", "1", "--threads", "1", epsilon="100")
    assert_done(result)
    said = " ".join(result.stdout.split())
    stated = float(said.split("the same noise gives epsilon ")[1].split(". ")[0])
    assert 1.0 < stated < 100.0
    derived = json.loads(run("inspect", "out.release", "--json").stdout)["privacy"]["rederived_epsilon"]
    assert 0.999 * stated <= derived <= stated
    words = " ".join(run("inspect", "out.release").stdout.split())
    assert "noise, schedule and networks are its authors' where no option said otherwise" in words


def test_a_class_without_a_record_is_no_mistake(run, release, study, assert_done):
    study.write_schema(schema=study.schema_with("outcome", categories=["well", "ill", "gone"]))
    assert_done(release(*QUICK, epsilon="50"))
    assert_done(run("train", "out.release", "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "50", "-o", "out.csv"))


@pytest.mark.method(*BATCHES)
@pytest.mark.parametrize("rate", ["0", "1.5", "-0.1", "nan"])
def test_a_rate_that_is_none_is_refused_before_it_reads(release, assert_refused, rate):
    assert_refused(release("--rate", rate, table="no-such-table.csv"), "--rate")


@pytest.mark.method(*BATCHES)
def test_a_rate_below_the_smallest_is_refused_and_not_raised(release, assert_refused):
    assert_refused(release("--rate", "1e-12", table="no-such-table.csv"), "--rate must be at least 2.32831e-10")


@pytest.mark.method(*BATCHES)
def test_steps_too_few_for_one_of_the_generator_are_refused_before_it_reads(release, assert_refused):
    words = ("--steps", "20", "--critic-steps", "21")
    assert_refused(release(*words, table="no-such-table.csv"), "--steps must be at least 21", "--critic-steps")


@pytest.mark.parametrize(
    "words, said",
    [
        (("--steps", "0"), "--steps"),
        (("--clip-norm", "0"), "--clip-norm"),
        (("--clip-norm", "-1"), "--clip-norm"),
        (("--clip-norm", "1e-13"), "--clip-norm must be at least 1e-12 and at most 1e+06"),
        (("--clip-norm", "1e7"), "--clip-norm must be at least 1e-12 and at most 1e+06"),
        (("--clip-norm", "inf"), "--clip-norm"),
        (("--noise-multiplier", "0"), "--noise-multiplier"),
        (("--noise-multiplier", "1e-4"), "--noise-multiplier must be at least 0.001"),
        (("--protocol", "published", "--noise-multiplier", "1"), "--noise-multiplier"),
        (("--protocol", "other"), "--protocol"),
        (("--critic", "60000,60000"), "--critic"),
        (("--critic", "0"), "--critic"),
        (("--critic", "12,,4"), "--critic"),
        (("--critic", "1,2,3,4,5,6,7,8,9"), "--critic"),
        (("--generator-layers", "many"), "--generator-layers"),
        (("--critic-steps", "0"), "--critic-steps"),
        (("--critic-learning-rate", "0"), "--critic-learning-rate"),
        (("--generator-learning-rate", "nan"), "--generator-learning-rate"),
        (("--expected-records", "0"), "--expected-records"),
    ],
)
def test_what_it_does_not_take_is_refused_before_it_reads(release, assert_refused, words, said):
    assert_refused(release(*words, table="no-such-table.csv"), said)


def test_noise_that_the_budget_does_not_hold_is_refused_before_it_reads(release, assert_refused):
    result = release("--noise-multiplier", "0.5", "--expected-records", "1")
    assert_refused(result, "--noise-multiplier", "epsilon")
    assert "spent" not in result.stderr


def test_records_that_are_exchanged_are_refused(release, study, assert_refused, method):
    study.write_schema(schema=study.schema | {"relation": "replace-one"})
    assert_refused(release(*QUICK), method, "replace-one", "add-remove-one")


def test_a_person_with_several_records_is_refused(release, study, assert_refused, method):
    unit = {"column": "person", "max_rows": 2}
    study.write_schema(schema=study.schema | {"privacy_unit": unit})
    assert_refused(release(*QUICK), method, "max_rows")


@pytest.mark.method("dp-cgan", "gs-wgan")
def test_labels_without_a_target_are_refused(release, study, assert_refused, method):
    schema = {key: value for key, value in study.schema.items() if key != "target"}
    study.write_schema(schema=schema)
    assert_refused(release(*QUICK), method, "target")


def generators_of(path):
    data = path.read_bytes()
    return json.loads(data[PREFIX : PREFIX + header_length(data)])["weights"]["networks"]["generators"]


@pytest.mark.method("dp-gan")
def test_a_table_without_a_target_has_one_generator(run, release, study, assert_done):
    schema = {key: value for key, value in study.schema.items() if key != "target"}
    study.write_schema(schema=schema)
    assert_done(release(*QUICK, epsilon="50"))
    assert generators_of(study.folder / "out.release") == "one"
    assert_done(run("train", "out.release", "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "20", "-o", "out.csv"))


def test_a_target_of_one_category_has_one_generator(run, release, study, assert_done):
    columns = [
        column | {"categories": ["ill"]} if column["name"] == "outcome" else column
        for column in study.schema["columns"]
    ]
    study.write_schema(schema=study.schema | {"columns": columns})
    study.write_table(rows=[[*row[:-1], "ill"] for row in study.simulate(200)])
    assert_done(release(*QUICK, epsilon="50"))
    assert generators_of(study.folder / "out.release") == "one"
    assert_done(run("train", "out.release", "-o", "out.mehler"))
    assert_done(run("sample", "out.mehler", "--rows", "20", "-o", "out.csv"))


def test_there_is_no_checkpoint_to_resume(run, release, assert_done, assert_refused):
    assert_done(release(*QUICK, epsilon="50"))
    refused = run("train", "out.release", "--resume", "-o", "out.mehler")
    assert refused.returncode == 2 and "--resume" in refused.stderr
    refused = run("train", "out.release", "--steps", "5", "-o", "out.mehler")
    assert_refused(refused, "--steps", "'mehler release'", output="out.mehler")


@pytest.mark.parametrize(
    "name, change",
    [
        ("steps", lambda steps: steps + 1),
        ("steps", lambda steps: steps - 1),
        ("noise_multiplier", lambda noise: noise * 1.001),
        ("rate_numerator", lambda rate: rate - 1),
    ],
)
def test_a_training_other_than_the_one_that_is_charged_is_refused(
    run, release, study, assert_done, assert_refused, name, change
):
    assert_done(release(*QUICK, epsilon="50"))
    good = (study.folder / "out.release").read_bytes()

    def edit(header):
        training = header["weights"]["training"]
        if name in training:
            training[name] = change(training[name])
        else:  # of gs-wgan, whose rate follows from its critics
            training["critics"]["shards"] += 1

    (study.folder / "bad.release").write_bytes(with_header(good, edit))
    for command in (["inspect"], ["train", "-o", "out.mehler"]):
        result = run(command[0], "bad.release", *command[1:])
        said = ("'bad.release' is no valid release", "not what it is charged for")
        assert_refused(result, *said, output="out.mehler")


def with_payload(data, change):
    """The same release with other numbers, and the length and the checksum that belong to them."""
    length = header_length(data)
    begin = PREFIX + length + -length % 8
    payload = change(data[begin:-CHECKSUM])
    return with_checksum(data[:24] + struct.pack("<Q", len(payload)) + data[32:begin] + payload + b"\0" * CHECKSUM)


def test_a_file_that_holds_other_networks_than_it_describes_is_refused(
    run, release, study, assert_done, assert_refused
):
    assert_done(release(*QUICK, epsilon="50"))
    good = (study.folder / "out.release").read_bytes()
    bad = [
        with_payload(good, lambda payload: payload[:-4]),
        with_payload(good, lambda payload: payload + b"\0" * 400),
        with_header(good, lambda header: header["weights"].update(networks={"a": 1})),
    ]
    for hidden in ([10**9, 10**9], [2**20, 2**20, 2**20, 2**20], [0], [], [7]):

        def resize(header, hidden=hidden):
            header["weights"]["networks"]["generator"]["hidden"] = hidden

        bad.append(with_header(good, resize))
    for data in bad:
        (study.folder / "bad.release").write_bytes(data)
        for command in (["inspect"], ["inspect", "--json"], ["train", "-o", "out.mehler"]):
            result = run(command[0], "bad.release", *command[1:])
            assert_refused(result, "'bad.release' is no valid release", "get a fresh copy", output="out.mehler")


def test_weights_that_give_no_numbers_give_no_records(run, release, study, assert_done, assert_refused):
    assert_done(release(*QUICK, epsilon="50"))
    counts = 2 * 8  # of the classes, as integers; weights are what follows
    huge = with_payload(
        (study.folder / "out.release").read_bytes(),
        lambda payload: payload[:counts] + struct.pack("<f", 3e38) * ((len(payload) - counts) // 4),
    )
    (study.folder / "huge.release").write_bytes(huge)
    assert_done(run("train", "huge.release", "-o", "huge.mehler"))
    refused = run("sample", "huge.mehler", "--rows", "20", "-o", "out.csv")
    assert_refused(refused, "no number", "weight", output="out.csv")


def test_weights_without_a_training_that_is_charged_for_are_refused(run, release, study, assert_done, assert_refused):
    assert_done(release(*QUICK, epsilon="50"))
    good = (study.folder / "out.release").read_bytes()
    length = header_length(good)
    count = json.loads(good[PREFIX : PREFIX + length])["privacy"]["charges"][0]
    noise = count["sigma"] / count["sensitivity"]
    told = run("privacy", "gaussian", "--noise-multiplier", repr(noise), "--delta", "1e-6", "--json")
    epsilon = json.loads(told.stdout)["epsilon"]

    def forget(header):
        """What a release of the counts alone would state."""
        del header["weights"]["training"]
        privacy = header["privacy"]
        privacy["charges"] = [count]
        privacy["epsilon"] = epsilon
        privacy["in_words"] = privacy["in_words"].replace("(50, ", f"({epsilon}, ").replace("e^50 ", f"e^{epsilon} ")

    (study.folder / "bad.release").write_bytes(with_header(good, forget))
    for command in (["inspect"], ["train", "-o", "out.mehler"]):
        result = run(command[0], "bad.release", *command[1:])
        assert_refused(result, "'bad.release'", "trained", "get a fresh copy", output="out.mehler")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_stops_a_training_is_told_that_the_budget_is_spent_and_nothing_is_left(program, study, method, sent):
    steps = ["--steps", "1000000", "--noise-multiplier", "5000", "--expected-records", "200", "--threads", "1"]
    given = ["--schema", "study.schema.json", "--epsilon", "50", "--delta", "1e-6", "--method", method]
    leader, follower = pty.openpty()
    command = [program, "release", "study.csv", *given, *steps, "-o", "out.release"]
    before = sorted(os.listdir(study.folder))
    with subprocess.Popen(
        command, cwd=study.folder, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        shown = b""
        interrupted = False
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            shown += piece
            if not interrupted and b"step " in shown:
                interrupted = True
                process.send_signal(sent)
        os.close(leader)
        assert process.wait(timeout=60) == 130, shown
    said = " ".join(shown.decode().split())
    # Of a training that has just begun, and not of the reading before it.
    assert "100%" not in said[said.index("step ") :] and "reading training" not in said
    assert interrupted and "although there is no release, the privacy budget counts as spent" in said
    assert said.count("budget") == 1
    assert sorted(os.listdir(study.folder)) == before


def test_standard_error_that_cannot_be_written_stops_nothing(program, study, method):
    given = ["--schema", "study.schema.json", "--epsilon", "50", "--delta", "1e-6", "--method", method, *QUICK]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [program, "release", "study.csv", *given, "-o", "out.release"], cwd=study.folder, stderr=full, check=False
        )
        refused = subprocess.run(
            [program, "release", "no-such.csv", *given], cwd=study.folder, stderr=full, check=False
        )
    assert done.returncode == 0 and (study.folder / "out.release").is_file()
    assert refused.returncode == 2
