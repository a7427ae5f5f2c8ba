"""dp-gan its authors' way on images: their noise, clipping, schedule and networks, which have a lower epsilon than they
state."""

import dataclasses

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("figure3", "figure6")
ENOUGH = 1  # an epsilon that holds their noise
PUBLISHED = ProgramMethod(("--method", "dp-gan", "--protocol", "published"), quick=("--steps", 20))


def synthesize(request):
    PUBLISHED(dataclasses.replace(request, epsilon=ENOUGH))
