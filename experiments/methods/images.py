"""Method images, the program's default for images; style broad."""

from experiments.lib.program import QUICK_IMAGES, ProgramMethod

EXPERIMENTS = ("figure3", "figure6")
synthesize = ProgramMethod(("--method", "images"), quick=QUICK_IMAGES)
