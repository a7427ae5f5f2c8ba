"""`mehler evaluate --target` has the figures of scikit-learn's logistic regression."""

import json
import os
import subprocess

import pyarrow.parquet
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from small_tables import make_schema, make_table

from mehler.evaluation import classifier_scores
from mehler.evaluation.features import ONE_HOT, encode
from mehler.evaluation.problem import make_problem


@pytest.fixture
def native(tmp_path):
    """native(train, test, schema, *extra): the part about the classifier of `mehler evaluate --json`."""

    def evaluate(train, test, schema, *extra):
        (tmp_path / "schema.json").write_text(json.dumps(schema))
        for name, table in (("train", train), ("test", test)):
            pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet")
        command = "evaluate --synthetic train.parquet --real test.parquet --schema schema.json --target income --json"
        result = subprocess.run(
            [os.environ["MEHLER_PROGRAM"], *command.split(), *extra], cwd=tmp_path, capture_output=True, check=True
        )
        return json.loads(result.stdout)["classification"]

    return evaluate


def test_two_classes(native, train, test, schema):
    found = native(train, test, schema)
    expected = classifier_scores(train, test, schema, "income", ["logistic_regression"], workers=1)
    assert found["positive"] == expected.positive
    for metric, value in expected.rows[0].metrics.items():
        # Both end within about 1e-4 of the minimum's parameters: a pair of records of 40,000 may change places.
        assert found["synthetic"][metric] == pytest.approx(value, abs=2e-3)


def test_the_other_class(native, train, test, schema):
    found = native(train, test, schema, "--positive", "lo")
    expected = classifier_scores(train, test, schema, "income", ["logistic_regression"], workers=1, positive="lo")
    assert found["synthetic"]["average_precision"] == pytest.approx(
        expected.rows[0].metrics["average_precision"], abs=2e-3
    )


def test_several_classes(native):
    classes = ("a", "b", "c")
    train, test, schema = make_table(300, 1, classes), make_table(400, 2, classes), make_schema(classes)
    found = native(train, test, schema)["synthetic"]
    problem = make_problem(train, test, schema, "income")
    features = encode(problem.columns, problem.train, problem.test, ONE_HOT, "standardised")
    model = OneVsRestClassifier(LogisticRegression(max_iter=5000, tol=1e-8))
    predicted = model.fit(features.train, problem.labels.train).predict(features.test)
    assert found["f1_weighted"] == pytest.approx(f1_score(problem.labels.test, predicted, average="weighted"), abs=5e-3)
    assert found["accuracy"] == pytest.approx(accuracy_score(problem.labels.test, predicted), abs=5e-3)
