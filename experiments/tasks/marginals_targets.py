"""Method marginals against what it is to reach: 3-way marginals of six tables of codes, classifiers on Adult, seconds and memory."""

import resource
import statistics
import time

import numpy as np
import pyarrow.parquet
from coded_runs import TABLES, available, clean, prepare, processor_seconds, synthesize, three_way
from datasets import BY_NAME
from findings import Finding, aligned, pyplot
from methods import Source

EPSILONS = (0.1, 0.3, 1)
SEEDS = 5
# 3-way total variation at the three epsilons: the prototype of the method, AIM (private-pgm), what is to be reached.
PROTOTYPE = {
    "simple": (0.093, 0.051, 0.030),
    "bounded": (0.146, 0.094, 0.063),
    "acs_ma": (0.225, 0.133, 0.070),
    "law_school": (0.113, 0.069, 0.043),
    "california_housing": (0.250, 0.181, 0.130),
    "credit_default": (0.204, 0.130, 0.082),
}
AIM = {
    "simple": (0.126, 0.072, 0.039),
    "bounded": (0.184, 0.119, 0.080),
    "acs_ma": (0.268, 0.151, 0.084),
    "law_school": (0.122, 0.083, 0.058),
    "california_housing": (0.347, 0.210, 0.157),
}
MANY_ROWS = 1_000_000


def measure_marginals(settings, seeds):
    """Rows {"table", "epsilon", "seed", "three_way", "processor_seconds"}; what is missing."""
    names, missing = available(settings, list(TABLES)[:1] if settings.quick else list(TABLES))
    found = []
    for name in names:
        source = prepare(settings, name)
        for epsilon in EPSILONS[-1:] if settings.quick else EPSILONS:
            for seed in range(1, seeds + 1):
                before = processor_seconds()
                synthetic = synthesize(settings, source, epsilon)
                seconds = processor_seconds() - before
                error = three_way(settings, source, synthetic)
                found.append(
                    {
                        "table": name,
                        "epsilon": epsilon,
                        "seed": seed,
                        "three_way": f"{error:.5f}",
                        "processor_seconds": f"{seconds:.2f}",
                    }
                )
    return found, missing


def mean_of(rows, table, epsilon, key="three_way"):
    values = [float(row[key]) for row in rows if row["table"] == table and row["epsilon"] == epsilon]
    return statistics.fmean(values) if values else None


def marginals_text(rows):
    lines = [["table", "epsilon", "3-way", "prototype", "AIM", "CPU seconds, file to file"]]
    for table in TABLES:
        for place, epsilon in enumerate(EPSILONS):
            values = [float(row["three_way"]) for row in rows if row["table"] == table and row["epsilon"] == epsilon]
            if values:
                lines.append(
                    [
                        table,
                        f"{epsilon:g}",
                        f"{statistics.fmean(values):.4f}"
                        + (f" +- {statistics.stdev(values):.4f}" if values[1:] else ""),
                        f"{PROTOTYPE[table][place]:.3f}",
                        f"{AIM[table][place]:.3f}" if table in AIM else "not run",
                        f"{mean_of(rows, table, epsilon, 'processor_seconds'):.1f}",
                    ]
                )
    return aligned(lines)


def plot(settings, rows):
    plt = pyplot()
    tables = [table for table in TABLES if any(row["table"] == table for row in rows)]
    if plt is None:
        return
    figure, all_axes = plt.subplots(1, len(tables), figsize=(3 * len(tables), 3.2), layout="constrained", squeeze=False)
    for axes, table in zip(all_axes[0], tables):
        measured = [epsilon for epsilon in EPSILONS if any(row["epsilon"] == epsilon for row in rows)]
        axes.plot(measured, [mean_of(rows, table, epsilon) for epsilon in measured], "o-", label="marginals")
        axes.plot(EPSILONS, PROTOTYPE[table], ":", color="grey", label="its prototype")
        if table in AIM:
            axes.plot(EPSILONS, AIM[table], "s--", label="AIM")
        axes.set_xscale("log")
        axes.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
        axes.set_ylim(0)
        axes.set_title(table, fontsize=10)
        axes.set_xlabel("epsilon")
        axes.grid(alpha=0.3)
    all_axes[0][0].set_ylabel("3-way total variation")
    all_axes[0][0].legend(fontsize=8)
    settings.save(figure, "marginals-targets")


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


def measure_classifiers(settings, seeds):
    """Mean ROC-AUC on the real test rows of discretised Adult, trained on real and on synthetic ones: {row: one a seed}."""
    if BY_NAME["adult_discrete"].missing() or not settings.wanted("adult_discrete", settings.datasets):
        return {}
    from sklearn.metrics import roc_auc_score

    paths = BY_NAME["adult_discrete"].prepare(settings.folder)
    schema = BY_NAME["adult_discrete"].schema
    sizes = {column["name"]: len(column["categories"]) for column in schema["columns"]}

    def matrices(table):
        codes = {name: table[name].to_numpy().astype(int) for name in sizes}
        target = codes.pop(schema["target"])
        one_hot = np.concatenate([np.eye(sizes[name])[values] for name, values in codes.items()], axis=1)
        return {"codes": np.stack(list(codes.values()), axis=1), "one-hot": one_hot}, target == min(
            (0, 1), key=lambda label: (target == label).sum()
        )

    test, truth = matrices(pyarrow.parquet.read_table(paths["test"]))

    def mean_score(table, seed):
        features, target = matrices(table)
        return statistics.fmean(
            roc_auc_score(truth, model.fit(features[kind], target).predict_proba(test[kind])[:, 1])
            for kind, model in classifiers(seed)
        )

    source = Source(paths["train"], 0, BY_NAME["adult_discrete"].schema_path, "")
    found = {"real": [mean_score(pyarrow.parquet.read_table(paths["train"]), 1)], "marginals": []}
    for seed in range(1, seeds + 1):
        found["marginals"].append(mean_score(pyarrow.parquet.read_table(synthesize(settings, source, 1)), seed))
    paths["test"].unlink()
    return found


def measure_many_rows(settings):
    """Seconds and megabytes from a file of a million rows of Adult, drawn with replacement, to a synthetic file."""
    if BY_NAME["adult"].missing() or not settings.wanted("adult", settings.datasets):
        return None
    paths = BY_NAME["adult"].prepare(settings.folder)
    table = pyarrow.parquet.read_table(paths["train"])
    rows = np.random.default_rng(1).integers(0, table.num_rows, MANY_ROWS)
    pyarrow.parquet.write_table(table.take(rows), paths["train"])
    paths["test"].unlink()
    source = Source(paths["train"], MANY_ROWS, BY_NAME["adult"].schema_path, "")
    start = time.monotonic()
    synthesize(settings, source, 1)
    seconds = time.monotonic() - start
    # The largest of all programs so far; the others are smaller.
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def run(settings):
    seeds = settings.seeds or (1 if settings.quick else SEEDS)
    rows, missing = measure_marginals(settings, seeds)
    settings.write("marginals-targets", rows)
    print(
        f"Mean total variation of all 3-column marginals, 0 is best; {seeds} releases each. Published figures beside.\n"
    )
    print(marginals_text(rows), flush=True)
    print("\n".join(missing))
    plot(settings, rows)
    findings = [
        Finding(f"{table} at {epsilon:g}", mean_of(rows, table, epsilon))
        for table in (list(TABLES)[:1] if settings.quick else TABLES)
        for epsilon in (EPSILONS[-1:] if settings.quick else EPSILONS)
    ]
    if not settings.quick:
        scores = measure_classifiers(settings, seeds)
        means = {
            row: f"{statistics.fmean(values):.4f}" + (f" +- {statistics.stdev(values):.4f}" if values[1:] else "")
            for row, values in scores.items()
        }
        print(f"\nDiscretised Adult, epsilon 1, mean ROC-AUC of LR, RF, GB and XGB on real test rows: {means}")
        many = measure_many_rows(settings)
        if many:
            print(f"{MANY_ROWS:,} rows x 15 columns, file to file: {many[0]:.0f} seconds, {many[1]:.0f} MB")
        findings.append(Finding("adult, ROC-AUC", statistics.fmean(scores["marginals"]) if scores else None))
        findings.append(Finding("a million rows, seconds", many[0] if many else None))
        findings.append(Finding("a million rows, megabytes", many[1] if many else None))
    clean(settings)
    return findings
