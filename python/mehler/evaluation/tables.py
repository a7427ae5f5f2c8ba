"""Reading schemas and tables from files, written down as the mehler program reads them."""

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from mehler import Schema
from mehler.evaluation.columns import used_columns
from mehler.evaluation.errors import EvaluationError, require_known
from mehler.evaluation.image_files import is_idx, read_idx, read_npz

FORMATS = ("csv", "parquet", "arrow", "idx", "npz")
_ENDINGS = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".npz": "npz"}


@dataclass(frozen=True)
class CsvOptions:
    """How a CSV file is written: as the options of the same names of the mehler program."""

    delimiter: str | None = None
    header: bool = True
    null_spellings: tuple[str, ...] = ()
    trim_spaces: bool = False
    skip_lines: int = 0


def read_schema(path):
    """The schema in a file. Raises mehler.Error if it cannot be read."""
    return Schema.load(path)


def _column_names(schema):
    """The names of all columns, the unused ones too, in the schema's order, each with those of its parts behind it."""
    names = []
    for name, column in schema.columns.items():
        names += [name] + [f"{name}_{part}" for part in column.get("parts", ())]
    return list(dict.fromkeys(names))


def _in_dialect(schema, options):
    """The options, with the schema's dialect where they say nothing.

    Raises EvaluationError for forms of values that are read by the mehler program only.
    """
    names = {column.name for column in used_columns(schema)}
    dialect = json.loads(schema.to_json()).get("dialect", {})
    forms = {"decimal", "thousands", "true", "false", "encoding"} & dialect.keys()
    if str(dialect.get("encoding")).startswith("utf-8"):
        forms.remove("encoding")
    for name, column in schema.columns.items():
        if name in names:
            forms |= {"format", "prefix", "suffix", "true", "false"} & column.keys()
    if forms:
        raise EvaluationError(
            f"the schema says how its CSV files write values ({', '.join(sorted(forms))}), which is not read here; give "
            "the tables as Parquet ('mehler sample -o table.parquet' writes it)"
        )
    missing = dialect.get("missing", [])
    return CsvOptions(
        delimiter=options.delimiter or dialect.get("delimiter"),
        header=options.header and dialect.get("header", True),
        null_spellings=options.null_spellings or tuple([missing] if isinstance(missing, str) else missing),
        trim_spaces=options.trim_spaces or dialect.get("trim_spaces", False),
        skip_lines=options.skip_lines or dialect.get("skip_lines", 0),
    )


def _read_csv(path, schema, options):
    if any(column.is_image for column in used_columns(schema)):
        raise EvaluationError(
            f"the table '{path}' is read as CSV, which holds no images; give Parquet, Arrow, IDX or .npz, with the "
            "ending of its format or with --format"
        )
    options = _in_dialect(schema, options)
    delimiter = options.delimiter or ("\t" if ".tsv" in path.suffixes else ",")
    if len(delimiter) != 1:
        raise EvaluationError("--delimiter must be one character, or 'tab'")
    table = pa.csv.read_csv(
        path,
        read_options=pa.csv.ReadOptions(
            column_names=None if options.header else _column_names(schema), skip_rows=options.skip_lines
        ),
        parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        # Every column as text: one place decides what fits a kind, whatever the file.
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(_column_names(schema), pa.string()),
            null_values=["", *options.null_spellings],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    if options.trim_spaces:
        table = pa.table(
            {
                name.strip(): _trimmed(column, options.null_spellings)
                for name, column in zip(table.column_names, table.columns)
            }
        )
    return _with_numbers(table, schema, path)


def _with_numbers(table, schema, path):
    """Numbers and booleans as such; the engine reads the other kinds from text."""
    types = {"numeric": pa.float64(), "integer": pa.float64(), "boolean": pa.bool_()}
    for column in used_columns(schema):
        if column.kind in types and column.name in table.column_names:
            place = table.column_names.index(column.name)
            try:
                table = table.set_column(place, column.name, table[column.name].cast(types[column.kind]))
            except pa.ArrowInvalid:  # Arrow's own words quote the value
                raise EvaluationError(
                    f"column '{column.name}' of the table '{path}' holds values that do not fit its kind in the schema, "
                    f"{column.kind}; mend the table or the schema ('mehler schema check SCHEMA TABLE' says more)"
                ) from None
    return table


def _trimmed(column, null_spellings):
    if not pa.types.is_string(column.type):
        return column
    text = pc.utf8_trim_whitespace(column)
    is_missing = pc.is_in(text, value_set=pa.array(["", *null_spellings]))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), text)


def read_table(path, schema, format=None, csv=CsvOptions()):
    """The table in a CSV (also compressed), Parquet, Arrow, IDX or .npz file, as a pyarrow.Table.

    Columns of a CSV come as text but for numbers and booleans; the engine reads them as the schema declares. Raises EvaluationError if the
    file cannot be read; its words name the file, never what stands in it.
    """
    path = Path(path)
    if format is None:
        by_ending = next((_ENDINGS[suffix] for suffix in path.suffixes[::-1] if suffix in _ENDINGS), "csv")
        format = "idx" if is_idx(path) else by_ending
    require_known(format, FORMATS, "format of tables")
    try:
        if format == "parquet":
            return pa.parquet.read_table(path)
        if format == "arrow":
            return pa.feather.read_table(path)
        if format == "idx":
            return read_idx(path)
        if format == "npz":
            return read_npz(path)
        return _read_csv(path, schema, csv)
    except OSError as error:
        raise EvaluationError(
            f"the table '{path}' cannot be read: {error.strerror or 'not a readable file of its format'}"
        ) from None
    except pa.ArrowException:
        raise EvaluationError(
            f"the table '{path}' is damaged, empty or not {format}; 'mehler schema check SCHEMA {path}' says where"
        ) from None
