"""gs-wgan, reduced as its page says, with its default settings. The paper has it for images alone."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("table2",)
synthesize = ProgramMethod(("--method", "gs-wgan"))
