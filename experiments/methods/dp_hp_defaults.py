"""dp-hp with the program's defaults."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("mixture", "table1", "table2")
synthesize = ProgramMethod(("--method", "dp-hp"), takes_epochs=True)
