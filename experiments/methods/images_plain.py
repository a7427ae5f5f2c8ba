"""Method images, style plain: the fitted law itself."""

from experiments.lib.program import QUICK_IMAGES, ProgramMethod

EXPERIMENTS = ("figure3", "figure6")
synthesize = ProgramMethod(("--method", "images", "--style", "plain"), quick=QUICK_IMAGES)
