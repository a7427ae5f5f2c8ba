"""Tables in: what a caller hands over, as something the engine can open, possibly several times.

Privacy: exceptions of other libraries quote values ("Could not convert 'Smith' ..."). None is passed on, nor hangs on
one of ours as its context: those name the column and say what to do.
"""

from __future__ import annotations

from mehler import _engine
from mehler._engine import TableError
from mehler._frames import LIBRARIES

HANDED_OVER = "pandas, polars and pyarrow tables, DuckDB relations, and whatever else has __arrow_c_stream__"


class Source:
    """A table that the engine can open."""

    __slots__ = ("again", "engine", "library", "rows", "table")

    def __init__(self, table, library, open_stream, *, again, rows=None):
        self.again = again  # whether it can be read a second time
        self.table = table  # as it was given
        self.library = library  # "pandas", "polars", "pyarrow", or None
        self.rows = rows  # where that is known without reading
        self.engine = _engine.TableSource(open_stream, again)


def source_of(table, *, schema=None, name="table"):
    """The table as a Source. `schema`, an engine's one, says which columns are read; `name` is the argument's."""
    kind = type(table)
    library = _library_of(kind)
    _refuse_what_is_no_table(table, kind, library, name)
    if library == "pandas":
        return _from_pandas(table, schema, name)
    again = _can_be_read_again(table, kind)
    rows = table.height if library == "polars" else getattr(table, "num_rows", None) if library == "pyarrow" else None
    known = library if library in ("polars", "pyarrow") and again else None
    return Source(table, known, _guarded(table.__arrow_c_stream__, name), again=again, rows=rows)


def _library_of(kind):
    """Where a class comes from; one that somebody derived from a frame is that library's."""
    libraries = [(base.__module__ or "").partition(".")[0] for base in kind.__mro__]
    return next((library for library in libraries if library in LIBRARIES), libraries[0])


def _can_be_read_again(table, kind):
    """Whether __arrow_c_stream__ starts anew each time. A table knows its length; a reader or a cursor does not."""
    return hasattr(kind, "__len__") or hasattr(kind, "num_rows") or hasattr(kind, "shape")


def _refuse_what_is_no_table(table, kind, library, name):
    words = _remedies(kind, library)
    if words is None and hasattr(kind, "__arrow_c_stream__"):
        return
    if words is None:
        words = (
            f"is no table but of type {kind.__name__}; hand over one of {HANDED_OVER}: "
            "pandas.DataFrame(...) or polars.DataFrame(...) makes one of rows or columns"
        )
    raise TableError(f"'{name}' {words}")


def _remedies(kind, library):
    """What to do with things that are nearly tables; None for all others."""
    word = kind.__name__
    words = [base.__name__ for base in kind.__mro__]
    if library == "pyspark":
        return (
            "is a Spark frame, whose records are spread over a cluster; df.toArrow() collects them on this machine, "
            "if they fit and may be there, or write it with df.write.parquet() and read that with DuckDB"
        )
    if word == "LazyFrame":
        return "is a LazyFrame, which holds no records yet; hand over table.collect()"
    if any(one in ("Series", "ChunkedArray", "Array") for one in words):
        return "is a single column; hand over a table of columns, such as series.to_frame()"
    if library == "pyarrow" and any(one in ("Dataset", "Scanner") for one in words):
        return f"is {_an(word)}, which is read when it is asked to; hand over table.to_table()"
    if word == "DuckDBPyConnection":
        return (
            "is a connection; hand over a table, connection.table('people'), or a query, connection.sql('from people')"
        )
    if library in ("dask", "dask_expr"):
        return "is a Dask frame, which holds no records yet; hand over table.compute()"
    if issubclass(kind, (str, bytes)) or hasattr(kind, "__fspath__"):
        return "is a path or a text, not a table; read it first, with pandas.read_csv or polars.read_parquet, say"
    if hasattr(kind, "__next__") and not hasattr(kind, "__arrow_c_stream__"):
        return f"is {_an(word)}, which can be read once and has no columns; make a table of it: polars.DataFrame(list(rows))"
    return None


def _an(word):
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


def _guarded(open_stream, name):
    """Calls another library; its own exceptions are not passed on."""

    def open_guarded():
        try:
            return open_stream()
        except TableError:
            raise
        except Exception as error:
            raise TableError(
                f"'{name}' could not be handed over as Arrow columns ({type(error).__name__}); if it is a stream or a "
                "reader, it may have been read already: make a new one. Else give every column one type"
            ) from None

    return open_guarded


# ---- pandas: its columns become Arrow's through pyarrow, once, whatever the number of passes


def _from_pandas(frame, schema, name):
    try:
        import pyarrow
    except ImportError:
        raise TableError(
            f"'{name}' is a pandas frame, and pandas hands columns over through pyarrow, which is not installed; "
            "pip install pyarrow, or hand over a polars frame"
        ) from None
    names = [str(column) for column in frame.columns]
    twice = sorted({column for column in names if names.count(column) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise TableError(f"'{name}' has two columns named '{twice[0]}'; rename one of them")
    frame = with_index_columns(frame, schema)
    unread = set() if schema is None else set(schema.unread)
    read = frame[[column for column in frame.columns if str(column) not in unread]] if unread else frame
    table = _arrow_of(pyarrow, read)
    if table is None:
        raise _pandas_fault(pyarrow, read, name)
    table = _without_values_in_types(pyarrow, read, table)
    return Source(frame, "pandas", table.__arrow_c_stream__, again=True, rows=len(frame))


def _without_values_in_types(pyarrow, frame, table):
    """Of objects, pyarrow takes the digits of decimals from the longest of them, and a time zone from the first moment.
    What comes back and what a draft says must not depend on that: decimals are read as numbers, moments as those of UTC.
    """
    for place, dtype in enumerate(frame.dtypes):
        field = table.schema.field(place)
        if dtype == "object" and pyarrow.types.is_decimal(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pyarrow.float64()))
        elif dtype == "object" and pyarrow.types.is_timestamp(field.type) and field.type.tz is not None:
            in_utc = pyarrow.timestamp(field.type.unit, "UTC")
            table = table.set_column(place, field.name, table.column(place).cast(in_utc))
    return table


def with_index_columns(frame, schema):
    """The index is no data, unless the schema names it: then it is a column."""
    levels = [level for level in frame.index.names if level is not None and level not in frame.columns]
    known = None if schema is None else set(schema.names)
    wanted = [level for level in levels if known is None or str(level) in known]
    return frame.reset_index(level=wanted) if wanted else frame


def _arrow_of(pyarrow, frame):
    """None if it cannot be handed over."""
    try:
        return pyarrow.Table.from_pandas(frame, preserve_index=False)
    except Exception:
        return None


def _unread_words(dtype, column):
    """What a column of a type that Arrow does not take holds, and what to do."""
    if hasattr(dtype, "subtype") and hasattr(dtype, "fill_value"):
        return f"is sparse, which Arrow does not know; make it dense, with {column}.sparse.to_dense()"
    if getattr(dtype, "kind", None) == "c":
        return (
            "holds complex numbers, which Arrow does not know; make two columns of it, of numpy.real(...) and "
            "numpy.imag(...)"
        )
    return (
        "holds values of several types, or of one that Arrow does not know; give it one type, with "
        f"{column}.astype(str), say"
    )


def _pandas_fault(pyarrow, frame, name):
    """Which column cannot be handed over, found one by one; the words of pyarrow quote values."""
    for place, column in enumerate(frame.columns):
        if _arrow_of(pyarrow, frame.iloc[:, [place]]) is None:
            words = _unread_words(frame.dtypes.iloc[place], f"{name}['{column}']")
            return TableError(f"column '{column}' of '{name}' {words}, or declare it ignored in the schema")
    return TableError(f"'{name}' could not be handed over as Arrow columns; give every column one type")
