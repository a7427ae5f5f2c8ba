"""The methods of the program: how `mehler synth` is called for each."""

import dataclasses
import subprocess


@dataclasses.dataclass(frozen=True)
class ProgramMethod:
    """A method of `mehler synth` with some of its options, as the synthesize of a file of experiments/methods/."""

    arguments: tuple
    takes_preset: bool = False
    takes_epochs: bool = False  # whether it is trained in epochs

    def __call__(self, request):
        words = ["--schema", request.schema_path, "--epsilon", request.epsilon, "--delta", request.delta]
        words += self.arguments
        if self.takes_preset and request.preset:
            words += ["--preset", request.preset]
        if self.takes_epochs and request.epochs:
            words += ["--epochs", request.epochs]
        words += request.options
        for option, value in (("--rows", request.rows), ("--seed", request.seed)):
            words += [] if value is None else [option, value]
        command = [request.program, "synth", request.table, *words, "--quiet", "--force", "-o", request.output]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
