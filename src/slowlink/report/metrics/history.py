"""What the history tells Prometheus: the newest run of each command and set of nodes, and the newest values of each
series. Moments are told, not ages: who asks takes them from ``time()``, and nothing grows old unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import get_args

from msgspec.json import encode

from slowlink.model.baseline import Judgement
from slowlink.model.history import SeriesKey
from slowlink.model.metrics import BesideBaseline, HistoryNow, MetricFamily, NewestRun, NewestValues
from slowlink.model.report import Verdict
from slowlink.report.metrics.families import Row, family
from slowlink.report.metrics.labels import by_cause, by_severity, command_label, label, one_of

_GBS, _US = 1e9, 1e6
_SERIES_MARK = 12
_RUN = ("command", "system", "nodes")
_SERIES = ("series", "system", "nodes", "collective", "ranks")
_OUTCOMES = ("worse", "broken", "unread", "open", "incomparable", "same", "better", "unmeasured")
_VERDICTS: tuple[str, ...] = get_args(Verdict)


def history_families(now: HistoryNow | None, version: str, read_s: float) -> tuple[MetricFamily, ...]:
    """``now``: None where the history could not be read. ``read_s``: how long that took."""
    name = "slowlink_history"
    readable = float(now is not None)
    about = (
        family(f"{name}_info", "The slowlink that reads the history.", ("version",), [((version,), 1.0)]),
        family(f"{name}_readable", "1 where the history could be read, else 0.", (), [((), readable)]),
        family(f"{name}_read_seconds", "How long it took to read the history.", (), [((), read_s)], "seconds"),
    )
    if now is None:
        return about
    return (
        *about,
        family(f"{name}_runs", "Runs that are kept in the history.", (), [((), float(now.runs))]),
        family(
            f"{name}_left_out",
            "Newest runs, series and baselines that are not told here, since there are too many.",
            ("what",),
            (((what,), float(count)) for what, count in now.left_out),
        ),
        *_run_families(now.newest_runs),
        *_series_families(now.series),
        *_baseline_families(now.baselines),
    )


def _run_families(runs: Sequence[NewestRun]) -> Iterator[MetricFamily]:
    labelled = [(_run_labels(run), run) for run in runs]
    yield family(
        "slowlink_run_timestamp_seconds",
        "When the newest run of a command on these nodes was measured, Unix time.",
        _RUN,
        ((labels, run.at) for labels, run in labelled),
        "seconds",
    )
    yield family(
        "slowlink_run_verdict",
        "1 for the verdict of the newest run.",
        (*_RUN, "verdict"),
        (
            ((*labels, verdict), number)
            for labels, run in labelled
            for verdict, number in one_of(_VERDICTS, run.verdict if run.verdict in _VERDICTS else "inconclusive")
        ),
    )
    yield family(
        "slowlink_run_findings",
        "Root causes that the newest run found, by severity.",
        (*_RUN, "severity"),
        (
            ((*labels, severity), float(count))
            for labels, run in labelled
            for severity, count in by_severity(run.causes).items()
        ),
    )
    yield family(
        "slowlink_run_cause_findings",
        "Root causes that the newest run found, by cause.",
        (*_RUN, "cause", "severity"),
        (((*labels, *each), float(count)) for labels, run in labelled for each, count in by_cause(run.causes).items()),
    )


def _run_labels(run: NewestRun) -> tuple[str, ...]:
    return command_label(run.command), label(run.system), label(run.nodes)


def _series_labels(key: SeriesKey) -> tuple[str, ...]:
    mark = sha256(encode(key)).hexdigest()[:_SERIES_MARK]
    return mark, label(key.system), label(key.nodes), label(key.collective), _count(key.nranks)


def _count(number: int | None) -> str:
    return "" if number is None else str(number)


def _series_families(series: Sequence[NewestValues]) -> Iterator[MetricFamily]:
    labelled = [(_series_labels(each.key), each) for each in series]

    def rows(number: Callable[[NewestValues], float | None]) -> Iterator[Row]:
        return ((labels, number(each)) for labels, each in labelled)

    keys = ("gpu", "datatype", "redop", "engine", "largest_bytes")
    yield family(
        "slowlink_series_info",
        "What else a series is made of; 1.",
        (*_SERIES, *keys),
        (((*labels, *(label(str(getattr(each.key, name))) for name in keys)), 1.0) for labels, each in labelled),
    )
    name = "slowlink_series"
    seconds, bandwidth = "seconds", "bytes_per_second"
    for end, unit, words, number in (
        ("runs", "", "Runs that measured the series wholly.", lambda each: float(each.runs)),
        ("timestamp_seconds", seconds, "When the series was last measured wholly, Unix time.", lambda each: each.at),
        ("bus_bandwidth_bytes_per_second", bandwidth, "Bus bandwidth of the newest run, at its large sizes.",
         lambda each: _bytes(each.plateau_busbw_gbs)),
        ("expected_low_bytes_per_second", bandwidth, "The least bus bandwidth that the hardware should give.",
         lambda each: _bytes(each.expected_low_gbs)),
        ("expected_high_bytes_per_second", bandwidth, "The most bus bandwidth that the hardware should give.",
         lambda each: _bytes(each.expected_high_gbs)),
        ("latency_seconds", seconds, "Time of small messages in the newest run.",
         lambda each: _seconds(each.latency_us)),
    ):  # fmt: skip
        yield family(f"{name}_{end}", words, _SERIES, rows(number), unit)


def _bytes(gigabytes: float | None) -> float | None:
    return None if gigabytes is None else gigabytes * _GBS


def _seconds(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds / _US


def _baseline_families(found: Sequence[BesideBaseline]) -> Iterator[MetricFamily]:
    labels = ("baseline", *_SERIES)
    labelled = [((label(each.name), *_series_labels(each.key)), each) for each in found]
    yield family(
        "slowlink_baseline_version",
        "The version of the baseline that comparisons take.",
        ("baseline",),
        (((label(each.name),), float(each.version)) for each in found),
    )
    yield family(
        "slowlink_baseline_outcome",
        "1 for how the newest run stands beside the baseline; unmeasured where none came after it.",
        (*labels, "outcome"),
        (
            ((*values, outcome), number)
            for values, each in labelled
            for outcome, number in one_of(_OUTCOMES, each.outcome)
        ),
    )
    for end, words, number in (
        ("gain_ratio", "The newest run over the baseline; above 1 is better.", lambda judged: judged.gain),
        ("gain_low_ratio", "Lower end of the 95 % interval of the gain.", lambda judged: judged.low),
        ("gain_high_ratio", "Upper end of the 95 % interval of the gain.", lambda judged: judged.high),
    ):
        yield family(
            f"slowlink_baseline_{end}",
            words,
            labels,
            ((values, _of(each, number)) for values, each in labelled),
            "ratio",
        )


def _of(found: BesideBaseline, number: Callable[[Judgement], float | None]) -> float | None:
    """Of the plateau, or of the latency where there is no plateau."""
    return number(found.judged.judgements[0]) if found.judged is not None and found.judged.judgements else None
