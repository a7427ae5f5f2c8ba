"""How a CSV is written belongs to its schema: drafted, read, written and compared so."""

import csv
import json
import zipfile
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

DIALECT = {"delimiter": ";", "decimal": ",", "thousands": ".", "missing": ["k. A."], "encoding": "utf-8-bom"}
SPELLINGS = {
    "income": {"suffix": " €"},
    "smoker": {"true": "ja", "false": "nein"},
    "visit": {"format": "%d.%m.%Y"},
}
WORDS = {"true": "ja", "false": "nein"}


def german_number(text):
    whole, _, decimals = f"{float(text):,.2f}".partition(".")
    return whole.replace(",", ".") + "," + decimals + " €"


def german_row(row):
    person, income, age, region, smoker, visit, outcome = row
    visit = date.fromisoformat(visit).strftime("%d.%m.%Y")
    return [person, german_number(income), age, region or "k. A.", WORDS[smoker], visit, outcome]


@pytest.fixture
def german(study):
    """The study as a German Excel writes it, and its schema."""
    with open(study.folder / "german.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(study.columns)
        writer.writerows(map(german_row, study.rows))
    schema = {**study.schema, "dialect": DIALECT}
    schema["columns"] = [{**column, **SPELLINGS.get(column["name"], {})} for column in schema["columns"]]
    study.write_schema("german.json", schema)
    return study


def test_a_draft_says_how_the_table_is_written(run, german):
    result = run("schema", "init", "german.csv", "--null", "k. A.", "-o", "draft.json")
    assert result.returncode == 0, result.stderr
    draft = json.loads((german.folder / "draft.json").read_text())
    assert draft["dialect"] == DIALECT
    columns = {column["name"]: column for column in draft["columns"]}
    for name, spelling in SPELLINGS.items():
        assert {key: columns[name][key] for key in spelling} == spelling
    assert [columns[name]["kind"] for name in SPELLINGS] == ["numeric", "boolean", "date"]
    assert columns["income"]["bounds"] == columns["visit"]["bounds"] == "undeclared"
    for words in ["separated by ';'", "'visit' is taken for a date", "currency", "words for true"]:
        assert words in result.stderr
    assert not any(secret in result.stderr for secret in german.secrets())


def test_a_public_draft_reads_bounds_in_the_dialect(run, german):
    result = run("schema", "init", "german.csv", "--public", "--null", "k. A.", "-o", "draft.json")
    assert result.returncode == 0, result.stderr
    draft = json.loads((german.folder / "draft.json").read_text())
    columns = {column["name"]: column for column in draft["columns"]}
    incomes = [float(row[1]) for row in german.rows]
    assert columns["income"]["bounds"] == [min(incomes), max(incomes)]
    assert columns["visit"]["bounds"] == [min(row[5] for row in german.rows), max(row[5] for row in german.rows)]
    assert columns["region"]["categories"] == ["north", "south", "west"]


def test_a_synthetic_table_is_written_as_the_real_one(run, german, assert_done):
    given = ["--schema", "german.json", "--epsilon", "1", "--delta", "1e-6", "--quiet"]
    assert_done(run("synth", "german.csv", *given, "-o", "made.csv"))
    text = (german.folder / "made.csv").read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(text.decode("utf-8-sig").splitlines(), delimiter=";"))
    assert rows[0].keys() == set(german.columns) - {"person"}
    for row in rows:
        whole, _, decimals = row["income"].removesuffix(" €").partition(",")
        assert german_number(f"{whole.replace('.', '')}.{decimals or 0}") == f"{whole},{decimals:0<2} €"
        assert row["smoker"] in ("ja", "nein")
        assert row["region"] in ("north", "south", "west", "k. A.")
        day, month, year = row["visit"].split(".")
        assert date(2020, 1, 1) <= date(int(year), int(month), int(day)) <= date(2024, 12, 31)
    assert_done(run("schema", "check", "german.json", "made.csv"))


def test_evaluate_reads_synthetic_tables_of_either_dialect(run, german, assert_done):
    given = ["--schema", "german.json", "--epsilon", "1", "--delta", "1e-6", "--quiet"]
    assert_done(run("synth", "german.csv", *given, "-o", "made.csv"))
    # The same records as a program without the dialect writes them.
    assert_done(run("sample", "made.mehler", "--rows", "200", "--quiet", "-o", "made.parquet"))
    assert_done(run("sample", "made.mehler", "--rows", "200", "--quiet", "-o", "made.csv"))
    table = pq.read_table(german.folder / "made.parquet").to_pylist()
    with open(german.folder / "plain.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table[0])
        for row in table:
            writer.writerow(str(value).lower() if isinstance(value, bool) else value for value in row.values())
    for compared in (["--real", "german.csv", "--schema", "german.json"], ["--release", "made.release"]):
        found = [run("evaluate", *compared, "--synthetic", f"made{end}", "--json") for end in (".csv", ".parquet")]
        found.append(run("evaluate", *compared, "--synthetic", "plain.csv", "--json"))
        for result in found:
            assert_done(result)
            assert result.stdout == found[0].stdout


def test_options_of_the_command_line_win(run, german, assert_done):
    german.write_table("commas.csv", rows=[[*row[:3], row[3] or "?", *row[4:]] for row in german.rows], delimiter="|")
    schema = {**german.schema, "dialect": {"delimiter": ";", "decimal": ",", "missing": "NA"}}
    german.write_schema("other.json", schema)
    given = ["--delimiter", "|", "--decimal", ".", "--thousands", "none", "--null", "?", "--encoding", "latin-1"]
    assert_done(run("schema", "check", "other.json", "commas.csv", *given))


def test_a_value_of_another_form_is_named_by_column_and_record(run, german, assert_refused):
    text = (german.folder / "german.csv").read_text(encoding="utf-8-sig").replace("\r", "").split("\n")
    fields = text[57].split(";")
    text[57] = ";".join([*fields[:5], "2023-11-29", *fields[6:]])
    (german.folder / "german.csv").write_text("\n".join(text))
    result = run("schema", "check", "german.json", "german.csv")
    assert_refused(result, "'visit'", "in record 57", "%d.%m.%Y", secrets=["2023-11-29"])


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--decimal", ";", ["--decimal", "'.' or ','"]),
        ("--thousands", "x", ["thousands separator", "apostrophe"]),
        ("--encoding", "utf8", ["--encoding", "'utf8'", "windows-1252"]),
        ("--decimal", ",", ["decimal", "delimiter", "';'"]),
        ("--thousands", ".", ["same character", "decimal"]),
        ("--null", "a,b", ["missing values", "delimiter"]),
    ],
)
def test_an_impossible_way_to_read_is_refused(release, assert_refused, option, value, words):
    words = [word.replace("';'", '";"') for word in words]
    assert_refused(release(option, value), *words)


def test_a_form_of_numbers_is_no_option_of_parquet(release, study, assert_refused):
    pq.write_table(pa.table({"income": [1.0]}), study.folder / "study.parquet")
    assert_refused(release("--decimal", ",", table="study.parquet"), "form of numbers", "CSV tables only")
    assert_refused(release("--encoding", "utf-8", table="study.parquet"), "an encoding", "CSV tables only")


def test_a_workbook_that_is_not_read_says_what_to_do(run, study, assert_refused):
    (study.folder / "study.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(40))
    assert_refused(run("schema", "init", "study.xls"), "Excel workbook", "File > Save As > CSV UTF-8")
    assert_refused(run("schema", "init", "-", stdin=b"PK\x03\x04" + bytes(40)), "workbook", ".xlsx")


def write_workbook(path, rows):
    """A workbook of texts, numbers and, where a value is a date, dates."""
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = []
        for value in row:
            if isinstance(value, date):
                cells.append(f'<c s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>')
            elif isinstance(value, float):
                cells.append(f"<c><v>{value!r}</v></c>")
            else:
                cells.append(f'<c t="inlineStr"><is><t>{value}</t></is></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", '<workbook><sheets><sheet name="Data" id="a"/></sheets></workbook>')
        archive.writestr("xl/_rels/workbook.xml.rels", '<r><Relationship Id="a" Target="worksheets/sheet1.xml"/></r>')
        archive.writestr("xl/styles.xml", '<s><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></s>')
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{''.join(lines)}</sheetData></worksheet>")


def test_a_workbook_gives_the_figures_of_its_csv(run, study, assert_done):
    rows = [
        [person, float(income), float(age), region, smoker, date.fromisoformat(visit), outcome]
        for person, income, age, region, smoker, visit, outcome in study.rows
    ]
    write_workbook(study.folder / "study.xlsx", [study.columns, *rows])
    assert_done(run("schema", "check", "study.schema.json", "study.xlsx", "--sheet", "Data"))
    found = [
        run("evaluate", "--real", table, "--synthetic", "study.csv", "--schema", "study.schema.json", "--json")
        for table in ("study.csv", "study.xlsx")
    ]
    for result in found:
        assert_done(result)
        assert result.stdout == found[0].stdout
    draft = json.loads(run("schema", "init", "study.xlsx").stdout)
    kinds = ["categorical", "numeric", "integer", "categorical", "boolean", "date", "categorical"]
    assert [column["kind"] for column in draft["columns"]] == kinds
    assert "dialect" not in draft


def test_one_column_with_semicolons_says_what_to_do(run, study):
    (study.folder / "semi.csv").write_text("a;b;c\nx;y;z\nx;y\n")
    result = run("schema", "init", "semi.csv")
    assert result.returncode == 0
    assert "--delimiter ';'" in result.stderr
