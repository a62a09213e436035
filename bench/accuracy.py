"""Scores slowlink on labelled logs: verdict, first cause, false alarms and extracted facts, by kind.

    python bench/accuracy.py [--corpus DIR] [--kinds a,b|all] [--only TEXT] [--verbose] [--json]

The corpus is a directory with ``expected.tsv``: ``--corpus``, else ``$SLOWLINK_CORPUS``, else
``../shared/corpus`` beside the repository. Field reports are scored when ``../field-reports/expected.tsv``
lies beside it. Without a corpus this says so and ends with status 0: a fresh clone has none.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from accuracy_field import FieldScore, score_article
from accuracy_labels import DEFAULT_KINDS, Sample, read_blocks, read_samples
from accuracy_print import print_field, print_misses, print_table
from accuracy_score import ReportLike, Score, crashed, score
from msgspec import to_builtins

Analyze = Callable[[Path], ReportLike]


def main(arguments: Sequence[str] | None = None, analyze: Analyze | None = None) -> int:
    """Score and print. ``analyze`` takes a path and gives a report; slowlink's own by default."""
    options = _options(arguments)
    corpus = _corpus(options.corpus)
    if corpus is None:
        print("accuracy: skipped: no labelled corpus here (give --corpus DIR or set SLOWLINK_CORPUS)")
        return 0
    run = analyze or _slowlink()
    kinds = tuple(options.kinds.split(",")) if options.kinds else DEFAULT_KINDS
    samples = [s for s in read_samples(corpus) if _wanted(s, kinds, options.only)]
    scores = [score_sample(sample, corpus / sample.path, run) for sample in samples]
    reports = [] if options.only else score_field_reports(corpus.parent / "field-reports", run)
    if options.json:
        values = {"samples": [to_builtins(s) for s in scores], "field_reports": [to_builtins(r) for r in reports]}
        print(json.dumps(values, indent=1))
        return 0
    print_table(scores)
    print_field(reports)
    if options.verbose:
        print_misses(scores, reports)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score slowlink on a labelled corpus.")
    parser.add_argument("--corpus", type=Path, help="directory with expected.tsv")
    parser.add_argument("--kinds", default="", help=f"comma-separated, or all (default: {','.join(DEFAULT_KINDS)})")
    parser.add_argument("--only", default="", help="only samples whose path contains this text")
    parser.add_argument("--verbose", action="store_true", help="list everything that was missed")
    parser.add_argument("--json", action="store_true", help="print all scores as JSON")
    return parser.parse_args(arguments)


def _corpus(given: Path | None) -> Path | None:
    named = given or os.environ.get("SLOWLINK_CORPUS")
    place = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "corpus"
    return place if (place / "expected.tsv").is_file() else None


def _wanted(sample: Sample, kinds: Sequence[str], only: str) -> bool:
    return only in sample.path and ("all" in kinds or sample.kind in kinds)


def _slowlink() -> Analyze:
    """slowlink's own, imported once and outside the count of crashes: a broken installation is no score."""
    from slowlink.workflows.analyze import analyze

    return lambda path: analyze([str(path)])


def score_sample(sample: Sample, path: Path, analyze: Analyze) -> Score:
    """Analyze one sample; an exception is a crash of slowlink, which is what is to be counted."""
    start = time.perf_counter()
    try:
        report = analyze(path)
    except Exception as error:  # noqa: BLE001  (whatever it is, the next sample is still to be scored)
        return crashed(sample, f"{type(error).__name__}: {error}", time.perf_counter() - start)
    return score(sample, report, time.perf_counter() - start)


def score_field_reports(directory: Path, analyze: Analyze) -> list[FieldScore]:
    """Every article of ``directory/expected.tsv``; none when there is no such file."""
    if not (directory / "expected.tsv").is_file():
        return []
    blocks = read_blocks(directory)
    found = []
    for article in dict.fromkeys(block.article for block in blocks):
        own = [block for block in blocks if block.article == article]
        try:
            report = analyze(directory / article)
        except Exception as error:  # noqa: BLE001  (as above)
            print(f"{article}: crash: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        found.append(score_article(article, own, report))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
