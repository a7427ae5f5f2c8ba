"""Tables, schemas and options that cannot be scored: one clear error each, without a value of a record."""

import pyarrow as pa
import pytest
from small_tables import make_schema, replaced

from mehler import Error
from mehler.evaluation import classifier_scores

QUICK = ["gaussian_nb"]


@pytest.fixture
def refused(train, test, schema):
    """refused(*words, ...): classifier_scores with something changed raises an error with these words."""

    def check(*words, train=train, test=test, schema=schema, target="income", **options):
        with pytest.raises(Error) as error:
            classifier_scores(train, test, schema, target, **{"classifiers": QUICK, "workers": 1, **options})
        for word in words:
            assert word in str(error.value), error.value

    return check


def test_a_column_that_one_table_lacks(refused, train, test):
    refused("in the train table: the table has no column 'age'", train=train.drop_columns("age"))
    refused("in the test table: the table has no column 'income'", test=test.drop_columns("income"))


def test_a_column_that_the_schema_lacks(refused, test):
    refused("in the test table: the table has the column 'more'", test=test.append_column("more", pa.array([1] * 400)))


def test_a_column_twice(refused, train):
    refused("two columns named 'age'", train=train.append_column("age", train["age"]))


def test_another_kind(refused, train, test):
    refused("in the train table: column 'age'", "integer", train=replaced(train, "age", ["x"] * 300))
    refused("in the test table: column 'since'", "date", test=replaced(test, "since", [1.5] * 400))


@pytest.mark.parametrize("which", ["train", "test"])
def test_an_empty_table(refused, request, which):
    refused(f"the {which} table has a header but no rows", **{which: request.getfixturevalue(which).slice(0, 0)})


def test_a_single_class_in_the_test_table(refused, test):
    refused("'income' has a single class in the test table", test=replaced(test, "income", ["hi"] * 400))


def test_a_target_without_values(refused, train):
    refused("missing in every record of the train table", train=replaced(train, "income", pa.nulls(300, pa.string())))


def test_a_target_that_is_not_there_or_no_class(refused):
    refused("no column for the target 'incom'", "did you mean 'income'", target="incom")
    refused("'age' is integer", "categorical, ordinal or boolean", target="age")
    refused("no column for the target 'id'", target="id")


def test_a_target_of_one_category(refused):
    refused("one category in the schema", schema=make_schema(("lo",)))


def test_a_schema_without_features(refused, train, test):
    schema = make_schema()
    schema["columns"] = schema["columns"][-1:]
    tables = {"train": train.select(["income"]), "test": test.select(["income"])}
    refused("no column beside the target", schema=schema, **tables)


def test_a_positive_class_that_is_none(refused):
    refused("no class of the target 'income' 'high'", "lo, hi", positive="high")
    refused("more than two classes", schema=make_schema(("lo", "hi", "mid")), positive="hi")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"classifiers": ["lad"]}, "no classifier 'lad', did you mean 'lda'?"),
        ({"classifiers": []}, "one or more names"),
        ({"classifiers": ["lda", "lda"]}, "each once"),
        ({"protocol": "publish"}, "no protocol 'publish', did you mean 'published'?"),
        ({"scaling": "none"}, "no scaling 'none'"),
        ({"seeds": []}, "seeds must be"),
        ({"seeds": [1, 1]}, "seeds must be"),
        ({"seeds": [-1]}, "seeds must be"),
        ({"seeds": [0.5]}, "seeds must be"),
        ({"workers": 0}, "workers must be"),
    ],
)
def test_options_out_of_range(refused, options, words):
    refused(words, **options)


def test_a_classifier_that_fails_is_told_and_left_out_of_the_mean(train, test, schema, monkeypatch):
    from mehler.evaluation import settings

    def fail(**_):
        raise ValueError("quotes 'secret'")

    monkeypatch.setitem(settings.PAPER, "lda", settings.setting(fail))
    scores = classifier_scores(train, test, schema, "income", ["lda", "gaussian_nb"], workers=1)
    assert scores.rows[0].note == "could not be trained (ValueError)" and scores.rows[0].metrics == {}
    summary = scores.summary()
    assert summary["mean"] == summary["gaussian_nb"]


def test_xgboost_that_is_not_installed_is_told(train, test, schema, monkeypatch):
    from mehler.evaluation import settings

    monkeypatch.setattr(settings, "xgboost_is_installed", lambda: False)
    scores = classifier_scores(train, test, schema, "income", ["xgboost", "gaussian_nb"], workers=1)
    assert scores.rows[0].note.startswith("not available: xgboost")
    assert set(scores.summary()) == {"gaussian_nb", "mean"}
