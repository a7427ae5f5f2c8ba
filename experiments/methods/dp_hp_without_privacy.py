"""dp-hp with an infinite epsilon, and the paper's settings for the table, where it has some."""

from experiments.lib.program import ReferenceMethod

EXPERIMENTS = ("figure3", "figure6", "mixture", "table2")
synthesize = ReferenceMethod("dp-hp")
