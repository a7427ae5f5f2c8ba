"""dp-hp with the paper's settings for the table, where it has some."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("figure3", "figure6", "mixture", "table1", "table2")
synthesize = ProgramMethod(("--method", "dp-hp"), takes_preset=True, takes_epochs=True)
