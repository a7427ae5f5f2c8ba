"""Model and Records: what draws synthetic records, and these."""

from __future__ import annotations

import os

from mehler import _engine, _frames
from mehler._arguments import instance, thread_count, whole_number
from mehler._conditions import engine_conditions
from mehler._html import escape, table_html
from mehler._progress import watch
from mehler._schema import Schema
from mehler._tables import source_of


class Records:
    """Synthetic records, drawn when somebody reads them: pl.DataFrame(records), pa.table(records), duckdb.sql("from
    records"), or whatever else takes an Arrow stream. Each reading draws the same records again, a batch at a time, so
    that memory does not grow with their number.

    Covered by the guarantee of the release that they come from.
    """

    __slots__ = ("_length", "_open", "_collect", "_schema", "unlikely")

    def __init__(self, length, schema, open_stream, collect, unlikely=None):
        self._length = length
        self._schema = schema
        self._open = open_stream
        self._collect = collect
        self.unlikely = unlikely

    @property
    def schema(self) -> Schema:
        """What may be known of them."""
        return self._schema

    def __arrow_c_stream__(self, requested_schema=None):
        return self._open(None)

    def __len__(self) -> int:
        return self._length

    def __reduce__(self):
        raise TypeError("records do not pickle; pickle the model, which draws the same again, or a frame of them")

    def to_pandas(self, *, progress=None):
        """As a pandas frame. Categories are categoricals with the schema's list; whole numbers and booleans of which
        some are missing have pandas' nullable types; dates are datetime64."""
        return self._to("pandas", progress)

    def to_polars(self, *, progress=None):
        """As a polars frame; categories are Categorical."""
        return self._to("polars", progress)

    def to_pyarrow(self, *, progress=None):
        """As a pyarrow table; categories are dictionaries."""
        return self._to("pyarrow", progress)

    def _to(self, library, progress=None, threads=None, like=None, types=None):
        make = _frames.LIBRARIES[library]
        if not progress:  # as they are drawn: the library's copy is the only one
            stream = _Stream(self._open(types))
            try:
                try:
                    return make(stream, self._schema._engine, like)
                except Exception:  # a library says of Ctrl-C that the stream failed
                    _engine.raise_of_signals()
                    raise
            except KeyboardInterrupt as stopped:
                raise stopped from None
        with watch(progress, "sampling", threads=threads) as watching:
            batches = self._collect(types, watching)
        return make(batches, self._schema._engine, like)

    def __repr__(self):
        names = ", ".join(self._schema._engine.names[:8])
        return f"<{self._length:,} synthetic records of {names}; to_pandas(), to_polars() or to_pyarrow() draws them>"

    def _repr_html_(self):
        rows = [(name, column.kind) for name, column in self._schema.columns.items()]
        head = f"<p>{self._length:,} synthetic records; to_pandas(), to_polars() or to_pyarrow() draws them.</p>"
        return head + table_html(("column", "kind"), rows)


def in_memory(batches, schema, unlikely=None):
    """Records that were drawn already."""
    return Records(
        len(batches), schema, lambda types: batches.__arrow_c_stream__(), lambda types, watching: batches, unlikely
    )


class _Stream:
    """A stream for one reader."""

    __slots__ = ("_capsule",)

    def __init__(self, capsule):
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self._capsule


class Model:
    """What draws synthetic records, made from a release alone: it and all it draws are covered by the release's
    guarantee. Made by Release.fit(), or loaded from a file."""

    __slots__ = ("_engine",)

    def __init__(self, engine):
        self._engine = engine

    @classmethod
    def load(cls, path) -> Model:
        """The model in a file, with its release verified."""
        return cls(_engine.Model.from_file(os.fspath(path)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Model:
        """The model in the bytes of a file."""
        return cls(_engine.Model.from_bytes(instance("content", content, bytes)))

    def save(self, path) -> None:
        """Writes a model file, whole or not at all, in the place of one that exists: a fit costs no privacy."""
        self._engine.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        return self._engine.to_bytes()

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)

    @property
    def release(self):
        """What it was made from."""
        from mehler._release import Release

        return Release(self._engine.release)

    @property
    def schema(self) -> Schema:
        return Schema._of(self._engine.release.schema)

    @property
    def has_settled(self) -> bool:
        """Whether the fit settled; a table that had not is further from the release."""
        return self._engine.has_settled

    def sample(self, rows: int | None = None, *, seed: int = 1, where=None, threads: int | None = None) -> Records:
        """Synthetic records; by default as many as the release says that there were.

        seed     another seed gives other records. It has nothing to do with noise, which has none
        where    what they must be like: {"smoker": True, "region": ["north", "east"], "hours": None}, in which None is
                 a missing value and a list means one of these; a text, "age>=65"; or a list of such. All must hold
        threads  cores to draw on; never changes the records
        """
        rows = self._engine.release.usual_rows if rows is None else whole_number("rows", rows, smallest=1)
        seed = whole_number("seed", seed)
        threads = thread_count(threads)
        conditions = engine_conditions(where)
        self._engine.check_conditions(conditions)
        return Records(
            rows,
            self.schema,
            lambda types: self._engine.stream(rows, seed, conditions, types, threads),
            lambda types, watching: self._engine.batches(rows, seed, conditions, types, watching),
        )

    def complete(self, known, *, seed: int = 1, where=None, progress=None, threads: int | None = None) -> Records:
        """As many records as the table `known` has rows, in their order and with its values; columns that it lacks, and
        missing values, are drawn. `unlikely` of the result says in how many rows the values hardly go together."""
        conditions = engine_conditions(where)
        source = source_of(known, name="known")
        with watch(progress, "completing", threads=threads) as watching:
            batches, unlikely = self._engine.complete(
                source.engine, whole_number("seed", seed), conditions, None, watching
            )
        return in_memory(batches, self.schema, unlikely)

    def __repr__(self):
        return f"<mehler model of method {self._engine.release.method}, {len(self.schema._engine.names)} columns>"

    def _repr_html_(self):
        release = self._engine.release
        return f"<p>Model of method {escape(release.method)}. {escape(release.in_words)}</p>"
