"""Release: everything that leaves the private side."""

from __future__ import annotations

import os

from mehler import _engine
from mehler._arguments import instance, number, whole_number
from mehler._comparison import Comparison
from mehler._engine import ArgumentError, FileError, TableError
from mehler._html import banner_html, table_html
from mehler._methods import documents_options, fit_pairs, method_for, methods, release_pairs
from mehler._model import Model
from mehler._plots import plot_tables
from mehler._progress import watch
from mehler._schema import Schema, engine_schema_of
from mehler._tables import source_of


class Statement:
    """The guarantee that a release carries, re-derived from its noise when it was read.

    epsilon, delta  the budget that it keeps
    charges         what was bought: a dict each
    """

    __slots__ = ("_words", "_facts")

    def __init__(self, words, facts):
        self._words = words
        self._facts = facts

    @property
    def epsilon(self) -> float:
        return self._facts["epsilon"]

    @property
    def delta(self) -> float:
        return self._facts["delta"]

    @property
    def charges(self) -> list[dict]:
        return self._facts["charges"]

    def __str__(self):
        return self._words

    def __repr__(self):
        return f"<privacy statement: epsilon {self.epsilon:g}, delta {self.delta:g}>"

    def _repr_html_(self):
        return banner_html(self._words, is_safe=True)


class Release:
    """Everything that leaves the private side: what was measured, with its noise; the schema; the privacy statement.

    Safe to publish: whatever is computed from it costs no privacy. Made by mehler.release(), or loaded from a file,
    which is verified: epsilon is derived again from what it holds.
    """

    __slots__ = ("_engine",)

    def __init__(self, engine):
        self._engine = engine

    @classmethod
    def load(cls, path) -> Release:
        """The release in a file, verified."""
        return cls(_engine.Release.from_file(os.fspath(path)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Release:
        """The release in the bytes of a file, verified."""
        return cls(_engine.Release.from_bytes(instance("content", content, bytes)))

    def save(self, path, *, overwrite: bool = False) -> None:
        """Writes a release file, whole or not at all. A file that exists is refused, unless it holds this release or
        overwrite=True: a release that is overwritten is gone, but what was spent on it stays spent."""
        if not overwrite:
            require_new_release(path, self)
        self._engine.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        return self._engine.to_bytes()

    def __reduce__(self):
        return Release.from_bytes, (self.to_bytes(),)

    @property
    def method(self) -> str:
        """The name of the method that made it, and that fits a model to it."""
        return self._engine.method

    @property
    def schema(self) -> Schema:
        return Schema._of(self._engine.schema)

    @property
    def guarantee(self) -> str:
        """The guarantee in one paragraph."""
        return self._engine.in_words

    @property
    def statement(self) -> Statement:
        """The guarantee in numbers and words."""
        return Statement(self.guarantee, _statement_facts(self.to_dict()))

    @property
    def record_count(self) -> float:
        """The number of records as far as it is public: exact under replace-one, else the noisy count."""
        return self._engine.record_count

    @property
    def record_count_error(self) -> float:
        """The standard deviation of record_count; 0 where the number is public."""
        return self._engine.record_count_error

    def to_dict(self) -> dict:
        """All that `mehler inspect --json` says."""
        import json

        return json.loads(self._engine.to_json())

    @documents_options(fit=True)
    def fit(
        self,
        *,
        seed: int = 1,
        progress=None,
        threads: int | None = None,
        checkpoint=None,
        resume: bool = False,
        **options,
    ) -> Model:
        """Fits a model, from which records are drawn. Costs no privacy, any number of times.

        seed        the same seed gives the same model, whatever the threads. It has nothing to do with noise
        progress    True for a bar, or a function of (fraction, words); silent by default
        checkpoint  a file in which a method that trains for long keeps what it has reached; with resume=True it goes on
                    from there
        options     of the method that made the release:

        {options}
        """
        method = methods().get(self.method)
        pairs = fit_pairs(method, options) if method else []
        if resume and checkpoint is None:
            raise ArgumentError("resume needs the checkpoint to go on from; name its file")
        with watch(progress, "fitting", threads=threads) as watching:
            kept = "" if checkpoint is None else os.fspath(checkpoint)
            return Model(_engine.fit(self._engine, pairs, whole_number("seed", seed), kept, resume, watching))

    def compare(self, synthetic, *, progress=None, threads: int | None = None) -> Comparison:
        """How close a synthetic table is to this release, beside the release's own noise.

        May be shared, if the table was made from this release alone or without private records."""
        source = source_of(synthetic, name="synthetic")
        with watch(progress, "comparing", threads=threads) as watching:
            return Comparison(*_engine.compare(self._engine, source.engine, watching))

    def plot(self, *columns: str):
        """Draws the noisy counts of columns, with bands of two standard deviations; of two columns, how they go
        together. Without names, the first columns."""
        return plot_tables(_engine.released_tables(self._engine), columns)

    def __repr__(self):
        statement = self.statement
        return (
            f"<mehler release of method {self.method}: epsilon {statement.epsilon:g}, delta {statement.delta:g}, "
            f"{len(self._engine.schema.names)} columns>"
        )

    def _repr_html_(self):
        facts = [
            ("method", self.method),
            ("records", _count_words(self.record_count, self.record_count_error)),
            ("columns", ", ".join(self._engine.schema.names)),
        ]
        return f"<p><b>Release</b></p>{banner_html(self.guarantee, is_safe=True)}" + table_html(("", ""), facts)


def require_new_release(path, release=None):
    """Refuses a file that exists, unless it holds this release."""
    path = os.fspath(path)
    if not os.path.isfile(path):
        return
    if release is not None:
        content = release.to_bytes()
        try:
            with open(path, "rb") as file:
                if file.read(len(content) + 1) == content:
                    return
        except OSError:
            pass
    raise FileError(
        f"'{os.fsdecode(path)}' exists. A release that is overwritten is gone, but what was spent on it stays spent; choose "
        "another name for it, or say overwrite=True"
    )


def _count_words(count, error):
    return f"{count:,.0f}" if error == 0 else f"{count:,.0f} +- {2 * error:,.0f} (noisy)"


def _statement_facts(facts):
    return facts["privacy"]


@documents_options(release=True)
def release(
    table,
    *,
    schema: Schema,
    epsilon: float,
    delta: float,
    method: str | None = None,
    buy_share: float | None = None,
    progress=None,
    threads: int | None = None,
    **options,
) -> Release:
    """Measures a private table, with noise: the only step that costs privacy.

    table      the private records: a pandas, polars or pyarrow table, a DuckDB relation, anything with
               __arrow_c_stream__. It is read in place
    schema     what may be known of it; all of it becomes public
    epsilon    privacy loss, greater than 0; smaller is more private. There is no default: it is your decision
    delta      the delta of (epsilon, delta)-differential privacy; well below 1 in the number of records
    method     a name of methods(); by default what suits the schema
    buy_share  the part of the budget for bounds and categories that the schema leaves to be bought; default .1
    progress   True for a bar, or a function of (fraction, words), told fractions alone; silent by default
    options    of the method:

    {options}

    Privacy: the budget is charged before records are read. Noise comes from the operating system and has no seed. What
    an exception says (which column does not fit) is a fact about the records: keep it on the private side.
    """
    engine_schema = engine_schema_of(schema)
    source = source_of(table, schema=engine_schema)
    _refuse_what_cannot_be_measured(source, engine_schema)
    chosen = method_for(method, engine_schema)
    pairs = release_pairs(chosen, options)
    with watch(progress, "reading", threads=threads, source=source) as watching:
        return Release(
            _engine.release(
                source.engine,
                engine_schema,
                number("epsilon", epsilon),
                number("delta", delta),
                chosen.name,
                pairs,
                None if buy_share is None else number("buy_share", buy_share),
                watching,
            )
        )


def _refuse_what_cannot_be_measured(source, schema):
    if source.rows == 0 and Schema._of(schema).relation == "replace-one":
        # Elsewhere it is released: whether there is a release must not tell it from the table of one record.
        raise TableError("'table' has no records: there is nothing to measure")
    if schema.bought and not source.again:
        raise TableError(
            "'table' is a reader or a stream, which can be read once, but bounds and categories are bought in a pass of "
            "their own; hand over a table (reader.read_all(), say), or declare them"
        )
