"""Figures of a synthetic table: beside a release, which may be shared if the table may, and beside real records, which may
not."""

from __future__ import annotations

from mehler import _engine
from mehler._arguments import several, whole_number
from mehler._engine import ArgumentError
from mehler._files import write_whole
from mehler._html import banner_html, table_html, text_html
from mehler._plots import plot_tables
from mehler._progress import watch
from mehler._schema import Schema, engine_schema_of
from mehler._tables import source_of


class _Figures:
    """Figures in words and as a dict."""

    __slots__ = ("_text", "_json")

    def __init__(self, text, as_json):
        self._text = text
        self._json = as_json

    def to_dict(self) -> dict:
        """All figures, as the command line's --json has them."""
        import json

        return json.loads(self._json)

    def __str__(self):
        return self._text


class _Reported(_Figures):
    """Figures that are a page, too."""

    __slots__ = ("_page",)

    def __init__(self, text, as_json, page):
        super().__init__(text, as_json)
        self._page = page

    def to_html(self, path) -> None:
        """Writes the figures as a page, whole or not at all: one file that loads nothing, with columns and pairs drawn.
        It says who may see it."""
        write_whole(path, self._page.encode())


class Comparison(_Reported):
    """How close a synthetic table is to a release, beside the release's own noise. Of a private table it tells as much as
    the table does: no one but the caller knows where a table comes from.
    """

    __slots__ = ("_tables",)

    def __init__(self, reports, tables):
        super().__init__(*reports)
        self._tables = tables

    @property
    def may_be_shared_if(self) -> str:
        """The condition under which these figures are covered by the release's guarantee, in words."""
        return self.to_dict()["may_be_shared_if"]

    @property
    def counts(self) -> list[dict]:
        """Of tables of one, two and three columns: the share of the records that would have to change to match the
        released counts (mean_total_variation), and that which the noise alone hides (mean_total_variation_of_noise).
        Empty for a release of features."""
        return self.to_dict().get("counts", [])

    def plot(self, *columns: str):
        """Draws released counts with bands of two standard deviations of their noise, and the synthetic ones; of two
        columns, by how many standard deviations their cells differ. Without names, the first columns.

        Needs matplotlib or altair."""
        return plot_tables(self._tables, columns)

    def __repr__(self):
        parts = [f"{columns}: {error} (noise {noise})" for columns, _, error, noise in self._rows()]
        return f"<comparison with a release; {', '.join(parts) or 'print() shows it'}>"

    def _repr_html_(self):
        head = ("counts of", "tables", "records that would have to change", "the release's own noise")
        body = table_html(head, self._rows()) if self.counts else ""
        details = f"<details><summary>all figures</summary>{text_html(self)}</details>"
        return banner_html(self.to_dict()["privacy"], is_safe=None) + body + details

    def _rows(self):
        return [
            (
                ("columns", "pairs", "triples")[entry["columns"] - 1],
                entry["tables"],
                f"{entry['mean_total_variation']:.2%}",
                f"{entry['mean_total_variation_of_noise']:.2%}",
            )
            for entry in self.counts
        ]


class Evaluation(_Reported):
    """Figures of a synthetic table beside real records.

    safe_to_share  False, always: real records were read without noise
    """

    __slots__ = ()
    safe_to_share = False

    def __repr__(self):
        return "<evaluation beside real records, for their owner only; print() shows it>"

    def _repr_html_(self):
        return banner_html(self.to_dict()["privacy"], is_safe=False) + text_html(self)


def evaluate(
    synthetic,
    *,
    real,
    schema: Schema,
    train=None,
    target: str | None = None,
    positive: str | None = None,
    bins: int = 20,
    marginals=(),
    max_subsets: int = 2000,
    seed: int = 1,
    epochs: int = 10,
    image_classifiers: bool = True,
    progress=None,
    threads: int | None = None,
) -> Evaluation:
    """How good a synthetic table is, beside real records: marginals, scores, closest records, what a classifier learns.

    real               real records, best ones that were held out
    train              the records that the synthetic ones were made from: adds how near synthetic ones lie to them
    target             a column of classes: adds a classifier trained on the synthetic records and tested on the real
    positive           of two classes the one to look for; by default the rarer one of the real records
    bins               of a number, over its declared bounds
    marginals          sizes of the column subsets that are compared; by default 1, 2 and 3
    max_subsets        of each size; of more, a random sample
    epochs             of images: how often the network that is trained on them sees them
    image_classifiers  of images: whether to train one at all

    Privacy: reads real records without noise. No guarantee covers the figures; they are for the records' owner.
    """
    engine_schema = engine_schema_of(schema)
    sources = [source_of(table, name=name) for table, name in ((real, "real"), (synthetic, "synthetic"))]
    training = None if train is None else source_of(train, name="train").engine
    if positive is not None and target is None:
        raise ArgumentError("positive is a class of the column that target names; give both")
    with watch(progress, "comparing", threads=threads) as watching:
        return Evaluation(
            *_engine.evaluate(
                engine_schema,
                sources[0].engine,
                sources[1].engine,
                training,
                target or "",
                "" if positive is None else str(positive),
                bins=whole_number("bins", bins),
                ways=sorted({whole_number("marginals", ways, smallest=1) for ways in several(marginals)}),
                max_subsets=whole_number("max_subsets", max_subsets, smallest=1),
                seed=whole_number("seed", seed),
                epochs=whole_number("epochs", epochs),
                image_classifiers=bool(image_classifiers),
                watch=watching,
            )
        )
