"""dp-merf with an infinite epsilon, and its authors' settings for the table, where they have some."""

from experiments.lib.program import ReferenceMethod

EXPERIMENTS = ("figure3", "figure6", "mixture", "table2")
synthesize = ReferenceMethod("dp-merf", "dp-merf-")
