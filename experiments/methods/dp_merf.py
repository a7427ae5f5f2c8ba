"""dp-merf with its authors' settings for the table, where they have some."""

import dataclasses
import pathlib
import re

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("mixture", "table1", "table2")
PRESETS = pathlib.Path(__file__).resolve().parents[1] / "presets"
OWN = ProgramMethod(("--method", "dp-merf"), takes_preset=True, takes_epochs=True)


def preset_of(paper):
    """The preset beside one of the paper's, whose settings for an epsilon of their own it does not have."""
    name = f"dp-merf-{re.sub(r'-0[.][0-9]+$', '', paper)}"
    return name if (PRESETS / f"{name}.json").exists() else ""


def synthesize(request):
    OWN(dataclasses.replace(request, preset=preset_of(request.preset)))
