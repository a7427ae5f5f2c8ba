"""dp-hp the paper's way, for tables of codes: codes are numbers, no classes, replace-one, its bound and its
accounting."""

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


def synthesize(request):
    PUBLISHED(request.with_schema(published_schema(request.schema)))
