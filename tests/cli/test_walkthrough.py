"""docs/guide/from-excel.md, run as it stands there."""

import csv
import random
import re
import shlex
from datetime import date, timedelta
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "from-excel.md"
BOOK = {"I10": "hypertension", "J18": "pneumonia", "K80": "gallstones"}


def blocks(language):
    """The fenced blocks of a language: what stands behind it, and their text."""
    return re.findall(rf"^```{language} ?([^\n]*)\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)


def german(number):
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


def read_german(text):
    return float(text.replace(".", "").replace(",", "."))


def read_date(text):
    day, month, year = text.split(".")
    return date(int(year), int(month), int(day))


@pytest.fixture
def hospital(tmp_path):
    """The steward's files, with 6,000 visits."""
    chance = random.Random(7)
    with open(tmp_path / "visits.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow("patient_no admitted discharged age ward diagnosis bill smokes".split())
        for _ in range(6000):
            ward = chance.choice(["medicine", "surgery", "children"])
            admitted = date(2024, 1, 1) + timedelta(days=chance.randrange(330))
            stay = min(30, int(chance.expovariate(0.25)))
            writer.writerow(
                [
                    40_000 + chance.randrange(4000),
                    admitted.strftime("%d.%m.%Y"),
                    (admitted + timedelta(days=stay)).strftime("%d.%m.%Y"),
                    chance.randrange(18) if ward == "children" else chance.randrange(18, 100),
                    ward,
                    chance.choice([*BOOK, "Z99"]),
                    german(95 + 450 * stay + chance.random() * 400),
                    chance.choice(["ja", "nein"]),
                ]
            )
    book = "".join(f"{code};{what}\n" for code, what in BOOK.items())
    (tmp_path / "icd10.csv").write_text("code;what\n" + book)
    return tmp_path


def run_guide(run, folder):
    for name, text in blocks("json"):
        (folder / name).write_text(text)
    results = {}
    for _, text in blocks("sh"):
        words = shlex.split(text)
        assert words[0] == "mehler"
        # The draft goes beside the schema that the guide ends up with.
        result = run(*[word if words[2] != "init" else word.replace(".schema.", ".draft.") for word in words[1:]])
        assert result.returncode == 0, (text, result.stderr)
        results[words[1] if words[1] != "schema" else words[2]] = result
    return results


def test_the_guide_leads_from_excel_to_a_table_that_excel_opens(run, hospital):
    results = run_guide(run, hospital)
    draft = (hospital / "visits.draft.json").read_text()
    assert '"delimiter": ";"' in draft and '"decimal": ","' in draft and "%d.%m.%Y" in draft and '"ja"' in draft
    assert "bought: " in results["inspect"].stdout
    assert (hospital / "synthetic.csv").read_bytes().startswith(b"\xef\xbb\xbfpatient_no;admitted;")
    with open(hospital / "synthetic.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    assert len(rows) > 4000
    for row in rows:
        assert 0 <= (read_date(row["discharged"]) - read_date(row["admitted"])).days <= 90
        assert not (row["ward"] == "children" and int(row["age"]) >= 18)
        assert row["diagnosis"] in {*BOOK, "other"}
        assert row["smokes"] in ("ja", "nein", "")
        assert row["bill"] == "" or re.fullmatch(r"[\d.]+(,\d\d?)?", row["bill"])
    assert len({row["patient_no"] for row in rows}) == len(rows)
    bills = [read_german(row["bill"]) for row in rows if row["bill"]]
    assert 50 < min(bills) and max(bills) < 50_000
    with open(hospital / "older.csv", encoding="utf-8-sig", newline="") as file:
        older = list(csv.DictReader(file, delimiter=";"))
    assert len(older) == 200
    assert all(int(row["age"]) >= 65 and row["diagnosis"] in ("I10", "J18") for row in older)
