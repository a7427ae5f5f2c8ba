"""dp-merf with its authors' settings for the table, where they have some."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("figure3", "figure6", "mixture", "table1", "table2")
synthesize = ProgramMethod(("--method", "dp-merf"), takes_preset=True, prefix="dp-merf-", takes_epochs=True)
