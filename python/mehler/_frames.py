"""Tables out: record batches as frames of pandas, polars and pyarrow, with the types of a frame that went in.

The engine has stored each column as the table that went in does, where its values fit. What is left are types that
Arrow does not tell apart, and those of one library alone.
"""

from __future__ import annotations

from mehler._engine import Error


def _needed(module, library):
    try:
        return __import__(module)
    except ImportError:
        raise Error(
            f"records cannot be made a {library} table: {module} is not installed; pip install {module}, or hand the "
            "records to another library that takes Arrow streams"
        ) from None


# Of spans of time and times of day, a number stands for seconds, and a cast would take it for the unit of the type. The
# engine has stored such columns already where the type holds their values; elsewhere they stay numbers of seconds.


# ---- pyarrow


def to_pyarrow(batches, schema, like=None):
    pyarrow = _needed("pyarrow", "pyarrow")
    table = pyarrow.table(batches)
    if like is None:
        return table
    types = {field.name: field.type for field in like.schema}
    columns = [_as_arrow_type(pyarrow, table[name], types.get(name)) for name in table.column_names]
    return pyarrow.table(columns, names=table.column_names)


def _as_arrow_type(pyarrow, column, wanted):
    if wanted is None or column.type == wanted:
        return column
    if pyarrow.types.is_temporal(wanted) and _is_number(pyarrow, column.type):
        return column
    try:
        return column.cast(wanted)
    except Exception:  # not all that the schema allows fits the type
        return column


def _is_number(pyarrow, kind):
    return pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_decimal(kind)


# ---- polars


def to_polars(batches, schema, like=None):
    polars = _needed("polars", "polars")
    frame = polars.DataFrame(batches)
    if like is None:
        return frame
    wanted = dict(like.schema)
    return frame.with_columns(_as_polars_type(frame[name], wanted[name]) for name in frame.columns if name in wanted)


def _as_polars_type(series, wanted):
    if series.dtype == wanted or (wanted.is_temporal() and series.dtype.is_numeric()):
        return series
    try:
        return series.cast(wanted)
    except Exception:  # not all that the schema allows fits the type
        return series


# ---- pandas


def to_pandas(batches, schema, like=None):
    pandas = _needed("pandas", "pandas")
    pyarrow = _needed("pyarrow", "pandas")
    table = pyarrow.table(batches)
    wanted = {} if like is None else {str(name): dtype for name, dtype in like.dtypes.items()}
    labels = {name: labels for name, _, _, labels, _ in schema.plain_columns} if wanted else {}
    decimals = set() if like is None else _columns_of_decimals(pandas, like)
    columns = {
        name: _as_pandas(pandas, pyarrow, table[name], wanted.get(name), labels.get(name), name in decimals)
        for name in table.column_names
    }
    frame = pandas.DataFrame(columns, copy=False)
    if like is not None:
        frame.columns = [_original_name(like, name) for name in frame.columns]
    return frame


def _columns_of_decimals(pandas, frame):
    objects = [name for name, dtype in frame.dtypes.items() if dtype == "object"]
    return {str(name) for name in objects if pandas.api.types.infer_dtype(frame[name], skipna=True) == "decimal"}


def _original_name(like, name):
    return next((column for column in like.columns if str(column) == name), name)


def _as_decimal(number):
    """The shortest one that is that number: decimals of the schema are in it already."""
    from decimal import Decimal

    return Decimal(repr(number))


def _as_pandas(pandas, pyarrow, column, wanted, labels, is_of_decimals):
    if isinstance(wanted, pandas.CategoricalDtype) and labels:
        return _as_category(pandas, pyarrow, column, wanted, labels)
    if isinstance(wanted, pandas.PeriodDtype):
        column = _in_whole_numbers(pyarrow, column)
    if _is_of_times(pandas, pyarrow, wanted) and _is_number(pyarrow, column.type):
        wanted = None
    if wanted is not None and hasattr(wanted, "__from_arrow__"):  # nullable types, texts, Arrow's own, periods
        try:
            return pandas.Series(wanted.__from_arrow__(column))
        except Exception:
            pass
    nullable = _nullable(pandas, pyarrow, column)
    if nullable is not None and (wanted is None or wanted.kind in "iub"):
        return pandas.Series(nullable.__from_arrow__(column))
    series = column.to_pandas(date_as_object=wanted is not None and wanted == "object")
    if is_of_decimals and series.dtype == "float64":
        return series.map(_as_decimal, na_action="ignore").astype(object)
    if wanted is None or series.dtype == wanted:
        return series
    try:
        return series.astype(wanted)
    except Exception:
        return series


def _in_whole_numbers(pyarrow, column):
    """Periods are counted from that of 1970, by whole numbers, which pandas does not ask for."""
    import pyarrow.compute

    return pyarrow.compute.round(column).cast(pyarrow.int64()) if _is_number(pyarrow, column.type) else column


def _is_of_times(pandas, pyarrow, wanted):
    """Whether a type of pandas is one of moments, spans or times of day; periods, which are counted, are not."""
    if isinstance(wanted, pandas.ArrowDtype):
        return pyarrow.types.is_temporal(wanted.pyarrow_dtype)
    return getattr(wanted, "kind", None) in ("m", "M") and not isinstance(wanted, pandas.PeriodDtype)


def _nullable(pandas, pyarrow, column):
    """For whole numbers and booleans of which some are missing: pandas' type that keeps them such."""
    if column.null_count == 0:
        return None
    if pyarrow.types.is_boolean(column.type):
        return pandas.BooleanDtype()
    if pyarrow.types.is_integer(column.type):
        bits, sign = column.type.bit_width, "Int" if pyarrow.types.is_signed_integer(column.type) else "UInt"
        return getattr(pandas, f"{sign}{bits}Dtype")()
    return None


def _as_category(pandas, pyarrow, column, wanted, labels):
    """A categorical whose list is the schema's, never that of the records; its values of the type that went in."""
    texts = column.cast(pyarrow.string()).to_pandas()
    made = pandas.Series(pandas.Categorical(texts, categories=labels, ordered=wanted.ordered))
    dtype = wanted.categories.dtype
    try:
        if dtype == "bool":
            return made.cat.rename_categories({"false": False, "true": True})
        return made.cat.rename_categories(pandas.Index(labels).astype(dtype))
    except Exception:  # not all that the schema allows fits the type
        return made


LIBRARIES = {"pandas": to_pandas, "polars": to_polars, "pyarrow": to_pyarrow}
