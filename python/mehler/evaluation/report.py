"""Scores as a table for people and as JSON for programs."""

import textwrap

from mehler.evaluation.results import NO_GUARANTEE

_PROTOCOL_WORDS = {
    "scores": "settings of the paper's appendix; roc_auc and average_precision from scores",
    "published": "as in the paper's tables: hard predictions, the best of several settings on the test records",
}


def _cell(spread, digits=4):
    return f"{spread.mean:.{digits}f}" + ("" if spread.sd is None else f" +- {spread.sd:.{digits}f}")


def _aligned(rows):
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def text_of(scores):
    """The table, after the words that no guarantee covers it."""
    summary = scores.summary()
    notes = {row.classifier: row.note for row in scores.rows if row.note}
    rows = [["classifier", *scores.metrics, ""]]
    for name in dict.fromkeys(row.classifier for row in scores.rows):
        rows.append([name, *_figures(summary.get(name, {}), scores.metrics), notes.get(name, "")])
    trained = len(summary) - 1
    rows.append([f"mean of {trained}", *_figures(summary["mean"], scores.metrics), ""])
    seeds = len({row.seed for row in scores.rows})
    head = (
        f"Trained on one table, tested on real records. Protocol {scores.protocol}: {_PROTOCOL_WORDS[scores.protocol]}."
    )
    if scores.positive is not None:
        head += f" Positive class: {scores.positive}."
    if seeds > 1:
        head += f" Mean and standard deviation over {seeds} seeds."
    paragraphs = [NO_GUARANTEE, head, *(f"Note: {note}." for note in scores.notes)]
    return "\n".join(textwrap.fill(paragraph, 110) for paragraph in paragraphs) + "\n\n" + _aligned(rows) + "\n"


def _figures(spreads, metrics):
    return [_cell(spreads[metric]) if metric in spreads else "-" for metric in metrics]


def json_of(scores):
    """The same as a JSON object; figures are never rounded."""
    return {
        "privacy": NO_GUARANTEE,
        "safe_to_share": False,
        "protocol": scores.protocol,
        "positive": scores.positive,
        "notes": scores.notes,
        "summary": {
            name: {metric: {"mean": spread.mean, "sd": spread.sd} for metric, spread in spreads.items()}
            for name, spreads in scores.summary().items()
        },
        "rows": [
            {"classifier": row.classifier, "seed": row.seed, "metrics": row.metrics, "note": row.note}
            for row in scores.rows
        ],
    }
