"""Method marginals, the program's default."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("mixture", "table1", "table2")
synthesize = ProgramMethod(("--method", "marginals"))
