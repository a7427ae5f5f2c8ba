"""The methods and their options, which the engine declares once: keywords, docstrings and checks are made from that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mehler import _engine
from mehler._arguments import instance
from mehler._engine import ArgumentError
from mehler._html import escape, table_html


class Option:
    """A setting of a method: a keyword of release(), fit() or synthesize()."""

    __slots__ = ("name", "value", "help", "group", "repeatable", "engine_name", "alone")

    def __init__(self, facts):
        self.engine_name, self.value, self.help, self.group, self.repeatable, self.alone = facts
        self.name = self.engine_name.replace("-", "_")

    @property
    def is_switch(self) -> bool:
        return not self.value

    def __repr__(self):
        return f"{self.name}={'True' if self.is_switch else self.value}"

    def texts(self, given) -> list[str]:
        """A value that was given in Python, as the engine takes it: none, one, or several texts."""
        if given is None or (self.is_switch and given is False):
            return []
        if self.is_switch:
            if given is not True:
                raise ArgumentError(f"option '{self.name}' is a switch: give True or False")
            return [""]
        if isinstance(given, Mapping):
            given = [f"{key}={_text(value)}" for key, value in given.items()]
        if isinstance(given, (list, tuple, set, range)):
            if not self.repeatable:
                return [",".join(_text(one) for one in given)]
            return [_text(one) for one in given]
        if given is True and self.alone:
            return [self.alone]
        return [_text(given)]


def _text(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    item = getattr(value, "item", None)
    return str(item() if callable(item) and not isinstance(value, str) else value)


class Method:
    """A way to make synthetic tables."""

    __slots__ = ("name", "summary", "page", "release_options", "fit_options")

    def __init__(self, engine):
        self.name = engine.name
        self.summary = engine.summary
        self.page = engine.page
        self.release_options = {option.name: option for option in map(Option, engine.release_options)}
        self.fit_options = {option.name: option for option in map(Option, engine.fit_options)}

    def __repr__(self):
        return f"<mehler method {self.name}: {self.summary}>"

    def _repr_html_(self):
        rows = [
            (of, option.name, option.value or "True", option.help)
            for of, options in (("release", self.release_options), ("fit", self.fit_options))
            for option in options.values()
        ]
        head = f"<p><b>{escape(self.name)}</b>: {escape(self.summary)} See {escape(self.page)}.</p>"
        return head + table_html(("of", "option", "value", ""), rows)


class Methods(Mapping):
    """The methods by name, the default one first."""

    def __init__(self, methods):
        self._methods = {method.name: method for method in methods}

    def __getitem__(self, name: str) -> Method:
        if name not in self._methods:
            raise KeyError(f"there is no method {name!r}; there are {', '.join(self._methods)}")
        return self._methods[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._methods)

    def __len__(self) -> int:
        return len(self._methods)

    def __repr__(self):
        return "\n".join(f"{method.name}: {method.summary}" for method in self._methods.values())

    def _repr_html_(self):
        rows = [(method.name, method.summary, method.page) for method in self._methods.values()]
        return table_html(("method", "", "page"), rows)


def methods() -> Methods:
    """The ways to make synthetic tables, by name: what each is for, and its options.

    >>> mehler.methods()["dp-hp"].release_options["order"].help
    """
    return Methods(map(Method, _engine.methods()))


def method_for(name, engine_schema) -> Method:
    """The method of that name, or, for None, the one that suits the schema."""
    return Method(_engine.method_for("" if name is None else instance("method", name, str), engine_schema))


# The arguments of the calls that take options, besides these.
_OF_RELEASE = ("method", "buy_share", "progress", "threads")
_OF_FIT = ("seed", "progress", "threads", "checkpoint", "resume")
_OF_SYNTHESIZE = ("rows", "method", "buy_share", "seed", "release_to", "progress", "threads")


def release_pairs(method, options):
    """Options of a release, as pairs of names and texts. Raises ArgumentError for one that there is not."""
    return _pairs(method, method.release_options, options, _OF_RELEASE)


def fit_pairs(method, options):
    return _pairs(method, method.fit_options, options, _OF_FIT)


def _pairs(method, known, options, arguments):
    _require_known(method, known, options, arguments)
    return [(known[name].engine_name, text) for name, given in options.items() for text in known[name].texts(given)]


def _require_known(method, known, options, arguments):
    for name in options:
        if name not in known:
            raise ArgumentError(
                f"method {method.name} has no option '{name}'; {_remedy(method, known, name, arguments)}"
            )


def _remedy(method, known, name, arguments):
    """Names that are near, or where an option of that name belongs."""
    from difflib import get_close_matches

    if name == "seed":
        return "noise has no seed; fit() and sample() have one"
    if name in method.fit_options:
        return "it is an option of fit(), and of synthesize()"
    if name in method.release_options:
        return "it is an option of release(), and of synthesize()"
    near = get_close_matches(name, [*known, *arguments], n=3)
    if near:
        return f"did you mean {' or '.join(repr(one) for one in near)}?"
    others = [one.name for one in methods().values() if name in one.release_options or name in one.fit_options]
    if others:
        return f"it is one of {', '.join(others)}"
    return f"it has {', '.join(known)}" if known else "it has none"


def split_options(method, options):
    """Of keywords that mean either: those of the release, and those of the fit."""
    _require_known(method, {**method.release_options, **method.fit_options}, options, _OF_SYNTHESIZE)
    of_fit = {name: given for name, given in options.items() if name in method.fit_options}
    both = {name for name in of_fit if name in method.release_options}
    of_release = {name: given for name, given in options.items() if name not in of_fit or name in both}
    return of_release, of_fit


def option_words(*, release=False, fit=False):
    """The options of all methods, for docstrings."""
    lines = []
    for method in methods().values():
        known = {**(method.release_options if release else {}), **(method.fit_options if fit else {})}
        if known:
            lines.append(f"Method {method.name}:")
            lines += [f"    {option.name}: {option.help}" for option in known.values()]
    return lines


def documents_options(**which):
    """Writes the options of all methods into a docstring, where it says {options}."""

    def decorate(function):
        before, place, after = (function.__doc__ or "").partition("{options}")
        if place:  # python -OO has no docstrings
            indent = before[before.rindex("\n") :]
            function.__doc__ = before + indent.join(option_words(**which)) + after
        return function

    return decorate
