"""Feature sums and gradients of generated records on one thread, beside what the machine can multiply."""

import json
import pathlib
import subprocess

from figures import Figure

ROWS, COLUMNS, ORDER, REPEATS = 4884, 15, 100, 300
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "sum_loss_benchmark"


def run():
    # The program compares every answer with double before it prints a time.
    printed = json.loads(subprocess.run([PROGRAM, *map(str, (ROWS, COLUMNS, ORDER, REPEATS))], check=True,
                                        capture_output=True, text=True).stdout)
    figures = [
        Figure(f"multiply-adds in registers, {printed['instruction_set']}", printed["multiply_adds_per_second"] / 1e9,
               "10^9/s"),
        Figure("two multiply-adds an order and value", printed["two_multiply_adds_ms"], "ms")]
    for length_scale in ("0.02", "0.15"):
        recursion = printed[f"recursion_{length_scale}_ms"]
        for part, bar in (("forward", None), ("gradient", None), ("together", 0.7)):
            figures += [Figure(f"recursion, length scale {length_scale}, {part}", recursion[part], "ms"),
                        Figure(f"recursion, length scale {length_scale}, {part}, share of the limit",
                               recursion[f"{part}_of_limit"], "", at_least=bar)]
        chebyshev = printed[f"chebyshev_{length_scale}_ms"]
        figures += [Figure(f"Chebyshev of degree {chebyshev['degree']}, length scale {length_scale}, {part}",
                           chebyshev[part], "ms") for part in ("forward", "gradient", "together")]
        figures.append(Figure(f"Chebyshev, length scale {length_scale}, ratio to the recursion",
                              recursion["together"] / chebyshev["together"], "x"))
    return figures
