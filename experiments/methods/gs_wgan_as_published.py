"""gs-wgan its authors' way on images, as far as it is built: their noise and schedule with dense networks, and the epsilon
that these have, which is 35 times what they state. The budget of the request is not looked at."""

from experiments.lib.program import QUICK_GS_WGAN, ProgramMethod

EXPERIMENTS = ("figure3", "figure6")
synthesize = ProgramMethod(("--method", "gs-wgan", "--protocol", "published"), quick=QUICK_GS_WGAN, epsilon=350)
