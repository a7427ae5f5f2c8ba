"""Method privbayes by its published protocol, with theta 1, as the paper's row has it: it takes the number of records
for public, so records are exchanged, not added or removed."""

import dataclasses
import json

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("table1",)
run = ProgramMethod(("--method", "privbayes", "--protocol", "published"))


def synthesize(request):
    schema = json.loads(request.schema_path.read_text(encoding="utf-8")) | {"relation": "replace-one"}
    path = request.output.with_suffix(".schema.json")
    path.write_text(json.dumps(schema), encoding="utf-8")
    run(dataclasses.replace(request, schema_path=path))
