"""Who is told how far a long call is: nobody, a bar, or a function.

Privacy: fractions alone; a notebook keeps its output, and the number of private records may be private.
"""

from __future__ import annotations

from mehler import _engine
from mehler._arguments import thread_count
from mehler._engine import ArgumentError
from mehler._notes import add_note


class watch:
    """`with watch(...) as watching:` gives an engine's Watch. What ends it after private records were measured says so:
    Ctrl-C, or what the function raises, would otherwise hide that the budget is spent, and whoever starts again spends
    another.

    progress  None for silence, True for a bar, or a function of (fraction, words), in which the fraction may be None
    source    the private table, if the call reads one
    """

    def __init__(self, progress, what, *, threads=None, source=None):
        if progress not in (None, True, False) and not _takes_fraction_and_words(progress):
            raise ArgumentError("progress must be True, None, or a function that takes a fraction and words")
        self._progress, self._what, self._source = progress, what, source
        self._threads = thread_count(threads)
        self._bar = None
        self._watching = None

    def __enter__(self):
        if self._progress is True:
            self._bar = _Bar(self._what)
        self._watching = _engine.Watch(
            self._bar or (self._progress if callable(self._progress) else None),
            is_private=self._source is not None,
            private_rows=None if self._source is None else self._source.rows,
            threads=self._threads,
        )
        return self._watching

    def __exit__(self, kind, error, trace):
        if self._bar is not None:
            self._bar.close()
        if error is not None and self._watching.has_measured and _engine.BUDGET_IS_SPENT not in str(error):
            add_note(error, f"{_engine.BUDGET_IS_SPENT}.")


def _takes_fraction_and_words(progress):
    """Asked before anything starts: when it is called first, records may have been measured."""
    if not callable(progress):
        return False
    import inspect  # not with the package: it takes long

    try:
        inspect.signature(progress).bind(None, "")
    except TypeError:
        return False
    except ValueError:  # of some functions that are not written in Python, nothing is known
        pass
    return True


class _Bar:
    """tqdm's bar where it is installed, else a line on standard error."""

    def __init__(self, what):
        self._what = what
        self._fraction = 0.0
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar = None
        else:
            self._bar = tqdm(total=1.0, desc=what, bar_format="{desc}: {percentage:3.0f}%|{bar}| {postfix}")

    def __call__(self, fraction, words):
        fraction = self._fraction if fraction is None else max(fraction, 0.0)
        if self._bar is not None:
            self._bar.set_postfix_str(words, refresh=False)
            self._bar.n = fraction
            self._bar.refresh()
        elif int(100 * fraction) != int(100 * self._fraction):
            import sys

            sys.stderr.write(f"\r{self._what}: {100 * fraction:3.0f}%")
            sys.stderr.flush()
        self._fraction = fraction

    def close(self):
        if self._bar is not None:
            self._bar.n = 1.0
            self._bar.close()
        elif self._fraction > 0.0:
            import sys

            sys.stderr.write("\n")
