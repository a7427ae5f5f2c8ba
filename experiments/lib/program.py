"""The methods of the program: how `mehler synth` or, without privacy, `mehler reference` is called for each."""

import dataclasses
import re
import subprocess

from experiments.lib.places import EXPERIMENTS

PRESETS = EXPERIMENTS / "presets"
# Further options of a quick run, by method.
QUICK_IMAGES = ("--candidates", 2000, "--start-batches", 100)
QUICK_DP_GAN = ("--steps", 20)
QUICK_DP_CGAN = ("--steps", 100)
QUICK_GS_WGAN = ("--shards", 20, "--steps", 100)


@dataclasses.dataclass(frozen=True)
class ProgramMethod:
    """A method of `mehler synth` with some of its options, as the synthesize of a file of experiments/methods/."""

    arguments: tuple
    takes_preset: bool = False
    prefix: str = ""  # of the names of its presets
    takes_epochs: bool = False  # whether it is trained in epochs
    quick: tuple = ()  # further options of a quick run
    epsilon: float | None = None  # in place of the request's: one that holds the authors' noise

    def __call__(self, request):
        epsilon = request.epsilon if self.epsilon is None else self.epsilon
        call(request, "synth", "--epsilon", epsilon, "--delta", request.delta, "--force", *self.words(request))

    def words(self, request):
        preset = preset_of(self.prefix, request.preset) if self.takes_preset else ""
        return [
            *self.arguments,
            *given("--preset", preset),
            *given("--epochs", self.takes_epochs and request.epochs),
            *(self.quick if request.quick else ()),
        ]


@dataclasses.dataclass(frozen=True)
class ReferenceMethod:
    """A system of `mehler reference`, without privacy: the budget of the request is not looked at. The tables of the
    experiments are published or simulated."""

    kind: str
    prefix: str = ""  # of the names of its presets

    def __call__(self, request):
        preset = given("--preset", preset_of(self.prefix, request.preset))
        call(request, "reference", self.kind, "--declared-public", *preset, *given("--epochs", request.epochs))


def preset_of(prefix, paper):
    """The preset that stands beside one of the paper's; nothing where there is none. Others than the paper's have no
    settings for each epsilon of a table."""
    if not prefix:
        return paper
    names = [f"{prefix}{paper}", prefix + re.sub(r"-0[.][0-9]+$", "", paper)]
    return next((name for name in names if (PRESETS / f"{name}.json").is_file()), "")


def given(option, value):
    return [option, value] if value else []


def call(request, *command):
    """Runs the program for a request: a command and its own words, to which those that all commands have are added."""
    words = [*command, request.table, "--schema", request.schema_path, *request.options]
    words += [*given("--rows", request.rows), *given("--seed", request.seed), "--quiet", "-o", request.output]
    subprocess.run([request.program, *map(str, words)], check=True, stdout=subprocess.DEVNULL)
