"""dp-merf its authors' way, for tables of codes: codes are numbers, no classes, replace-one, its noise, loss and
network."""

import dataclasses

from experiments.lib.program import ProgramMethod
from experiments.methods import dp_hp_as_published
from experiments.methods.dp_merf import preset_of

EXPERIMENTS = ("table1",)
PUBLISHED = ProgramMethod(("--method", "dp-merf", "--protocol", "published"), takes_preset=True, takes_epochs=True)


def synthesize(request):
    dp_hp_as_published.synthesize(dataclasses.replace(request, preset=preset_of(request.preset)), PUBLISHED)
