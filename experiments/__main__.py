"""python -m experiments NAME, from the root of the repository; experiments/run builds first."""

import sys

from experiments.lib.runner import main

sys.exit(main(sys.argv[1:]))
