"""The methods of the program: how `mehler synth` is called for each."""

import dataclasses
import subprocess

QUICK_IMAGES = ("--candidates", 2000, "--start-batches", 100)  # of method images


@dataclasses.dataclass(frozen=True)
class ProgramMethod:
    """A method of `mehler synth` with some of its options, as the synthesize of a file of experiments/methods/."""

    arguments: tuple
    takes_preset: bool = False
    takes_epochs: bool = False  # whether it is trained in epochs
    quick: tuple = ()  # further options of a quick run

    def __call__(self, request):
        words = ["--schema", request.schema_path, "--epsilon", request.epsilon, "--delta", request.delta]
        words += self.arguments
        if self.takes_preset and request.preset:
            words += ["--preset", request.preset]
        if self.takes_epochs and request.epochs:
            words += ["--epochs", request.epochs]
        words += self.quick if request.quick else ()
        words += request.options
        for option, value in (("--rows", request.rows), ("--seed", request.seed)):
            words += [] if value is None else [option, value]
        command = [request.program, "synth", request.table, *words, "--quiet", "--force", "-o", request.output]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
