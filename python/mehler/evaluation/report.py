"""Scores as a table for people and as JSON for programs."""

import textwrap

from mehler.evaluation.results import NO_GUARANTEE

_PROTOCOL_WORDS = {
    "scores": "settings of the paper's appendix; roc_auc and average_precision from scores",
    "capped": "settings of the paper's appendix but for fewer iterations: {caps}; roc_auc and average_precision from "
    "scores",
    "published": "as in the paper's tables: hard predictions, the best of several settings on the test records",
}


def _cell(spread, digits=4):
    return f"{spread.mean:.{digits}f}" + ("" if spread.sd is None else f" +- {spread.sd:.{digits}f}")


def _aligned(rows):
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def protocol_words(protocol):
    """What a protocol is; of the capped one, every setting that differs from the paper's."""
    words = _PROTOCOL_WORDS[protocol]
    if protocol != "capped":
        return words
    from mehler.evaluation.settings import CAPS, PAPER

    def paper(name, key):
        return PAPER[name].parameters.get(key) or PAPER[name].estimator().get_params()[key]

    caps = [f"{name} {key} {cap} ({paper(name, key)})" for name, keys in CAPS.items() for key, cap in keys.items()]
    return words.format(caps=", ".join(caps) + "; in brackets the paper's")


def _head(scores):
    return f"Protocol {scores.protocol}: {protocol_words(scores.protocol)}."


def _filled(paragraphs):
    return "\n".join(textwrap.fill(paragraph, 110) for paragraph in paragraphs) + "\n\n"


def text_by_records(all_scores):
    """Accuracy by classifier and number of training records."""
    notes = dict.fromkeys(note for scores in all_scores for note in scores.notes)
    trained = "Trained on the first records of a class-balanced order, tested on real records."
    summaries = [scores.summary() for scores in all_scores]
    rows = [["accuracy", *(str(scores.records) for scores in all_scores)]]
    for name in [*dict.fromkeys(row.classifier for row in all_scores[0].rows), "mean"]:
        rows.append([name, *(_figures(summary.get(name, {}), ("accuracy",))[0] for summary in summaries)])
    return (
        _filled([NO_GUARANTEE, trained, _head(all_scores[0]), *(f"Note: {note}." for note in notes)])
        + _aligned(rows)
        + "\n"
    )


def text_of(scores):
    """The table, after the words that no guarantee covers it."""
    summary = scores.summary()
    notes = {row.classifier: row.note for row in scores.rows if row.note}
    rows = [["classifier", *scores.metrics, ""]]
    for name in dict.fromkeys(row.classifier for row in scores.rows):
        rows.append([name, *_figures(summary.get(name, {}), scores.metrics), notes.get(name, "")])
    count = len(summary) - 1
    rows.append([f"mean of {count}", *_figures(summary["mean"], scores.metrics), ""])
    seeds = len({row.seed for row in scores.rows})
    trained = f"Trained on {scores.records:,} records of one table, tested on real ones."
    head = _head(scores)
    if scores.positive is not None:
        head += f" Positive class: {scores.positive}."
    if seeds > 1:
        head += f" Mean and standard deviation over {seeds} seeds."
    paragraphs = [NO_GUARANTEE, trained, head, *(f"Note: {note}." for note in scores.notes)]
    return _filled(paragraphs) + _aligned(rows) + "\n"


def _figures(spreads, metrics):
    return [_cell(spreads[metric]) if metric in spreads else "-" for metric in metrics]


def json_of(scores):
    """The same as a JSON object; figures are never rounded."""
    return {
        "privacy": NO_GUARANTEE,
        "safe_to_share": False,
        "protocol": scores.protocol,
        "settings": protocol_words(scores.protocol),
        "records": scores.records,
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
