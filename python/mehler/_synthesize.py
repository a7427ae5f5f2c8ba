"""synthesize: release, fit and sample in one call. plan: what an epsilon would buy."""

from __future__ import annotations

from collections.abc import Iterable

from mehler import _engine
from mehler._arguments import number, several, whole_number
from mehler._comparison import _Figures
from mehler._engine import ArgumentError
from mehler._frames import LIBRARIES
from mehler._html import escape, table_html
from mehler._methods import documents_options, fit_pairs, method_for, release_pairs, split_options
from mehler._notes import add_note
from mehler._progress import watch
from mehler._release import release, require_new_release
from mehler._schema import Schema, engine_schema_of
from mehler._tables import source_of


@documents_options(release=True, fit=True)
def synthesize(
    table,
    *,
    schema: Schema,
    epsilon: float,
    delta: float,
    rows: int | None = None,
    method: str | None = None,
    buy_share: float | None = None,
    seed: int = 1,
    release_to=None,
    overwrite: bool = False,
    progress=None,
    threads: int | None = None,
    **options,
):
    """A private table in, a synthetic one of the same library out, with the types of its columns: release, fit and
    sample in one go.

    rows        synthetic records; by default the released number
    seed        of the fit, never of the noise, which has none
    release_to  a file for the release, written as soon as it is made: from it, more can be had at no further cost. One
                that exists is refused before records are read, unless overwrite=True
    options     of the method, for the release and for the fit. The other arguments are those of release():

    {options}

    If something fails after the release was made, its budget is spent: the exception has it as `release`.
    A table of another library than pandas, polars and pyarrow comes back as Records.
    """
    if release_to is not None and not overwrite:
        require_new_release(release_to)
    engine_schema = engine_schema_of(schema)
    chosen = method_for(method, engine_schema)
    of_release, of_fit = split_options(chosen, options)
    source = source_of(table, schema=engine_schema)  # what is no table is refused before all else
    seed = whole_number("seed", seed)
    rows = None if rows is None else whole_number("rows", rows, smallest=1)
    _engine.check_options(engine_schema, chosen.name, release_pairs(chosen, of_release), fit_pairs(chosen, of_fit))
    made = release(
        table,
        schema=schema,
        epsilon=epsilon,
        delta=delta,
        method=chosen.name,
        buy_share=buy_share,
        progress=progress,
        threads=threads,
        **of_release,
    )
    try:
        if release_to is not None:
            made.save(release_to, overwrite=overwrite)
        records = made.fit(seed=seed, progress=progress, threads=threads, **of_fit).sample(rows, threads=threads)
        if source.library not in LIBRARIES:
            return records
        return _like(source, records, made, progress, threads)
    except BaseException as error:
        error.release = made
        add_note(error, "The budget is spent on a release, which this exception has as .release: go on with its fit()")
        raise


def _like(source, records, made, progress, threads):
    """Records as a frame of the source's library, with its types."""
    types = made._engine.schema.stored_like(source.engine)
    return records._to(source.library, progress, threads, like=source.table, types=types)


class Plan(_Figures):
    """What releases of a schema would be worth, before anything is spent: forecasts, one for each epsilon."""

    __slots__ = ()
    safe_to_share = True

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        forecasts = self.to_dict()
        tables = list(dict.fromkeys(of for forecast in forecasts for of in forecast["noise"]))
        rows = [(f"{one['epsilon']:g}", *(_noise_words(one["noise"].get(of)) for of in tables)) for one in forecasts]
        words = "No table was read and nothing spent. Noise is the share of the records that it hides."
        return f"<p>{escape(words)}</p>" + table_html(("epsilon", *tables), rows)


def _noise_words(noise):
    return "" if noise is None else f"{noise['mean']:.2%}, {noise['level']}"


@documents_options(release=True)
def plan(
    schema: Schema,
    *,
    rows: int,
    epsilon: float | Iterable[float],
    delta: float,
    method: str | None = None,
    threads: int | None = None,
    progress=None,
    **options,
) -> Plan:
    """What would an epsilon buy? The noise of a release of so many records, from the schema alone.

    epsilon  one, or several
    options  of the method:

    {options}

    Privacy: reads no table and costs nothing.
    """
    engine_schema = engine_schema_of(schema)
    chosen = method_for(method, engine_schema)
    epsilons = [number("epsilon", one) for one in several(epsilon)]
    if not epsilons:
        raise ArgumentError("epsilon is an empty list: there is nothing to plan; give one or several numbers")
    with watch(progress, "planning", threads=threads) as watching:
        text, as_json = _engine.plan(
            engine_schema,
            whole_number("rows", rows, smallest=1, largest=2**40),
            epsilons,
            number("delta", delta),
            chosen.name,
            release_pairs(chosen, options),
            watching,
        )
    return Plan(text, as_json)
