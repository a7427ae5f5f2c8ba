"""Full MMD: a network trained without privacy on the Gaussian kernel itself."""

from experiments.lib.program import ReferenceMethod

EXPERIMENTS = ("figure3", "figure6", "mixture")
synthesize = ReferenceMethod("full-mmd", "full-mmd-")
