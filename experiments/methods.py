"""The methods that the tables compare: how `mehler synth` is called for each."""

import dataclasses
import json
import pathlib

DELTA = 1e-5  # the paper's


@dataclasses.dataclass(frozen=True)
class Method:
    """A row of the tables. A new method of `mehler synth` is a new line of METHODS."""

    name: str
    arguments: tuple = ()
    preset: bool = False  # whether it takes the dataset's preset
    as_published: bool = (
        False  # the paper's way: codes are numbers, no classes, replace-one, its bound and its accounting
    )


METHODS = (
    Method("dp-hp", ("--method", "dp-hp"), preset=True),
    Method("marginals", ("--method", "marginals")),
    Method("dp-hp-defaults", ("--method", "dp-hp")),
)
PUBLISHED = Method(
    "dp-hp-as-published",
    ("--method", "dp-hp", "--accounting", "published", "--sensitivity", "published"),
    preset=True,
    as_published=True,
)
ALL_METHODS = (*METHODS, PUBLISHED)


def method_named(name):
    """The row of that name."""
    return next(method for method in ALL_METHODS if method.name == name)


# The paper's comparison methods, which are not built.
NOT_AVAILABLE = ("PrivBayes", "DP-MERF", "DP-CGAN", "DP-GAN")


def published_schema(schema):
    """A schema of codes as the paper sees it: whole numbers without classes, and records that are exchanged."""
    columns = [
        {"name": column["name"], "kind": "integer", "bounds": [0, len(column["categories"]) - 1]}
        for column in schema["columns"]
    ]
    return {"mehler_schema": 1, "relation": "replace-one", "columns": columns}


@dataclasses.dataclass(frozen=True)
class Source:
    """What is synthesised: a table of so many rows with its schema, and the preset of its paper's settings."""

    table: pathlib.Path
    rows: int
    schema_path: pathlib.Path
    preset: str


def synthesize(settings, method, source, epsilon, seed, more=(), ending="parquet"):
    """Synthetic records, as many as the table has, in a file of the results that the next call replaces; its path."""
    schema = source.schema_path
    if method.as_published:
        schema = settings.folder / "as-published.schema.json"
        schema.write_text(
            json.dumps(published_schema(json.loads(source.schema_path.read_text(encoding="utf-8")))), encoding="utf-8"
        )
    output = settings.folder / f"synthetic.{ending}"
    preset = ("--preset", source.preset) if method.preset and source.preset else ()
    settings.call(
        "synth",
        source.table,
        "--schema",
        schema,
        "--epsilon",
        epsilon,
        "--delta",
        DELTA,
        *method.arguments,
        *preset,
        *more,
        "--rows",
        source.rows,
        "--seed",
        seed,
        "--quiet",
        "-o",
        output,
    )
    return output
