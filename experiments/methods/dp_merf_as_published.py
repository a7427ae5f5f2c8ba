"""dp-merf its authors' way, for tables of codes, which are numbers without classes, and for images: replace-one, its
noise, loss and network."""

from experiments.lib.program import ProgramMethod
from experiments.methods.dp_hp_as_published import published_schema

EXPERIMENTS = ("figure3", "figure6", "table1")
PUBLISHED = ProgramMethod(
    ("--method", "dp-merf", "--protocol", "published"), takes_preset=True, prefix="dp-merf-", takes_epochs=True
)


def synthesize(request):
    schema = request.schema
    has_images = any(column["kind"] == "image" for column in schema["columns"])
    PUBLISHED(request.with_schema(schema | {"relation": "replace-one"} if has_images else published_schema(schema)))
