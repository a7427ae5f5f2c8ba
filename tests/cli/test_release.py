"""What a release says, and what it does not give away."""

import json
import os
import struct
import subprocess
from pathlib import Path

import pyarrow.csv as csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.method("marginals", "dp-hp")

MANY = 12_347


def payload(path):
    """The noisy sums of a release file, as the whole numbers it holds."""
    data = path.read_bytes()
    header, size = struct.unpack_from("<QQ", data, 16)
    return struct.unpack_from(f"<{size // 8}q", data, 32 + header + -header % 8)


def equal_share(first, second):
    """How many numbers of two releases are equal; later rounds of one may have more numbers."""
    pairs = list(zip(first, second, strict=False))
    assert len(pairs) > 50
    return sum(a == b for a, b in pairs) / len(pairs)


def inspected(run, name="out.release"):
    result = run("inspect", name, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_a_release_says_what_it_wrote_and_guarantees(release, assert_done):
    result = release()
    assert_done(result)
    assert result.new_files == {"out.release"}
    for words in [
        "Wrote out.release",
        "(1, 1e-06)-differentially private",
        "added or removed",
        "declared by",
        "mehler inspect out.release",
    ]:
        assert words in result.stdout.replace("\n", " ")


@pytest.mark.method("dp-hp")
def test_inspect_says_the_same_in_words_and_in_json(run, release, assert_done):
    assert_done(release(epsilon="0.7"))
    text = run("inspect", "out.release")
    assert_done(text)
    lines = [line.split() for line in text.stdout.splitlines()]
    told = inspected(run)
    assert told["file"] == "out.release"
    assert told["privacy"]["in_words"] in " ".join(text.stdout.split())
    assert f"{told['records']['count']:,.0f} (noisy" in text.stdout
    for block in told["blocks"]:
        told_of_block = [
            block["name"],
            str(block["classes"]),
            "x",
            str(block["features"]),
            f"{block['sensitivity']:.6g}",
            f"{block['sigma']:.6g}",
            f"{100 * block['share']:.2f}%",
        ]
        assert told_of_block in [line[: len(told_of_block)] for line in lines]
    for column in told["schema"]["columns"]:
        assert any(line[:2] == [column["name"], column["kind"]] for line in lines)


@pytest.mark.parametrize("epsilon", ["0.000001", "0.01", "0.5", "1", "8", "50", "30000"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-5", "0.1"])
def test_the_epsilon_rederived_from_the_file_is_the_one_stated(run, release, method, epsilon, delta):
    # Sums take more noise than products, whose grid is finer.
    kernel = ["--kernel", "sum"] if method == "dp-hp" else []
    assert release(*kernel, epsilon=epsilon, delta=delta).returncode == 0
    privacy = inspected(run)["privacy"]
    assert (privacy["epsilon"], privacy["delta"]) == (float(epsilon), float(delta))
    assert privacy["rederived_epsilon"] == pytest.approx(float(epsilon), rel=1e-9)
    assert privacy["rederived_epsilon"] <= float(epsilon) * (1 + 1e-9)


@pytest.mark.method("marginals")
def test_noise_that_may_be_too_small_to_draw_is_refused_before_it_is_paid_for(release, assert_refused):
    refused = release(epsilon="1000000")
    assert_refused(refused, "standard deviation", "choose an epsilon")
    assert "spent" not in refused.stderr


def test_the_schema_travels_with_the_release(run, release, study):
    assert release().returncode == 0
    schema = inspected(run)["schema"]
    assert [column["name"] for column in schema["columns"]] == study.columns
    assert schema["target"] == "outcome"
    assert schema["columns"][3]["categories"] == ["north", "south", "west"]


def test_a_transform_travels_with_the_release(run, release, study, assert_done):
    schema = study.schema_with("income", transform="log", transform_scale=1000)
    study.write_schema(schema=schema)
    assert_done(release())
    assert inspected(run)["schema"]["columns"][1]["transform"] == "log"
    assert inspected(run)["schema"]["columns"][1]["transform_scale"] == 1000
    assert "0 to 200000, 2 decimals, log of scale 1000" in run("inspect", "out.release").stdout


@pytest.mark.method("dp-hp")
def test_order_and_length_scales_are_those_asked_for(run, release):
    assert release("--order", "7", "--length-scale", "0.3", "--length-scale", "age=0.5").returncode == 0
    maps = {
        entry["column"]: entry
        for block in inspected(run)["blocks"]
        for entry in block["maps"]
        if entry["map"] == "hermite" and block["name"] == "sum"
    }
    assert {name: entry["length_scale"] for name, entry in maps.items()} == {
        "income": 0.3,
        "age": 0.5,
        "visit": 0.3,
    }
    assert {entry["order"] for entry in maps.values()} == {7}


def test_two_releases_of_one_table_differ(release, study):
    for name in ("a.release", "b.release"):
        assert release(output=name).returncode == 0
    # Two noises agree in one place with probability below 1e-3.
    assert equal_share(*(payload(study.folder / f"{name}.release") for name in "ab")) < 0.05


@pytest.mark.parametrize(
    "section",
    [
        "random = TEST-RAND",
        "random = CTR-DRBG\nseed = TEST-RAND",
        "random = NO-SUCH-GENERATOR",
        "properties = no-such-property=yes",
    ],
)
def test_openssl_conf_cannot_make_the_noise_predictable(release, study, section):
    config = study.folder / "openssl.cnf"
    config.write_text("openssl_conf = init\n[init]\nrandom = chosen\n[chosen]\n" + section + "\n")
    for name in ("a.release", "b.release"):
        result = release(output=name, env={"OPENSSL_CONF": str(config)})
        assert (result.returncode, result.stderr) == (0, "")
    assert equal_share(*(payload(study.folder / f"{name}.release") for name in "ab")) < 0.05


@pytest.fixture
def predictable_openssl(study):
    """predictable_openssl(algorithms): a configuration file that makes an engine with known random
    numbers and a known AES OpenSSL's default for these algorithms; as the environment that names
    it, and what OpenSSL itself then gives as random bytes in two processes."""
    built = Path(os.environ["MEHLER_PROGRAM"]).parent
    engine = built / "predictable_engine.so"
    control = built / "openssl_random"
    for path in (engine, control):
        assert path.exists(), f"build the target {path.stem} first"

    def make(algorithms):
        config = study.folder / "openssl.cnf"
        config.write_text(
            "openssl_conf = init\n[init]\nengines = chosen\n[chosen]\npredictable = engine\n"
            f"[engine]\nengine_id = predictable\ndynamic_path = {engine}\n"
            f"default_algorithms = {algorithms}\ninit = 1\n"
        )
        env = {**os.environ, "OPENSSL_CONF": str(config)}
        shown = [
            subprocess.run([control], env=env, capture_output=True, text=True, check=True).stdout for _ in range(2)
        ]
        return {"OPENSSL_CONF": str(config)}, [dict(map(str.split, text.splitlines())) for text in shown]

    return make


@pytest.mark.parametrize(
    ("algorithms", "predictable"),
    [("RAND", "function"), ("CIPHERS", "generator"), ("RAND,CIPHERS", "generator")],
)
def test_no_engine_of_openssl_conf_makes_the_noise_predictable(
    release, study, predictable_openssl, algorithms, predictable
):
    env, (first, second) = predictable_openssl(algorithms)
    assert first[predictable] == second[predictable]  # the engine is in effect
    for name in ("a.release", "b.release"):
        result = release("--threads", "1", output=name, env=env)
        assert (result.returncode, result.stderr) == (0, "")
    assert equal_share(*(payload(study.folder / f"{name}.release") for name in "ab")) < 0.05


@pytest.mark.parametrize("options", [[], ["--quiet"]])
def test_the_exact_number_of_records_appears_nowhere(run, release, study, options):
    # At this epsilon the noisy count has a standard deviation above 10,000, so that it happens to
    # be the exact one with probability below 1e-4.
    study.write_table("many.csv", rows=study.simulate(MANY))
    result = release(*options, table="many.csv", epsilon="0.001")
    assert result.returncode == 0
    checked = run("schema", "check", "study.schema.json", "many.csv")
    data = (study.folder / "out.release").read_bytes()
    for text in (str(MANY), f"{MANY:,}"):
        assert text not in result.stdout + result.stderr + checked.stdout + checked.stderr
        assert text.encode() not in data
    assert struct.pack("<q", MANY) not in data
    assert inspected(run)["records"]["public"] is False


@pytest.fixture
def tables_without_records(study):
    """Names of tables with the study's columns and no records, in every format."""
    study.write_table("none.csv", rows=[])
    empty = csv.read_csv(study.folder / "study.csv").slice(0, 0)
    pq.write_table(empty, study.folder / "none.parquet")
    feather.write_feather(empty, study.folder / "none.arrow", compression="uncompressed")
    return ["none.csv", "none.parquet", "none.arrow"]


def test_a_table_without_records_has_a_release_like_any_other(run, release, assert_done, study, tables_without_records):
    """Whether there is a release must not tell no record from one."""
    study.write_table("one.csv", rows=study.rows[:1])
    for epsilon in ("0.1", "1", "10"):
        for table in ["one.csv", *tables_without_records]:
            result = release(table=table, epsilon=epsilon)
            assert_done(result)
            assert "(noisy" in run("inspect", "out.release").stdout
            # 12 standard deviations or so of the noisy count.
            told = inspected(run)["records"]
            assert abs(told["count"]) < 2 + 12 * told["standard_error"]


def test_replace_one_states_the_number_of_records(run, release, study, assert_done):
    study.write_schema(schema={**study.schema, "relation": "replace-one"})
    result = release()
    assert_done(result)
    assert "exchanged for another" in result.stdout.replace("\n", " ")
    told = inspected(run)
    assert told["privacy"]["relation"] == "replace-one"
    assert told["records"] == {"count": 200, "public": True, "standard_error": 0}
    assert "200 (public)" in run("inspect", "out.release").stdout


@pytest.mark.method("dp-hp")
def test_the_size_of_a_release_depends_on_nothing_private(release, study):
    study.write_table("other.csv", rows=study.simulate(977, seed=2))
    study.write_table("one.csv", rows=study.rows[:1])
    sizes = set()
    for table in ("study.csv", "other.csv", "one.csv"):
        assert release("--quiet", table=table).returncode == 0
        sizes.add((study.folder / "out.release").stat().st_size)
    assert len(sizes) == 1


def test_quiet_prints_nothing(release):
    result = release("--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("threads", ["1", "2"])
def test_any_number_of_threads_works(run, release, assert_done, threads):
    assert_done(release("--threads", threads))
    assert inspected(run)["privacy"]["epsilon"] == 1


def test_a_privacy_unit_protects_all_records_of_a_person(run, release, method, study, assert_done):
    assert_done(release())
    alone = inspected(run)["blocks"]
    study.write_schema(schema={**study.schema, "privacy_unit": {"column": "person", "max_rows": 2}})
    result = release()
    assert_done(result)
    assert "all records of one 'person' (at most 2 are used)" in result.stdout.replace("\n", " ")
    told = inspected(run)
    assert told["privacy"]["privacy_unit"] == {"column": "person", "max_rows": 2}
    # By method marginals the noise of what follows the count depends on the noisy count.
    for before, after in zip(alone[:1] if method == "marginals" else alone, told["blocks"]):
        assert after["sensitivity"] == pytest.approx(2 * before["sensitivity"])
        assert after["sigma"] == pytest.approx(2 * before["sigma"])
    # So do the cells of pairs: those with the same cells are compared.
    sensitivities = {(block["name"], block["of"]): block["sensitivity"] for block in alone}
    for block in told["blocks"]:
        if (block["name"], block["of"]) in sensitivities:
            assert block["sensitivity"] == pytest.approx(2 * sensitivities[block["name"], block["of"]])
    assert not any(secret.encode() in (study.folder / "out.release").read_bytes() for secret in study.secrets())


def test_an_existing_release_is_replaced_whole(run, release, study, assert_done):
    (study.folder / "out.release").write_bytes(b"x" * 100_000)
    assert_done(release())
    assert inspected(run)["privacy"]["epsilon"] == 1


def test_a_release_is_not_overwritten_without_force(release, study, assert_done):
    assert_done(release(force=False))
    before = (study.folder / "out.release").read_bytes()
    again = release(force=False)
    assert again.returncode == 2
    assert "'out.release' exists" in again.stderr and "--force" in again.stderr
    assert (study.folder / "out.release").read_bytes() == before


def test_a_release_can_go_to_a_pipe(run, program, study, method):
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6"]
    result = subprocess.run(
        [program, "release", "study.csv", *given, "--method", method] + ["--quiet", "-o", "/dev/stdout"],
        capture_output=True,
        cwd=study.folder,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, b"")
    (study.folder / "piped.release").write_bytes(result.stdout)
    assert inspected(run, "piped.release")["privacy"]["epsilon"] == 1


def test_a_number_of_records_that_is_all_noise_is_not_told_as_one(run, study):
    """Negative in one run of two: none of five is with a probability of .03, and nothing was looked at then."""
    study.write_table(rows=study.rows[:5])
    for _ in range(5):
        result = run(
            *["release", "study.csv", "--schema", "study.schema.json", "--force"],
            *["--epsilon", "0.001", "--delta", "1e-6", "-o", "out.release"],
        )
        assert result.returncode == 0, result.stderr
        assert "about -" not in result.stdout
        assert "too few records to be told from noise." in result.stdout or " records." in result.stdout
