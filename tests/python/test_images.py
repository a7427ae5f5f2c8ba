"""Image sets: what classifiers see of them, and in which files they are read."""

import gzip
import json
import struct
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from sklearn.tree import DecisionTreeClassifier

import mehler
from mehler.evaluation import CLASSIFIER_NAMES, EvaluationError, classifier_scores, read_table
from mehler.evaluation import settings as paper
from mehler.evaluation.__main__ import main
from mehler.evaluation.features import CODES, ONE_HOT, RAW, encode
from mehler.evaluation.images import balanced_order
from mehler.evaluation.problem import make_problem
from mehler.evaluation.samme_r import MANY_FEATURES, SammeRClassifier
from mehler.evaluation.stumps import SortedStumps, StumpTable, stump_table

ROWS, COLUMNS, CLASSES = 12, 10, 3
SCHEMA = {
    "mehler_schema": 1,
    "target": "label",
    "columns": [
        {"name": "image", "kind": "image", "shape": [ROWS, COLUMNS, 1]},
        {"name": "label", "kind": "categorical", "categories": [0, 1, 2]},
    ],
}


def make_images(count, seed):
    """A bright band a class, at its own height, on noise."""
    chance = np.random.default_rng(seed)
    labels = chance.integers(0, CLASSES, count)
    images = chance.integers(0, 120, (count, ROWS, COLUMNS))
    for image, label in zip(images, labels):
        image[4 * label : 4 * label + 2] += 100
    return images.astype(np.uint8), labels


def lists(images):
    return pa.FixedSizeListArray.from_arrays(pa.array(images.reshape(-1)), ROWS * COLUMNS)


def make_set(count=90, seed=1):
    images, labels = make_images(count, seed)
    return pa.table({"image": lists(images), "label": labels})


def idx(array):
    return struct.pack(f">I{array.ndim}I", 0x800 | array.ndim, *array.shape) + array.astype(np.uint8).tobytes()


def test_every_classifier_learns_images(monkeypatch):
    # A thousand stumps take seconds, and tell no more here.
    few = paper.setting(SammeRClassifier, n_estimators=20, learning_rate=0.7)
    monkeypatch.setitem(paper.CAPPED, "adaboost", few)
    scores = classifier_scores(make_set(), make_set(120, 2), SCHEMA, "label", protocol="capped", workers=1)
    assert [row.classifier for row in scores.rows] == list(CLASSIFIER_NAMES)
    assert (scores.metrics, scores.protocol, scores.records) == (("f1_weighted", "accuracy"), "capped", 90)
    for row in scores.rows:
        if row.classifier != "xgboost" or paper.xgboost_is_installed():
            # Seeded: chance is a third; stumps and shallow boosting on ninety images are the worst.
            assert row.note == "" and row.metrics["accuracy"] > 0.6, row


@pytest.mark.parametrize("encoding", [ONE_HOT, CODES, RAW])
def test_features_are_all_pixels_over_255(encoding):
    images, labels = make_images(20, 1)
    images[:, 0, 0] = 7  # constant
    problem = make_problem(pa.table({"image": lists(images), "label": labels}), make_set(20, 2), SCHEMA, "label")
    features = encode(problem.columns, problem.train, problem.test, encoding, "standardised")
    assert np.array_equal(features.train, images.reshape(20, -1) / 255)


def test_other_columns_stand_beside_the_pixels():
    schema = {**SCHEMA, "columns": [*SCHEMA["columns"], {"name": "age", "kind": "integer", "bounds": [0, 9]}]}
    tables = [make_set(20, seed).append_column("age", pa.array(range(20))) for seed in (1, 2)]
    problem = make_problem(*tables, schema, "label")
    features = encode(problem.columns, problem.train, problem.test, ONE_HOT, "bounds")
    assert features.train.shape == (20, ROWS * COLUMNS + 1)
    assert features.train[3, -1] == pytest.approx(3 / 9)


def test_frames_of_any_library_hold_images():
    import polars

    images, labels = make_images(20, 1)
    frame = polars.DataFrame({"image": images.reshape(20, -1), "label": labels})
    problem = make_problem(frame, mehler.images.table(images, labels), SCHEMA, "label")
    assert np.array_equal(problem.train["image"].values, images.reshape(20, -1))
    assert np.array_equal(problem.test["image"].values, images.reshape(20, -1))


def test_a_column_that_holds_other_images_is_refused_without_its_values():
    images, labels = make_images(20, 1)
    flat = images.reshape(20, -1)
    wrong = {
        "short": pa.array([row[:-1].tolist() for row in flat], pa.list_(pa.uint8())),
        "one short": pa.array([flat[0][:-1].tolist(), *flat[1:].tolist()], pa.list_(pa.uint8())),
        "turned": pa.array(images.transpose(0, 2, 1).tolist(), pa.list_(pa.list_(pa.uint8()))),
        "absent": pa.array([None, *flat[1:].tolist()], pa.list_(pa.uint8())),
        "absent pixel": pa.array([[None, *row[1:].tolist()] for row in flat], pa.list_(pa.uint8())),
        "wide": pa.array(flat.tolist(), pa.list_(pa.int16())),
        "png": pa.array([b"\x89PNG"] * 20),
    }
    for column in wrong.values():
        with pytest.raises(mehler.TableError, match="in the train table: column 'image'"):
            make_problem(pa.table({"image": column, "label": labels}), make_set(20, 2), SCHEMA, "label")


def test_schemas_and_protocols_that_do_not_fit_images_are_refused():
    train, test = make_set(20), make_set(20, 2)
    with pytest.raises(EvaluationError, match="protocol published is that of the paper's tables"):
        classifier_scores(train, test, SCHEMA, "label", ["lda"], protocol="published", workers=1)
    with pytest.raises(EvaluationError, match="the target 'image' is image"):
        classifier_scores(train, test, SCHEMA, "image", ["lda"], workers=1)
    for shape in (None, [12, 10], [12, 0, 1], "12x10"):
        columns = [{"name": "image", "kind": "image", "shape": shape}, SCHEMA["columns"][1]]
        with pytest.raises(mehler.SchemaError, match="column 'image'"):
            classifier_scores(train, test, {**SCHEMA, "columns": columns}, "label", ["lda"], workers=1)


def test_classes_take_turns_at_the_beginning_of_a_sample():
    classes = np.array([2, 0, 0, 0, 1, 2, 0, 1])
    order = balanced_order(classes)
    assert classes[order].tolist() == [0, 1, 2, 0, 1, 2, 0, 0]
    assert order.tolist() == [1, 4, 0, 2, 7, 5, 3, 6]  # each class in its own order


def test_records_are_the_beginning_of_a_balanced_sample():
    train, test = make_set(60), make_set(60, 2)
    chosen = train.take(balanced_order(train["label"].to_numpy())[:30])
    begun = classifier_scores(train, test, SCHEMA, "label", ["gaussian_nb"], workers=1, records=30)
    assert begun.rows == classifier_scores(chosen, test, SCHEMA, "label", ["gaussian_nb"], workers=1).rows
    assert begun.records == 30
    with pytest.raises(EvaluationError, match="60 records with a known target, fewer than 61"):
        classifier_scores(train, test, SCHEMA, "label", ["gaussian_nb"], workers=1, records=61)


def test_a_stump_is_the_tree_of_one_split_that_scikit_learn_finds():
    images, labels = make_images(200, 3)
    features, weights = images.reshape(200, -1) / 255, np.random.default_rng(4).random(200)
    table = StumpTable(features, labels, CLASSES)
    assert table.fits
    for chosen in (weights, weights**4, np.ones(200)):
        stump = table.best(chosen)
        tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(features, labels, sample_weight=chosen)
        assert (stump.feature, stump.threshold) == (tree.tree_.feature[0], pytest.approx(tree.tree_.threshold[0]))
        assert stump.predict_proba(features) == pytest.approx(tree.predict_proba(features))
    assert not StumpTable(np.random.default_rng(5).random((300, 2)), np.arange(300) % 2, 2).fits
    constant = StumpTable(np.zeros((4, 2)), np.array([0, 0, 0, 1]), 2).best(np.ones(4))
    assert constant.predict_proba(np.ones((1, 2))).tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_a_stump_of_sorted_features_is_the_tree_of_one_split_too(monkeypatch, classes):
    monkeypatch.setattr("mehler.evaluation.stumps.NUMBERS_AT_ONCE", 5000)  # several blocks of features
    random = np.random.default_rng(classes)
    labels = random.integers(0, classes, 300)
    features = np.column_stack([random.normal(size=(300, 40)), random.integers(0, 5, (300, 10)), np.ones(300)])
    features[:, 17] += 0.5 * labels
    table = stump_table(features, labels, classes)
    assert isinstance(table, SortedStumps)
    for weights in (random.random(300), random.random(300) ** 4, np.ones(300)):
        stump = table.best(weights)
        tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(features, labels, sample_weight=weights)
        assert (stump.feature, stump.threshold) == (tree.tree_.feature[0], pytest.approx(tree.tree_.threshold[0]))
        assert stump.predict_proba(features) == pytest.approx(tree.predict_proba(features))
    constant = SortedStumps(np.zeros((4, 2)), np.array([0, 0, 0, 1]), 2).best(np.ones(4))
    assert constant.predict_proba(np.ones((1, 2))).tolist() == [[0.75, 0.25]]


def pixels(records, seed):
    images, labels = make_images(records, seed)
    return images.reshape(records, -1) / 255, labels


def numbers(records, seed):
    """Hundreds of values a feature."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, CLASSES, records)
    return random.normal(size=(records, MANY_FEATURES)) + labels[:, None] * np.linspace(0, 1, MANY_FEATURES), labels


def separable(records, seed):
    """Two classes that a few numbers tell apart: records that are right weigh hardly anything after some rounds."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, records)
    features = random.normal(size=(records, MANY_FEATURES))
    features[:, :5] += 1.5 * labels[:, None]
    return features, labels


def separable_levels(records, seed):
    """The same of a hundred values."""
    features, labels = separable(records, seed)
    return np.clip(np.round(20 * features) + 60, 0, 100), labels


@pytest.mark.parametrize("make", [numbers, separable, separable_levels])
def test_sides_that_weigh_hardly_anything_are_worth_no_more_than_that(make):
    features, labels = make(300, 5)
    weights = np.full(300, np.finfo(np.float64).eps)
    weights[:20] = 0.05
    stump = stump_table(features, labels, labels.max() + 1).best(weights)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(features, labels, sample_weight=weights)

    def purity(shares, on_right):
        sides = [weights[~on_right].sum(), weights[on_right].sum()]
        return sum(weight * (side**2).sum() for weight, side in zip(sides, shares))

    ours = purity(stump.shares, features[:, stump.feature] > stump.threshold)
    values = tree.tree_.value[1:3, 0]
    theirs = purity(values, features[:, tree.tree_.feature[0]] > tree.tree_.threshold[0])
    assert ours == pytest.approx(theirs, rel=1e-9)


# Of equally good splits, as pixels have many, scikit-learn takes any.
@pytest.mark.parametrize("make, rounds", [(pixels, 12), (numbers, 50), (separable, 50), (separable_levels, 50)])
def test_boosted_stumps_predict_as_boosted_trees_do(monkeypatch, make, rounds):
    (features, labels), (others, _) = make(300, 3), make(100, 4)
    assert features.shape[1] >= MANY_FEATURES
    by_stumps = SammeRClassifier(rounds, 0.7, random_state=0).fit(features, labels)
    monkeypatch.setattr("mehler.evaluation.samme_r.MANY_FEATURES", 10**9)
    by_trees = SammeRClassifier(rounds, 0.7, random_state=0).fit(features, labels)
    assert by_stumps.decision_function(others) == pytest.approx(by_trees.decision_function(others))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """run(*arguments): the command in a folder with an image set in every format; its exit code, output and errors."""
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    for name, count, seed in (("train", 60, 1), ("test", 60, 2)):
        images, labels = make_images(count, seed)
        pa.parquet.write_table(make_set(count, seed), tmp_path / f"{name}.parquet")
        pa.feather.write_feather(make_set(count, seed), tmp_path / f"{name}.arrow")
        np.savez(tmp_path / f"{name}.npz", image=images, label=labels)
        (tmp_path / f"{name}-images-idx3-ubyte").write_bytes(idx(images))
        (tmp_path / f"{name}-labels-idx1-ubyte").write_bytes(idx(labels))
        (tmp_path / f"{name}-images.idx.gz").write_bytes(gzip.compress(idx(images)))
        (tmp_path / f"{name}-labels.idx.gz").write_bytes(gzip.compress(idx(labels)))
    monkeypatch.chdir(tmp_path)

    def run_command(train, test, *arguments):
        words = ["--train", train, "--test", test, "--schema", "schema.json", "--workers", "1", *arguments]
        monkeypatch.setattr(sys, "argv", ["mehler.evaluation", "--classifiers", "gaussian_nb,lda", *words])
        return main(), *capsys.readouterr()

    return run_command


def test_every_format_gives_the_same_figures(run):
    found = []
    for name in ("{}.parquet", "{}.arrow", "{}.npz", "{}-images-idx3-ubyte", "{}-images.idx.gz"):
        code, output, errors = run(name.format("train"), name.format("test"), "--json")
        assert (code, errors) == (0, "")
        found.append(json.loads(output))
    assert all(other == found[0] for other in found[1:])
    assert found[0]["records"] == 60


def test_numbers_of_records_stand_beside_each_other(run, tmp_path):
    code, output, errors = run("train.npz", "test.npz", "--records", "45,15", "--protocol", "capped", "-o", "out.csv")
    assert (code, errors) == (0, "")
    words = output.replace("\n", " ")
    assert "Protocol capped" in words and "mlp max_iter 25" in words and "linear_svc max_iter 60 (10000)" in words
    assert ["accuracy", "45", "15"] in [line.split() for line in output.splitlines()]
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert [line.split(",")[3] for line in lines] == ["records", "45", "45", "15", "15"]
    code, output, errors = run("train.npz", "test.npz", "--records", "45,15", "--json")
    assert [entry["records"] for entry in json.loads(output)["by_records"]] == [45, 15]
    code, output, errors = run("train.npz", "test.npz", "--records", "45,0")
    assert code == 2 and "--records" in errors


def test_files_that_hold_no_images_are_refused(run, tmp_path):
    whole = (tmp_path / "train-images-idx3-ubyte").read_bytes()
    (tmp_path / "cut-images-idx3-ubyte").write_bytes(whole[:-1])
    (tmp_path / "alone-images-idx3-ubyte").write_bytes(whole)
    (tmp_path / "few-images.idx").write_bytes(whole)
    (tmp_path / "few-labels.idx").write_bytes(idx(np.zeros(3)))
    (tmp_path / "bad.npz").write_bytes(b"PK")
    (tmp_path / "bad-images.idx.gz").write_bytes(whole)
    np.savez(tmp_path / "uneven.npz", image=np.zeros((3, ROWS, COLUMNS), np.uint8), label=np.zeros(2, np.int64))
    (tmp_path / "train.csv").write_text("image,label\n1,2\n")
    for name, words in (
        ("cut-images-idx3-ubyte", "is damaged, empty or not idx"),
        ("bad-images.idx.gz", "is damaged, empty or not idx"),
        ("train-labels-idx1-ubyte", "holds no images"),
        ("alone-images-idx3-ubyte", "are not beside it"),
        ("few-images.idx", "does not hold one label for each image"),
        ("bad.npz", "is damaged, empty or not npz"),
        ("uneven.npz", "are not of one length"),
        ("train.csv", "which holds no images"),
        ("absent.npz", "cannot be read"),
    ):
        code, output, errors = run(name, "test.npz")
        assert code == 2 and output == "" and words in errors and errors.count("\n") == 1, (name, errors)


def test_tables_of_images_are_read_as_lists(run):
    table = read_table("train-images-idx3-ubyte", SCHEMA)
    assert table.column_names == ["image", "label"] and table["image"].type.list_size == ROWS * COLUMNS
