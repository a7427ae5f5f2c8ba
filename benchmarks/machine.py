"""What this machine can do at most."""

from benchmarks.measuring import printed_by
from experiments.lib.bars import Figure


class Machine:
    """Peaks on one thread: the most of all measurements so far, since others may use the machine."""

    def __init__(self):
        self.peaks = {"floats": 0.0, "doubles": 0.0, "matrices": 0.0}
        self.instruction_set = ""
        self.two_thread_gain = 0.0  # at the last measurement

    def measure(self):
        printed = printed_by("machine_peaks")
        self.instruction_set = printed["instruction_set"]
        self.two_thread_gain = printed["two_thread_gain"]
        self.peaks = {name: max(peak, printed[name]) for name, peak in self.peaks.items()}

    def share(self, peak, multiply_adds, seconds):
        """The share of a peak at which so many multiply-adds took so long."""
        return multiply_adds / seconds / self.peaks[peak]

    def figures(self):
        return [
            Figure(
                f"peak, multiply-adds of floats in registers, {self.instruction_set}",
                self.peaks["floats"] / 1e9,
                "10^9/s",
            ),
            Figure("peak, the same of doubles", self.peaks["doubles"] / 1e9, "10^9/s"),
            Figure("peak, the matrix product of floats", self.peaks["matrices"] / 1e9, "10^9/s"),
        ]

    def thread_figures(self, words, one, two):
        """The gain by a second thread, beside what two threads that share nothing gain at the same time."""
        self.measure()
        return [
            Figure(f"{words}: gain by a second thread", one / two, "x", at_least=1.8, only_idle=True),
            Figure(f"{words}: the same of loops in registers", self.two_thread_gain, "x"),
        ]
