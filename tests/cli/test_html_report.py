"""evaluate --html: pages that load nothing, run nothing but their own script, and say who may see them."""

import base64
import hashlib
import html.parser
import json
import re
import shutil
import subprocess

import image_sets
import numpy as np
import pytest

CONDITION = "the synthetic table was made from this release alone, or without private records"
HOSTILE = "<script>alert(1)</script>"


class Tags(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found, self.texts, self._open = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self._open = tag if tag in ("script", "style") else None

    def handle_endtag(self, _):
        self._open = None

    def handle_data(self, data):
        if self._open:
            self.texts.append((self._open, self.found[-1][1], data))


def figures_of(path):
    """The JSON of a page, after it was seen that the page is closed to the outside."""
    text = path.read_text(encoding="ascii")
    assert not re.search(r"https?:|//[a-z]|@import|url\(", text.split('id="figures"')[0], re.I)
    tags = Tags(text)
    for tag, attributes in tags.found:
        assert tag in ("html head meta title style body svg main noscript script".split()), tag
        assert not {"src", "href", "srcset", "action"} & set(attributes), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes)
    policy = next(a["content"] for t, a in tags.found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    data, hashed = [], 0
    for tag, attributes, inner in tags.texts:
        if attributes.get("type") == "application/json":
            data.append(inner)
        else:
            digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy, "what the policy lets run is what stands there"
            hashed += 1
    assert (len(data), hashed) == (1, 2)
    assert not set("<>&") & set(data[0])
    return json.loads(data[0])


@pytest.fixture
def synthetic(model, run, assert_done, study):
    """study.release, and synthetic.csv that was made from it."""
    assert_done(run("sample", "study.mehler", "--rows", "400", "--quiet", "-o", "synthetic.csv"))
    return study


@pytest.fixture
def shareable(run, study):
    def evaluate(*extra, page="report.html", **options):
        return run(
            "evaluate", "--release", "study.release", "--synthetic", "synthetic.csv", "--html", page, *extra, **options
        )

    return evaluate


@pytest.fixture
def for_owner(run, study):
    def evaluate(*extra, page="report.html", schema="study.schema.json", **options):
        study.write_table("held.csv", rows=study.simulate(300, seed=2))
        tables = ["--real", "held.csv", "--synthetic", "synthetic.csv", "--schema", schema]
        return run("evaluate", *tables, "--html", page, *extra, **options)

    return evaluate


def test_a_page_beside_a_release_says_when_it_may_be_shared(synthetic, shareable, run, assert_done):
    result = shareable()
    assert_done(result)
    assert result.stdout == f"Wrote report.html. It may be shared if {CONDITION}.\n"
    page = figures_of(synthetic.folder / "report.html")
    assert page["mode"] == "release"
    assert page["banner"]["heading"] == f"May be shared if {CONDITION}."
    as_json = json.loads(run("evaluate", "--release", "study.release", "--synthetic", "synthetic.csv", "--json").stdout)
    assert page["banner"]["words"] == as_json["privacy"]
    inspected = json.loads(run("inspect", "study.release", "--json").stdout)
    assert page["guarantee"]["words"] == inspected["privacy"]["in_words"]
    assert sum(part["share"] for part in page["guarantee"]["parts"]) == pytest.approx(1)
    tiles = {tile["label"]: tile["value"] for tile in page["tiles"]}
    assert tiles["Privacy"] == "epsilon 50" and tiles["Records"] == "400"
    assert tiles["All released numbers"] == f"{as_json['all']['root_mean_square']:.2f} \u00d7 noise"
    cards = {card["name"]: card for card in page["columns"]["cards"]}
    assert set(cards) == {"income", "age", "region", "smoker", "visit", "outcome"}
    assert cards["region"]["labels"] == ["north", "south", "west", "missing"]
    assert all(card["sigma"] > 0 and len(card["reference"]) == len(card["synthetic"]) for card in cards.values())
    distances = [card["distance"] for card in page["columns"]["cards"]]
    assert distances == sorted(distances, reverse=True)
    distances = [value[2] for value in page["pairs"]["values"]]
    assert len(distances) == 15 and distances == sorted(distances, reverse=True)
    facts = dict(page["facts"])
    assert facts["command"] == "mehler evaluate --synthetic synthetic.csv --release study.release --html report.html"
    assert facts["method"] == "marginals" and facts["made by"].startswith("Mehler ")


def test_a_page_beside_a_release_reads_nothing_private(synthetic, shareable, assert_done):
    for name in ("study.csv", "study.schema.json"):
        (synthetic.folder / name).unlink(missing_ok=True)
    assert_done(shareable())
    text = (synthetic.folder / "report.html").read_text()
    for secret in synthetic.secrets():
        assert secret not in text


def test_a_page_beside_real_records_is_for_their_owner(synthetic, for_owner, assert_done):
    result = for_owner("--target", "outcome")
    assert_done(result)
    assert result.stdout == "Wrote report.html. It is for the owner of the data and must not be published.\n"
    page = figures_of(synthetic.folder / "report.html")
    assert page["mode"] == "owner" and "guarantee" not in page
    assert "must not be published" in page["banner"]["heading"]
    assert "No privacy guarantee covers them" in page["banner"]["words"]
    assert {"NIST score", "Quality", "Prediction", "Told apart"} <= {tile["label"] for tile in page["tiles"]}
    assert "may be shared" not in json.dumps(page).lower()
    for card in page["columns"]["cards"]:
        assert sum(card["reference"]) == pytest.approx(1, abs=1e-3) and card["sigma"] == 0
    assert len(page["pairs"]["values"]) == 15
    assert "PT-" not in json.dumps(page), "an identifier"


@pytest.mark.method("dp-hp")
def test_a_release_of_features_has_figures_and_no_counts(synthetic, shareable, assert_done):
    assert_done(shareable())
    page = figures_of(synthetic.folder / "report.html")
    assert page["columns"]["cards"] == [] and page["pairs"]["values"] == []
    assert [table["title"] for table in page["tables"]] == ["Parts of the release", "Columns"]
    assert page["guarantee"]["parts"]


def hostile_study(study):
    """A column and a category that would be a script, if a page let them."""
    schema = study.schema_with("region", name=HOSTILE, categories=["north", "south", HOSTILE])
    columns = [HOSTILE if name == "region" else name for name in study.columns]
    rows = [[HOSTILE if value == "west" else value for value in row] for row in study.rows]
    study.write_table("study.csv", rows=rows, columns=columns)
    study.write_table("held.csv", rows=rows, columns=columns)
    study.write_schema(schema=schema)


@pytest.mark.parametrize("mode", ["release", "owner"])
def test_names_and_categories_are_texts_and_never_markup(study, run, assert_done, mode):
    hostile_study(study)
    given = ["--schema", "study.schema.json", "--epsilon", "5", "--delta", "1e-6", "--quiet"]
    assert_done(run("synth", "study.csv", *given, "-o", "synthetic.csv"))
    beside = ["--release", "synthetic.release"] if mode == "release" else ["--real", "held.csv", *given[:2]]
    assert_done(run("evaluate", *beside, "--synthetic", "synthetic.csv", "--html", "report.html"))
    path = study.folder / "report.html"
    assert HOSTILE not in path.read_text()
    page = figures_of(path)
    card = next(card for card in page["columns"]["cards"] if card["name"] == HOSTILE)
    assert HOSTILE in card["labels"]
    assert HOSTILE in page["pairs"]["names"]
    assert any(HOSTILE in row for row in page["schema"]["rows"])


def test_a_command_is_quoted_as_a_shell_reads_it(synthetic, shareable, assert_done):
    assert_done(shareable(page="it's <b>mine<b>.html"))
    page = figures_of(synthetic.folder / "it's <b>mine<b>.html")
    assert dict(page["facts"])["command"].endswith("--html 'it'\\''s <b>mine<b>.html'")


def test_figures_and_page_can_both_be_had(synthetic, shareable, assert_done):
    result = shareable("--json")
    assert_done(result)
    assert json.loads(result.stdout)["synthetic_records"] == 400
    assert (synthetic.folder / "report.html").is_file()
    assert_done(shareable("-o", "figures.txt"))
    assert "post-processing of the release" in (synthetic.folder / "figures.txt").read_text().replace("\n", " ")


def test_a_page_is_written_over_as_figures_are(synthetic, shareable, assert_done):
    (synthetic.folder / "report.html").write_text("old")
    assert_done(shareable())
    figures_of(synthetic.folder / "report.html")


def test_a_page_that_cannot_be_written_is_refused_before_any_work(synthetic, shareable, for_owner, assert_refused):
    assert_refused(shareable(page="nowhere/report.html"), "nowhere/report.html", "folder", output="report.html")
    (synthetic.folder / "taken").mkdir()
    assert_refused(shareable(page="taken"), "taken", "folder", output="report.html")
    assert_refused(shareable(page="-"), "--html", "file", output="report.html")
    assert_refused(shareable(page="synthetic.csv"), "would be overwritten", output="report.html")
    assert_refused(shareable("-o", "./report.html"), "--html and --output", output="report.html")


def test_a_failure_leaves_no_page(synthetic, shareable, assert_refused):
    (synthetic.folder / "synthetic.csv").write_text("no,such,columns\n1,2,3\n")
    assert_refused(shareable(), "synthetic.csv", output="report.html")
    (synthetic.folder / "report.html").write_text("old")
    assert shareable().returncode == 2
    assert (synthetic.folder / "report.html").read_text() == "old"


def test_a_full_disk_leaves_no_page(synthetic, shareable, assert_refused):
    assert_refused(shareable(limit_blocks=8), "report.html", output="report.html")


def test_a_wide_table_is_cut_and_says_so(study, run, assert_done):
    columns = [{"name": f"c{i}", "kind": "boolean"} for i in range(70)]
    (study.folder / "wide.json").write_text(json.dumps({"mehler_schema": 1, "columns": columns}))
    chance = np.random.default_rng(1)
    for name in ("a.csv", "b.csv"):
        rows = [["true" if one else "false" for one in row] for row in chance.random((200, 70)) < 0.5]
        study.write_table(name, rows=rows, columns=[column["name"] for column in columns])
    given = ["--real", "a.csv", "--synthetic", "b.csv", "--schema", "wide.json", "--marginals", "1"]
    assert_done(run("evaluate", *given, "--html", "report.html"))
    page = figures_of(study.folder / "report.html")
    assert len(page["columns"]["cards"]) == 60 and "60 of 70 columns are shown" in page["columns"]["words"]
    assert len(page["pairs"]["names"]) == 40 and "40 of 70 columns are shown" in page["pairs"]["words"]
    assert len(page["pairs"]["values"]) == 780


@pytest.fixture
def bars(study):
    """Images of a bar that lies (label 0) or stands (1): 400 real ones, and 24 synthetic ones."""
    chance = np.random.default_rng(1)
    for name, count in (("real.npz", 400), ("made.npz", 24)):
        images = chance.integers(0, 40, (count, 8, 8), dtype=np.uint8)
        labels = np.arange(count) % 2
        for image, label in zip(images, labels):
            (image.T if label else image)[3] += 200
        np.savez(study.folder / name, image=images, label=labels)
    image_sets.write_schema(study.folder, (8, 8, 1), (0, 1), target="label")
    return study


def test_a_set_of_images_is_shown(bars, run, assert_done):
    given = ["--real", "real.npz", "--synthetic", "made.npz", "--schema", "images.json", "--epochs", "1"]
    assert_done(run("evaluate", *given, "--html", "report.html"))
    page = figures_of(bars.folder / "report.html")
    assert base64.b64decode(page["picture"]["png"]).startswith(b"\x89PNG")
    assert page["picture"]["words"].endswith("from the top: 0, 1.")
    tiles = [tile["label"] for tile in page["tiles"]]
    assert tiles.count("Accuracy on real images") == 2
    assert not {"NIST score", "Quality", "Told apart"} & set(tiles)  # these would be of the label alone
    assert [row[0] for row in page["schema"]["rows"]] == ["image", "label"]
    assert page["schema"]["rows"][0][1] == "image"


def test_a_release_of_images_is_shown_without_a_comparison(bars, run, assert_done, assert_refused):
    given = ["--schema", "images.json", "--epsilon", "100", "--delta", "1e-6", "--quiet"]
    assert_done(run("release", "real.npz", *given, "-o", "images.release"))
    command = ["evaluate", "--release", "images.release", "--synthetic", "made.npz", "--html", "report.html"]
    assert_done(run(*command))
    page = figures_of(bars.folder / "report.html")
    assert page["picture"]["png"] and page["guarantee"]["words"]
    assert page["columns"]["cards"] == []
    (bars.folder / "report.html").unlink()
    assert_refused(run(*command, "--json"), "compare them with real records", output="report.html")
    command[4] = "-"
    assert_refused(run(*command), "standard input", output="report.html")


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not here")
def test_a_browser_draws_the_page(study, run, assert_done, tmp_path_factory):
    hostile_study(study)
    given = ["--schema", "study.schema.json", "--epsilon", "5", "--delta", "1e-6", "--quiet"]
    assert_done(run("synth", "study.csv", *given, "-o", "synthetic.csv"))
    assert_done(
        run("evaluate", "--release", "synthetic.release", "--synthetic", "synthetic.csv", "--html", "report.html")
    )
    profile = tmp_path_factory.mktemp("profile")
    flags = (
        "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync".split()
    )
    drawn = subprocess.run(
        ["chromium", *flags, f"--user-data-dir={profile}", "--dump-dom", (study.folder / "report.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert drawn.count('class="card"') == 6
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</h3>" in drawn
    assert drawn.count("<script") == 2
