"""What a synthetic table cost, kept beside its quality: seconds, and the epsilon that its release really has."""

SECONDS, TRUE_EPSILON = "seconds", "true epsilon"


def measure_name(cost, part=""):
    """part: where a row of a table has several runs, of which."""
    return f"{cost}, {part}" if part else cost


def keep(settings, dataset, row, part, seconds, release):
    """Adds the costs of a run to those that are kept of a row. Without a release there is no epsilon: a system without
    privacy, or one that is not of the program."""
    settings.kept.append(dataset, row, measure_name(SECONDS, part), seconds)
    if release.is_file():
        # From the charges of the release, whatever was asked for.
        epsilon = settings.json("inspect", release)["privacy"]["rederived_epsilon"]
        settings.kept.append(dataset, row, measure_name(TRUE_EPSILON, part), epsilon)
