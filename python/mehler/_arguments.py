"""Arguments of Python, of numpy and of others, as the engine takes them; else an ArgumentError that says what is allowed."""

from __future__ import annotations

from mehler._engine import ArgumentError


def number(name, value) -> float:
    """An argument that is a number, of Python or of numpy."""
    try:
        if isinstance(value, (bool, str)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must be a number, but is {type(value).__name__}") from None
    except OverflowError:
        raise ArgumentError(f"{name} must be a number that 64-bit floats hold, but is beyond 1.8e308") from None


def whole_number(name, value, *, smallest=0, largest=2**64 - 1) -> int:
    """An argument that is a whole number, of Python or of numpy."""
    index = getattr(value, "__index__", None)
    if index is None or isinstance(value, bool):
        raise ArgumentError(f"{name} must be a whole number of at least {smallest}, but is {type(value).__name__}")
    if not smallest <= index() <= largest:
        bound = f"at least {smallest}" if index() < smallest else f"at most {largest}"
        raise ArgumentError(f"{name} must be a whole number of {bound}, but is {index()}")
    return index()


def several(value) -> list:
    """A value, or several of them, as a list."""
    is_many = hasattr(value, "__iter__") and not isinstance(value, (str, bytes))
    return list(value) if is_many else [value]


def thread_count(threads) -> int:
    """Worker threads, of which None means all cores: 0 for the engine."""
    if threads is None:
        return 0
    try:
        return whole_number("threads", threads, smallest=1, largest=2**16)
    except ArgumentError:
        raise ArgumentError("threads must be a whole number of at least 1, or None for all cores") from None


def instance(name, value, kind, remedy=""):
    """An argument of one type."""
    if not isinstance(value, kind):
        hint = f"; {remedy}" if remedy else ""
        raise ArgumentError(f"{name} must be a {kind.__name__}, but is {type(value).__name__}{hint}")
    return value
