"""Method privbayes by its published protocol, with theta 1, as the paper's row has it: it takes the number of records
for public, so records are exchanged, not added or removed."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("table1",)
PUBLISHED = ProgramMethod(("--method", "privbayes", "--protocol", "published"))


def synthesize(request):
    PUBLISHED(request.with_schema(request.schema | {"relation": "replace-one"}))
