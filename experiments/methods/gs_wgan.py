"""gs-wgan, reduced as its page says, for as many records as the table is known to have, where there is a preset. The paper
has it for images alone."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("figure3", "figure6", "table2")
synthesize = ProgramMethod(
    ("--method", "gs-wgan"), takes_preset=True, prefix="gs-wgan-", quick=("--shards", 20, "--steps", 100)
)
