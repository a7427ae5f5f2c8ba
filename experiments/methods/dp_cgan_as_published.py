"""dp-cgan its authors' way on images: their noise, clipping, schedule and networks, and the epsilon that these have, which
is seven times what they state. The budget of the request is not looked at."""

from experiments.lib.program import QUICK_DP_CGAN, ProgramMethod

EXPERIMENTS = ("figure3", "figure6")
synthesize = ProgramMethod(("--method", "dp-cgan", "--protocol", "published"), quick=QUICK_DP_CGAN, epsilon=70)
