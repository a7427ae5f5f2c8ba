"""The command line: python3 -m mehler.evaluation, or scripts/classifiers in a clone."""

import argparse
import json
import os
import sys
from pathlib import Path

from mehler import Error
from mehler.evaluation.errors import EvaluationError
from mehler.evaluation.report import json_of, text_by_records, text_of
from mehler.evaluation.results import write_csv
from mehler.evaluation.scores import CLASSIFIER_NAMES, PROTOCOLS, SCALINGS, classifier_scores
from mehler.evaluation.tables import FORMATS, CsvOptions, read_schema, read_table

PROGRAM = "mehler.evaluation"


class Parser(argparse.ArgumentParser):
    """Mistakes are told as the mehler program tells them."""

    def error(self, message):
        raise EvaluationError(f"{message}; --help lists the options")


def whole_number(smallest, largest):
    def parse(text):
        if not (text.isascii() and text.isdigit() and smallest <= int(text) <= largest):
            raise argparse.ArgumentTypeError(f"must be a whole number from {smallest} to {largest}, but is '{text}'")
        return int(text)

    return parse


def numbers_of_records(text):
    return [whole_number(1, 10**9)(word) for word in text.split(",")]


def parser():
    result = Parser(
        prog=os.environ.get("MEHLER_SHOWN_PROGRAM", f"python3 -m {PROGRAM}"),
        description="Trains classifiers on a synthetic table and tests them on real records. These are read without "
        "noise: no privacy guarantee covers the figures, which are for the owner of the data.",
        epilog="Two classes give roc_auc, average_precision and accuracy; more give f1_weighted and accuracy. Exit "
        "codes: 0; 2 for something you can mend; 1 for a bug of ours; 130 after Ctrl-C. See docs/guide/evaluation.md.",
        allow_abbrev=False,
    )
    result.add_argument(
        "--train", required=True, metavar="TABLE", help="the synthetic table: CSV, Parquet, Arrow, IDX, npz"
    )
    result.add_argument(
        "--test", required=True, metavar="TABLE", help="real records that the synthetic table was not made from"
    )
    result.add_argument("--schema", required=True, metavar="FILE", help="the schema of both tables")
    result.add_argument("--target", metavar="COLUMN", help="the column to predict; by default the schema's target")
    result.add_argument(
        "--positive", metavar="CLASS", help="of two classes the one to look for; by default the rarer one of --test"
    )
    result.add_argument("--classifiers", metavar="A,B,...", help=f"by default all: {', '.join(CLASSIFIER_NAMES)}")
    result.add_argument(
        "--seeds", type=whole_number(1, 1000), default=1, metavar="N", help="train with the seeds 0 to N - 1; default 1"
    )
    result.add_argument(
        "--protocol",
        default="scores",
        metavar="NAME",
        help=f"{', '.join(PROTOCOLS)}: figures from scores with the paper's settings; the same with fewer iterations, "
        "for tens of thousands of images; or the authors' way with tables (hard predictions, best of settings); "
        "default scores",
    )
    result.add_argument(
        "--scaling",
        default="standardised",
        metavar="NAME",
        help=f"of numbers: {' or '.join(SCALINGS)} (to [0, 1]); default standardised",
    )
    result.add_argument(
        "--records",
        type=numbers_of_records,
        metavar="N,...",
        help="train on the first N records of an order of --train in which classes take turns; of several numbers the "
        "accuracies stand beside each other; by default on all",
    )
    result.add_argument(
        "--workers",
        type=whole_number(1, 1024),
        metavar="N",
        help="processes; by default all cores. Never changes the figures",
    )
    result.add_argument("--json", action="store_true", help="print JSON instead of a table")
    result.add_argument(
        "-o", "--output", type=Path, metavar="FILE.csv", help="also write a line per classifier and seed"
    )
    result.add_argument("--quiet", action="store_true", help="no progress bar")
    written = result.add_argument_group("how the tables are written")
    written.add_argument(
        "--format", metavar="FORMAT", help=f"{', '.join(FORMATS)}; by default the file's ending says it"
    )
    written.add_argument(
        "--delimiter", metavar="C", help="character between CSV fields, 'tab' for a tab; a comma by default"
    )
    written.add_argument(
        "--no-header", action="store_true", help="the CSV has no line of column names; they are the schema's, in order"
    )
    written.add_argument(
        "--null",
        action="append",
        default=[],
        metavar="TEXT",
        help="a spelling of missing values in CSV, such as '?'; may be repeated",
    )
    written.add_argument("--trim-spaces", action="store_true", help="drop spaces around CSV fields")
    written.add_argument(
        "--skip-lines",
        type=whole_number(0, 10**9),
        default=0,
        metavar="N",
        help="lines to leave out at the top of each CSV file",
    )
    return result


def progress_bar(is_quiet):
    """Draws on a terminal only, as the mehler program does."""
    if is_quiet or not sys.stderr.isatty():
        return None

    def show(done, total):
        filled = 30 * done // max(total, 1)
        sys.stderr.write(f"\rtraining  [{'#' * filled}{'.' * (30 - filled)}]  {done} of {total}")
        if done == total:
            sys.stderr.write("\r\033[K")
        sys.stderr.flush()

    return show


def require_output(output, inputs):
    """Before any work: the file can be written, and is none that is read."""
    if output is None:
        return
    if not output.parent.is_dir():
        raise EvaluationError(f"the folder of the output '{output}' does not exist; create it or choose another name")
    if output.is_dir() or not os.access(output.parent, os.W_OK):
        raise EvaluationError(f"the output '{output}' cannot be written; choose another name")
    if output.exists() and any(os.path.exists(path) and os.path.samefile(output, path) for path in inputs):
        raise EvaluationError(
            f"the output '{output}' is a file that is read, and would be overwritten; choose another name"
        )


def run(arguments):
    options = parser().parse_args(arguments)
    require_output(options.output, [options.train, options.test, options.schema])
    schema = read_schema(options.schema)
    target = options.target or schema.target
    if target is None:
        raise EvaluationError("--target is needed: the schema names none; give the column to predict")
    csv = CsvOptions(
        delimiter="\t" if options.delimiter in ("tab", "\\t") else options.delimiter,
        header=not options.no_header,
        null_spellings=tuple(options.null),
        trim_spaces=options.trim_spaces,
        skip_lines=options.skip_lines,
    )
    train, test = (read_table(path, schema, options.format, csv) for path in (options.train, options.test))
    all_scores = [
        classifier_scores(
            train,
            test,
            schema,
            target,
            classifiers=None if options.classifiers is None else options.classifiers.split(","),
            seeds=range(options.seeds),
            protocol=options.protocol,
            workers=options.workers,
            progress=progress_bar(options.quiet),
            positive=options.positive,
            scaling=options.scaling,
            records=records,
        )
        for records in options.records or [None]
    ]
    if options.output:
        write_csv(all_scores, options.output)
    one = all_scores[0] if len(all_scores) == 1 else None
    if options.json:
        print(json.dumps(json_of(one) if one else {"by_records": [json_of(scores) for scores in all_scores]}, indent=2))
    else:
        print(text_of(one) if one else text_by_records(all_scores), end="")


def main():
    try:
        run(sys.argv[1:])
    except Error as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
