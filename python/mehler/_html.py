"""Small tables for notebooks. Everything that comes from outside is escaped."""

from __future__ import annotations

_CELL = 'style="text-align:left;vertical-align:top"'


def escape(text) -> str:
    text = str(text)
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(sign, entity)
    return text


def table_html(head, rows) -> str:
    header = "".join(f"<th {_CELL}>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td {_CELL}>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"


def banner_html(words, *, is_safe: bool | None) -> str:
    """A line that says who may see what stands below it; None: under a condition."""
    colour = {True: "#1a7f37", None: "#9a6700", False: "#b42318"}[is_safe]
    return f'<p style="border-left:4px solid {colour};padding-left:8px">{escape(words)}</p>'


def text_html(text) -> str:
    return f"<pre>{escape(text)}</pre>"
