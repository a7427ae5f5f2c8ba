"""dp-cgan for as many records as the table is known to have, where there is a preset."""

from experiments.lib.program import QUICK_DP_CGAN, ProgramMethod

EXPERIMENTS = ("figure3", "figure6", "mixture", "table2")
synthesize = ProgramMethod(("--method", "dp-cgan"), takes_preset=True, prefix="dp-cgan-", quick=QUICK_DP_CGAN)
