"""What notebooks show: tables that are escaped and say who may see them; figures with bands of noise."""

import pickle
import sys

import matplotlib
import polars
import pytest
from small import BUDGET, SCHEMA, table

import mehler

matplotlib.use("agg")
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def comparison(release, model):
    return release.compare(model.sample(2000))


def test_everything_has_html_that_names_what_it_is(schema, release, model, comparison, people):
    records = model.sample(100)
    evaluation = mehler.evaluate(records, real=people, schema=schema, marginals=[1])
    plan = mehler.plan(schema, rows=2000, epsilon=1, delta=1e-6)
    shown = {
        "Schema": schema,
        "differentially private": release.statement,
        "Release": release,
        "Model": model,
        "100 synthetic records": records,
        "released": comparison,
        "must not be": evaluation,
        "No table was read": plan,
        "marginals": mehler.methods(),
        "option": mehler.methods()["dp-hp"],
    }
    for words, thing in shown.items():
        html = thing._repr_html_()
        assert words in html and html.startswith("<") and len(repr(thing)) < 5000
    assert "#b42318" in evaluation._repr_html_() and "#1a7f37" in release._repr_html_()
    assert "#9a6700" in comparison._repr_html_() and "may be shared if" in comparison._repr_html_()


def test_comparisons_and_evaluations_are_pages_of_one_file(comparison, people, schema, model, tmp_path):
    evaluation = mehler.evaluate(model.sample(100), real=people, schema=schema, marginals=[1])
    for thing, words in ((comparison, "may be shared if"), (evaluation, "must not be published")):
        path = tmp_path / "report.html"
        thing.to_html(path)
        page = path.read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>") and "default-src 'none'" in page and "http://" not in page
        assert words in page.lower() and "diagnosis" in page
        assert page.rstrip().endswith("</html>") and [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
        with pytest.raises(mehler.FileError, match="cannot be written"):
            thing.to_html(tmp_path / "absent" / "report.html")


def test_names_and_categories_are_escaped():
    odd = mehler.Schema({SCRIPT: mehler.categorical([SCRIPT, "b"])})
    given = mehler.release(polars.DataFrame({SCRIPT: [SCRIPT] * 30}), schema=odd, **BUDGET)
    for thing in (odd, given, given.fit(), given.fit().sample(5), given.statement):
        assert "<script" not in thing._repr_html_()


def test_reprs_of_what_holds_private_records_show_none(people, schema):
    source = mehler._tables.source_of(people)
    assert "watch" not in repr(source) and "2000" not in repr(source.engine)
    assert "2000" not in repr(schema.check(people))
    with pytest.raises(TypeError):  # nor does it pickle
        pickle.dumps(source.engine)


def test_columns_and_pairs_are_drawn_with_bands(release, comparison):
    figure = comparison.plot("age")
    (axes,) = figure.axes
    assert axes.get_title() == "age" and {"released", "synthetic", "noise, 2 sd"} == {
        text.get_text() for text in axes.get_legend().get_texts()
    }
    assert len(comparison.plot().axes) == 6
    assert "age x smoker" in [axes.get_title() for axes in comparison.plot("age", "smoker").axes]
    assert release.plot("region", "age", "smoker").axes[0].get_title() == "region"


@pytest.fixture(scope="module")
def copies():
    """A release of two columns that are equal, and of a third of its own."""
    values = polars.Series(["a", "b"] * 1000)
    frame = polars.DataFrame({"one": values, "two": values, "other": ["c", "c", "d", "d"] * 500})
    letters, others = mehler.categorical(["a", "b"]), mehler.categorical(["c", "d"])
    schema = mehler.Schema({"one": letters, "two": letters, "other": others})
    return mehler.release(frame, schema=schema, epsilon=10, delta=1e-6)


def test_a_pair_of_a_release_is_drawn_against_columns_without_a_relation(copies):
    drawn = copies.plot("one", "two").axes[0].images[0].get_array()
    assert drawn[0][0] > 4 and drawn[1][1] > 4 and drawn[0][1] < -4 and drawn[1][0] < -4
    assert abs(copies.plot("one", "other").axes[0].images[0].get_array()).max() < 4


def test_altair_draws_where_matplotlib_is_not_installed(copies, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    comparison = copies.compare(copies.fit().sample(500))
    charts = comparison.plot().to_dict()["hconcat"]
    assert [chart["layer"][0]["title"] for chart in charts] == ["one", "two", "other"]
    assert [len(chart["layer"]) for chart in charts] == [3, 3, 3]  # with the synthetic counts
    assert [len(chart["layer"]) for chart in copies.plot().to_dict()["hconcat"]] == [2, 2, 2]
    pair = copies.plot("one", "two").to_dict()
    assert pair["hconcat"][0]["title"] == "one x two"
    cells = pair["data"]["values"]
    assert [cell["sd"] > 4 for cell in cells] == [True, False, False, True]


@pytest.mark.parametrize("columns", [("aeg",), ("age", "aeg"), ("patient_id",)])
def test_columns_that_were_not_counted_are_named(comparison, columns):
    with pytest.raises(mehler.ArgumentError, match="has no counts of '(aeg|patient_id)'; it has those of age"):
        comparison.plot(*columns)


def test_without_a_library_to_draw_with_that_is_said(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(mehler.Error, match="drawing needs matplotlib or altair"):
        comparison.plot()


def test_a_release_of_features_has_nothing_to_draw():
    made = mehler.release(table("polars"), schema=SCHEMA, **BUDGET, method="dp-hp", order=8)
    with pytest.raises(mehler.Error, match="no counts of columns"):
        made.plot()
