"""What the user can mend, and how names that are not known are told."""

import difflib

from mehler import Error


class EvaluationError(Error):
    """Input that cannot be scored. Says what is wrong and what to do; never quotes a value of a record."""


def require_known(name, known, what):
    """Raises EvaluationError, with the nearest known name, unless `name` is one of `known`."""
    if name not in known:
        near = difflib.get_close_matches(str(name), known, n=1)
        hint = f", did you mean '{near[0]}'?" if near else ";"
        raise EvaluationError(f"there is no {what} '{name}'{hint} known are: {', '.join(known)}")
