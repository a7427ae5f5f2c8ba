"""dp-hp the paper's way, for tables of codes: codes are numbers, no classes, replace-one, its bound and its
accounting."""

import dataclasses
import json

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("table1",)
PUBLISHED = ProgramMethod(
    ("--method", "dp-hp", "--accounting", "published", "--sensitivity", "published"),
    takes_preset=True,
    takes_epochs=True,
)


def published_schema(schema):
    """A schema of codes as the paper sees it: whole numbers without classes, and records that are exchanged."""
    columns = [
        {"name": column["name"], "kind": "integer", "bounds": [0, len(column["categories"]) - 1]}
        for column in schema["columns"]
    ]
    return {"mehler_schema": 1, "relation": "replace-one", "columns": columns}


def synthesize(request, method=PUBLISHED):
    schema = json.loads(request.schema_path.read_text(encoding="utf-8"))
    path = request.output.with_name("as-published.schema.json")
    path.write_text(json.dumps(published_schema(schema)), encoding="utf-8")
    method(dataclasses.replace(request, schema_path=path))
