"""dp-gan for as many records as the table is known to have, where there is a preset."""

from experiments.lib.program import QUICK_DP_GAN, ProgramMethod

EXPERIMENTS = ("figure3", "figure6", "mixture", "table2")
synthesize = ProgramMethod(("--method", "dp-gan"), takes_preset=True, prefix="dp-gan-", quick=QUICK_DP_GAN)
