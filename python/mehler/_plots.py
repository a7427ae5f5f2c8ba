"""Released counts with the bands of their noise, and synthetic ones beside them; with matplotlib or altair.

A table of counts comes from the engine as (axes, released, sigma, synthetic), an axis as (column, edges, labels).
"""

from __future__ import annotations

from mehler._engine import ArgumentError, Error

_FIRST = 6
_BAND = 2.0  # standard deviations
_RELEASED, _SYNTHETIC = "#4c78a8", "#e45756"


def plot_tables(tables, columns):
    """A figure of matplotlib or, where that is not installed, a chart of altair."""
    if not tables:
        raise Error(
            "there is nothing to draw: the release has no counts of columns; print(comparison) shows its figures, and "
            "evaluate() compares with real records"
        )
    chosen = _chosen(tables, columns)
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        pass
    else:
        return _with_matplotlib(pyplot, chosen)
    try:
        import altair
    except ImportError:
        raise Error("drawing needs matplotlib or altair; pip install matplotlib") from None
    return _with_altair(altair, chosen)


def _chosen(tables, columns):
    by_names = {tuple(axis[0] for axis in table[0]): table for table in tables}
    if not columns:
        return [table for names, table in by_names.items() if len(names) == 1][:_FIRST]
    known = {name for names in by_names for name in names}
    for column in columns:
        if column not in known:
            raise ArgumentError(f"the release has no counts of '{column}'; it has those of {', '.join(sorted(known))}")
    if len(columns) == 2:
        pair = by_names.get(tuple(columns)) or by_names.get(tuple(reversed(columns)))
        if pair is not None:
            return [pair]
        raise ArgumentError(f"the release has not counted '{columns[0]}' and '{columns[1]}' together")
    return [by_names[column,] for column in columns if (column,) in by_names]


def _residuals(table):
    """Of a pair: how far synthetic counts lie from the released ones, in standard deviations; or, without any, how far
    the released ones lie from what the columns by themselves let one expect."""
    _, released, sigma, synthetic = table
    if synthetic:
        return [(of - have) / sigma for of, have in zip(synthetic, released)]
    return [(have - expected) / sigma for have, expected in zip(released, _expected_of_columns(table))]


def _expected_of_columns(table):
    """The counts of a pair if its columns had nothing to do with one another."""
    (_, second), released, *_ = table
    width, total = len(second[2]), sum(released)
    if total <= 0:  # noise alone
        return [0.0] * len(released)
    of_rows = [sum(released[first : first + width]) for first in range(0, len(released), width)]
    of_columns = [sum(released[column::width]) for column in range(width)]
    return [row * column / total for row in of_rows for column in of_columns]


def _with_matplotlib(pyplot, tables):
    columns = min(len(tables), 3)
    rows = -(-len(tables) // columns)
    figure, places = pyplot.subplots(rows, columns, figsize=(4.5 * columns, 3.2 * rows), squeeze=False)
    for place, table in zip(places.flat, tables):
        (_draw_column if len(table[0]) == 1 else _draw_pair)(place, table)
    for place in list(places.flat)[len(tables) :]:
        place.axis("off")
    figure.tight_layout()
    pyplot.close(figure)  # notebooks show what is returned, once
    return figure


def _draw_column(place, table):
    ((name, _, labels),), released, sigma, synthetic = table
    cells = range(len(labels))
    place.bar(cells, released, color=_RELEASED, alpha=0.35, label="released")
    band = _BAND * sigma
    place.errorbar(cells, released, yerr=band, fmt="none", ecolor=_RELEASED, capsize=2, label="noise, 2 sd")
    if synthetic:
        place.plot(cells, synthetic, color=_SYNTHETIC, marker=".", linewidth=1, label="synthetic")
    place.set_title(name)
    few = range(0, len(labels), -(-len(labels) // 8))
    place.set_xticks(list(few), [labels[cell] for cell in few], rotation=45, ha="right", fontsize=7)
    place.legend(fontsize=7)


def _draw_pair(place, table):
    (first, second), *_ = table
    rows, columns = len(first[2]), len(second[2])
    values = _residuals(table)
    grid = [values[row * columns : (row + 1) * columns] for row in range(rows)]
    drawn = place.imshow(grid, cmap="RdBu_r", vmin=-4, vmax=4, aspect="auto")
    place.figure.colorbar(drawn, ax=place, label="standard deviations of the noise")
    place.set_title(f"{first[0]} x {second[0]}")
    place.set_xticks(range(columns), second[2], rotation=45, ha="right", fontsize=6)
    place.set_yticks(range(rows), first[2], fontsize=6)


def _with_altair(altair, tables):
    charts = [(_altair_column if len(table[0]) == 1 else _altair_pair)(altair, table) for table in tables]
    return altair.hconcat(*charts)


def _altair_column(altair, table):
    ((name, _, labels),), released, sigma, synthetic = table
    rows = [
        {"cell": label, "released": have, "low": have - _BAND * sigma, "high": have + _BAND * sigma, "synthetic": of}
        for label, have, of in zip(labels, released, synthetic or [None] * len(labels))
    ]
    base = altair.Chart(altair.Data(values=rows), title=name).encode(
        x=altair.X("cell:N", sort=list(labels), title=None)
    )
    bars = base.mark_bar(color=_RELEASED, opacity=0.35).encode(y=altair.Y("released:Q", title="records"))
    bands = base.mark_rule(color=_RELEASED).encode(y="low:Q", y2="high:Q")
    line = base.mark_line(color=_SYNTHETIC, point=True).encode(y="synthetic:Q")
    return altair.layer(bars, bands, line) if synthetic else altair.layer(bars, bands)


def _altair_pair(altair, table):
    (first, second), *_ = table
    values = iter(_residuals(table))
    rows = [{"row": row, "column": column, "sd": next(values)} for row in first[2] for column in second[2]]
    return (
        altair.Chart(altair.Data(values=rows), title=f"{first[0]} x {second[0]}")
        .mark_rect()
        .encode(
            x=altair.X("column:N", sort=list(second[2]), title=second[0]),
            y=altair.Y("row:N", sort=list(first[2]), title=first[0]),
            color=altair.Color("sd:Q", scale=altair.Scale(scheme="redblue", reverse=True, domain=[-4, 4])),
        )
    )
