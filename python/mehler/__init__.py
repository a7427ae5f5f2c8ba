"""Mehler: synthetic tables with a proven differential-privacy guarantee.

>>> synthetic = mehler.synthesize(df, schema=mehler.Schema.load("people.schema.json"), epsilon=1, delta=1e-6)

Step by step, with what leaves the private side in a file: release(), Release.save(), Release.fit(), Model.sample().
"""

from mehler import demo, images
from mehler._columns import (
    BUY,
    Column,
    boolean,
    categorical,
    date,
    datetime,
    identifier,
    ignored,
    image,
    integer,
    numeric,
    ordinal,
)
from mehler._comparison import Comparison, Evaluation, evaluate
from mehler._engine import (
    ArgumentError,
    BudgetError,
    Error,
    FileError,
    InternalError,
    ReleaseError,
    SchemaError,
    TableError,
    __version__,
)
from mehler._methods import Method, Option, methods
from mehler._model import Model, Records
from mehler._release import Release, Statement, release
from mehler._schema import Check, Schema
from mehler._synthesize import Plan, plan, synthesize

__all__ = [
    "BUY",
    "ArgumentError",
    "BudgetError",
    "Check",
    "Column",
    "Comparison",
    "Error",
    "Evaluation",
    "FileError",
    "InternalError",
    "Method",
    "Model",
    "Option",
    "Plan",
    "Records",
    "Release",
    "ReleaseError",
    "Schema",
    "SchemaError",
    "Statement",
    "TableError",
    "__version__",
    "boolean",
    "categorical",
    "date",
    "datetime",
    "demo",
    "evaluate",
    "identifier",
    "ignored",
    "image",
    "images",
    "integer",
    "methods",
    "numeric",
    "ordinal",
    "plan",
    "release",
    "synthesize",
]
