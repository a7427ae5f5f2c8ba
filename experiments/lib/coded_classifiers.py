"""Classifiers of a table of codes with a target of two classes: what a synthetic table holds for one who predicts."""

import statistics

import numpy as np
import pyarrow.parquet


def classifiers(seed):
    """The four of the published figures, with settings that bring out what a table holds."""
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    found = [
        ("one-hot", LogisticRegression(max_iter=300)),
        ("codes", RandomForestClassifier(100, min_samples_leaf=5, random_state=seed)),
        ("codes", GradientBoostingClassifier(random_state=seed)),
    ]
    try:
        from xgboost import XGBClassifier
    except ImportError:
        return found  # without it, three
    return [
        *found,
        ("codes", XGBClassifier(max_depth=3, n_estimators=200, learning_rate=0.1, n_jobs=1, random_state=seed)),
    ]


def matrices(table, schema):
    """Features as codes and one-hot, and whether a row is of the rarer class."""
    sizes = {column["name"]: len(column["categories"]) for column in schema["columns"]}
    codes = {name: table[name].to_numpy().astype(int) for name in sizes}
    target = codes.pop(schema["target"])
    one_hot = np.concatenate([np.eye(sizes[name])[values] for name, values in codes.items()], axis=1)
    rarer = min((0, 1), key=lambda label: (target == label).sum())
    return {"codes": np.stack(list(codes.values()), axis=1), "one-hot": one_hot}, target == rarer


def mean_roc_auc(train_path, test_path, schema, seed):
    """Over the classifiers, trained on one file and tested on the other."""
    from sklearn.metrics import roc_auc_score

    features, target = matrices(pyarrow.parquet.read_table(train_path), schema)
    test, truth = matrices(pyarrow.parquet.read_table(test_path), schema)
    return statistics.fmean(
        roc_auc_score(truth, model.fit(features[kind], target).predict_proba(test[kind])[:, 1])
        for kind, model in classifiers(seed)
    )
