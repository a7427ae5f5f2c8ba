"""gs-wgan, reduced as its page says, for as many records as the table is known to have, where there is a preset. The paper
has it for images alone."""

from experiments.lib.program import QUICK_GS_WGAN, ProgramMethod

EXPERIMENTS = ("figure3", "figure6", "table2")
synthesize = ProgramMethod(("--method", "gs-wgan"), takes_preset=True, prefix="gs-wgan-", quick=QUICK_GS_WGAN)
