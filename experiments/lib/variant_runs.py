"""Method marginals with one part replaced, and its ways to sample: what is run, and what the prototype had (None: not
run)."""

import dataclasses
import pathlib

import numpy as np
import pyarrow.parquet

from experiments.lib.coded_runs import three_way
from experiments.lib.methods import DELTA, synthesize


@dataclasses.dataclass(frozen=True)
class Part:
    """A row of the table of parts."""

    name: str
    base: str  # the row that it is compared with; its own name: none
    prototype: tuple = (None, None, None)  # 3-way total variation at the three epsilons
    options: tuple | None = (
        None  # of the command line's synth; None: mehler_variants makes release and table, in one shot
    )
    release: str = "as-specified"  # mehler_variants' names
    fit: str = "as-specified"
    again: bool = False  # whether the rows are drawn again, with replacement


ONE_SHOT, CHAIN, ONE_ROUND, TWO_ROUNDS = (
    "one shot, as specified",
    "without polish: the chain's state",
    "one round",
    "two rounds",
)
COMMAND_LINE = "the same release, fitted by the command line"
# The prototype's rows of weights are of other releases, which had .0905, .0521 and .0302 with the weights as specified;
# that of whole tables is of one release, where contrasts had .0987, .0557 and .0314.
PARTS = (
    Part(ONE_SHOT, ONE_SHOT, (0.0974, 0.0534, 0.0309)),
    Part(COMMAND_LINE, ONE_SHOT),
    Part(CHAIN, ONE_SHOT, (0.0982, 0.0546, 0.0316), fit="chain"),
    Part("the chain's rows drawn again", CHAIN, (0.1013, 0.0588, 0.0383), fit="chain", again=True),
    Part("cells shrunk toward independence, equal weights", ONE_SHOT, (0.1079, 0.0614, 0.0329), fit="cells-shrunk"),
    Part("pairs shrunk toward it (James-Stein), equal weights", ONE_SHOT, (0.1162, 0.0669, 0.0341), fit="pairs-shrunk"),
    Part("raw targets, equal weights", ONE_SHOT, (0.1557, 0.0809, 0.0354), fit="raw-targets"),
    Part("half the weights", ONE_SHOT, (0.0942, 0.0531, 0.0303), fit="half-weights"),
    Part("twice the weights", ONE_SHOT, (0.0934, 0.0541, 0.0306), fit="double-weights"),
    Part("four times the weights", ONE_SHOT, (0.1011, 0.0573, 0.0316), fit="fourfold-weights"),
    Part("the same noise for all pairs", ONE_SHOT, (0.1018, 0.0556, 0.0316), release="equal-sigma"),
    Part("whole tables of pairs, without polish", CHAIN, (0.1023, 0.0602, 0.0359), release="raw-tables", fit="chain"),
    Part(ONE_ROUND, ONE_ROUND, (0.0969, 0.0539, 0.0303), options=("--rounds", 1, "--target-weight", 1)),
    Part(TWO_ROUNDS, ONE_ROUND, (0.0933, 0.0510, 0.0302), options=("--target-weight", 1)),
    Part("two rounds, target weight 4: the default", TWO_ROUNDS, (0.0929, 0.0521, 0.0301), options=()),
    Part("two rounds, target weight 10", TWO_ROUNDS, (None, None, 0.0311), options=("--target-weight", 10)),
)
# Rows of the table of sampling, with what the prototype had at epsilon 1 on each of its tables.
SAMPLED_TABLES = ("simple", "bounded", "acs_ma")
TABLE, DRAWN_AGAIN = "the fitted table, N rows", "its rows drawn again, N"
MODEL, MODEL_POLISHED = "rows of the model of pairs, N, without polish", "the same, polished (sample --seed 2)"
FOUR, PART, QUARTER = "4 N (sample)", "N/4 rows of the table", "N/4 (sample)"
SAMPLES = {
    TABLE: (0.0303, 0.0626, 0.0702),
    DRAWN_AGAIN: (0.037, 0.073, 0.077),
    MODEL: (0.036, 0.072, 0.078),
    MODEL_POLISHED: (0.0305, 0.0627, 0.0702),
    FOUR: (0.0290, None, 0.0690),
    PART: (0.0491, 0.0928, 0.0918),
    QUARTER: (0.0360, 0.0748, 0.0765),
}


def call_variants(settings, *arguments):
    """Runs mehler_variants, which is built beside mehler."""
    program = pathlib.Path(settings.program).with_name("mehler_variants")
    if not program.is_file():
        raise FileNotFoundError(f"{program} is missing; build it with scripts/build release -DMEHLER_BENCHMARKS=ON")
    dataclasses.replace(settings, program=str(program)).call(*arguments)


def measured(settings, source, epsilon, variant):
    """A release in one shot."""
    output = settings.records / f"{variant}.release"
    call_variants(settings, "release", source.table, source.schema_path, epsilon, DELTA, variant, output)
    return output


def fitted(settings, release, variant):
    """A table of a variant of the fit, in a file that the next call replaces."""
    output = settings.records / "fitted.parquet"
    call_variants(settings, "fit", release, variant, output)
    return output


def chosen_rows(settings, path, share, again, seed):
    """A random share of a table's rows, or so many drawn with replacement, in a file that the next call replaces."""
    table = pyarrow.parquet.read_table(path)
    rows = np.random.default_rng(seed).choice(table.num_rows, int(share * table.num_rows), replace=again)
    output = settings.records / "rows.parquet"
    pyarrow.parquet.write_table(table.take(rows), output)
    return output


def sampled(settings, model, rows=None, seed=1):
    """Rows of a model, by the command line; by default as many as its release counts."""
    output = settings.records / "sampled.parquet"
    settings.call("sample", model, *(("--rows", rows) if rows else ()), "--seed", seed, "--quiet", "-o", output)
    return output


def measure_parts(settings, source, epsilon, seed):
    """{row: 3-way error}, with new noise. Variants of the fit share a release."""
    releases = {
        variant: measured(settings, source, epsilon, variant)
        for variant in dict.fromkeys(part.release for part in PARTS)
    }
    model = settings.records / "fitted.mehler"
    found = {}
    for part in PARTS:
        if part.options is not None:
            table = synthesize(settings, "marginals", source, epsilon, options=part.options)
        elif part.name == COMMAND_LINE:
            settings.call("train", releases[part.release], "--quiet", "-o", model)
            table = sampled(settings, model)
        else:
            table = fitted(settings, releases[part.release], part.fit)
        found[part.name] = three_way(
            settings, source, chosen_rows(settings, table, 1, True, seed) if part.again else table
        )
    return found


def measure_samples(settings, source, seed):
    """{row: 3-way error} of one release at epsilon 1 with the method's defaults."""

    def error(table):
        return three_way(settings, source, table)

    whole = synthesize(settings, "marginals", source, 1)
    release, model = whole.with_suffix(".release"), whole.with_suffix(".mehler")
    count = pyarrow.parquet.read_metadata(whole).num_rows
    return {
        TABLE: error(whole),
        DRAWN_AGAIN: error(chosen_rows(settings, whole, 1, True, seed)),
        MODEL: error(fitted(settings, release, "model-rows")),
        MODEL_POLISHED: error(sampled(settings, model, count, 2)),
        FOUR: error(sampled(settings, model, 4 * count)),
        PART: error(chosen_rows(settings, whole, 0.25, False, seed)),
        QUARTER: error(sampled(settings, model, count // 4)),
    }
