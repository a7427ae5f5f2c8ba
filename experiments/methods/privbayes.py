"""Method privbayes, with our own choices and noise."""

from experiments.lib.program import ProgramMethod

EXPERIMENTS = ("table1",)
synthesize = ProgramMethod(("--method", "privbayes"))
