"""What an exception that is not ours has to say besides its own words."""

from __future__ import annotations

from mehler._engine import Error


def add_note(error: BaseException, words: str) -> None:
    """Adds a line that is shown with the exception. Python 3.10 has no notes: there it is a mehler.Error, as the
    context, which is shown above it."""
    if hasattr(error, "add_note"):
        error.add_note(words)
        return
    while error.__context__ is not None:
        error = error.__context__
    error.__context__ = Error(words)
