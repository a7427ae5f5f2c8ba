"""dp-cgan as its authors' program trains it: their noise, and besides it the labels of the records and, of tables, the
same first records in every step, which leaves no guarantee. The budget of the request is not looked at."""

from experiments.lib.program import QUICK_DP_CGAN, call

EXPERIMENTS = ("figure3", "figure6", "table2")


def synthesize(request):
    quick = QUICK_DP_CGAN if request.quick else ()
    batch = ("--batch", 20) if request.preset == "cervical" else ()  # its authors' for this table
    call(request, "reference", "dp-cgan-as-published", "--declared-public", *quick, *batch)
