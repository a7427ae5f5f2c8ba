"""dp-gan its authors' way on images: their noise, clipping, schedule and networks, which have a lower epsilon than they
state."""

from experiments.lib.program import QUICK_DP_GAN, ProgramMethod

EXPERIMENTS = ("figure3", "figure6")
synthesize = ProgramMethod(("--method", "dp-gan", "--protocol", "published"), quick=QUICK_DP_GAN, epsilon=1)
