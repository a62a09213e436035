"""What the history keeps of a report. Pure: any report gives a record, however odd its text and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import isfinite

from msgspec import Struct
from msgspec.json import encode

from slowlink.averages import median
from slowlink.catalog.attributes import all_attributes
from slowlink.comparison.job import job_facts
from slowlink.expect.plateau import plateau_busbw
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.comparison import BOOT
from slowlink.model.history import (
    LATENCY_BYTES,
    FactRecord,
    FindingRecord,
    PointRecord,
    RunRecord,
    SeriesKey,
    SweepRecord,
)
from slowlink.model.report import Diagnosis, Report, Sweep, SweepPoint
from slowlink.nodes import fold
from slowlink.report.json import plain_json
from slowlink.report.sweep_rows import Expected

_KEPT_KINDS = ("setting", "version", "shape")
_MOST_TEXT, _MOST_FACTS, _MOST_SWEEPS, _MOST_POINTS, _MOST_FINDINGS = 4000, 20_000, 10_000, 10_000, 1000
_MOST_DOCUMENT = 16 << 20
"""Bytes of the packed report."""
_MOST_INTEGER = 2**63 - 1


class Origin(Struct, frozen=True):
    """What the report itself does not say."""

    command: str
    argv: str = ""
    bundle: str = ""
    at: float | None = None
    identity: str = ""
    """Of the bundle; "" where there is none: then the report is its own."""


def record_of(report: Report, origin: Origin, now: float) -> RunRecord:
    """``now``: seconds since the epoch, for a report whose time nothing tells."""
    facts = tuple(_facts(report))[:_MOST_FACTS]
    text = plain_json(report)
    expectations = Expected(report)
    hosts = _names(report.facts.get("hosts")) or _names(report.facts.get("state_nodes"))
    return RunRecord(
        content=_digest(("bundle", origin.identity) if origin.identity else ("report", text)),
        at=now if origin.at is None else origin.at,
        at_basis="stored" if origin.at is None else "bundle",
        command=_text(origin.command),
        argv=_text(origin.argv),
        job=_text(", ".join(job.label for job in report.jobs if job.kind == "job")),
        bundle=_text(origin.bundle),
        verdict=report.verdict,
        headline=_text(report.headline),
        slowlink=_text(report.slowlink),
        system=_named(report, "system"),
        gpu=_gpu(report),
        nodes=_text(fold(hosts), most=1 << 20),
        nnodes=len(hosts) or None,
        environment=_digest(facts),
        fingerprint=_digest([fact for fact in facts if fact.attribute != BOOT]),
        facts=facts,
        sweeps=tuple(
            _sweep(sweep, report, expectations, hosts) for sweep in report.sweeps[:_MOST_SWEEPS] if sweep.collective
        ),
        findings=tuple(map(_finding, report.diagnoses[:_MOST_FINDINGS])),
        document=_packed(text),
    )


def _digest(value: object) -> str:
    return sha256(encode(value)).hexdigest()


def _packed(text: str) -> bytes | None:
    from zstandard import ZstdCompressor

    packed = ZstdCompressor().compress(text.encode())
    return packed if len(packed) <= _MOST_DOCUMENT else None


def _text(value: object, most: int = _MOST_TEXT) -> str:
    """What every database takes: no NUL, no half of a character."""
    plain = str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return plain if len(plain) <= most else f"{plain[: most - 3]}..."


def _named(report: Report, name: str) -> str:
    value = report.facts.get(name)
    return _text(value) if isinstance(value, str) else ""


def _names(value: object) -> list[str]:
    return [_text(name) for name in value] if isinstance(value, (list, tuple)) else []


def _gpu(report: Report) -> str:
    """As printed, where all are alike; the catalogue's name else."""
    printed = _names(report.facts.get("gpu"))
    return printed[0] if len(set(printed)) == 1 else _named(report, "catalogue_gpu")


def _integer(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= _MOST_INTEGER else None


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and isfinite(value) else None


def _sweep(sweep: Sweep, report: Report, expectations: Expected, hosts: Sequence[str]) -> SweepRecord:
    expected = expectations.of(sweep).get("busbw")
    points = [point for point in sweep.points if 0 <= point.size_bytes <= _MOST_INTEGER][:_MOST_POINTS]
    name, _, _version = sweep.engine.partition(" ")
    times = [
        point.time_us
        for point in sweep.points
        if point.time_us and isfinite(point.time_us) and not point.doubt and 0 < point.size_bytes <= LATENCY_BYTES
    ]
    return SweepRecord(
        key=SeriesKey(
            system=_named(report, "system"),
            gpu=_text(sweep.gpu or "") or _gpu(report),
            nodes=_text(fold(sweep.hosts or hosts), most=1 << 20),
            nnodes=_integer(sweep.nnodes),
            nranks=_integer(sweep.nranks),
            collective=_text(sweep.collective or ""),
            datatype=_text(sweep.datatype or ""),
            redop=_text(sweep.redop or ""),
            engine=_text(name),
            largest_bytes=max((point.size_bytes for point in points), default=0),
        ),
        engine=_text(sweep.engine),
        library=_text(sweep.library or ""),
        complete=sweep.complete and not any(point.wrong for point in sweep.points),
        plateau_busbw_gbs=_number(plateau_busbw(sweep)),
        latency_us=_number(median(times)) if times else None,
        expected_low_gbs=_number(expected.low) if expected else None,
        expected_high_gbs=_number(expected.high) if expected else None,
        basis=_text(expected.basis) if expected else "",
        points=tuple(map(_point, points)),
    )


def _point(point: SweepPoint) -> PointRecord:
    return PointRecord(
        size_bytes=point.size_bytes,
        placement=point.placement,
        time_us=_number(point.time_us),
        algbw_gbs=_number(point.algbw_gbs),
        busbw_gbs=_number(point.busbw_gbs),
        doubtful=point.doubt is not None,
    )


def _finding(diagnosis: Diagnosis) -> FindingRecord:
    suspects = ", ".join(f"{suspect.kind} {suspect.name}" for suspect in diagnosis.suspects)
    return FindingRecord(
        cause=_text(diagnosis.cause),
        title=_text(diagnosis.title),
        severity=diagnosis.severity,
        confidence=diagnosis.confidence,
        suspects=_text(suspects),
        message=_text(diagnosis.message),
    )


def _facts(report: Report) -> Iterator[FactRecord]:
    """State that somebody sets or installs, boots, and what the job was given; in one order."""
    state = report.facts.get(NODE_STATE)
    known = all_attributes()
    told = state if isinstance(state, Mapping) else {}
    for name in sorted(told, key=str):
        if name == BOOT or (name in known and known[name].kind in _KEPT_KINDS):
            yield from sorted(_said(name, told[name]), key=encode)
    for name, value in sorted(job_facts(report).items()):
        yield FactRecord(f"job:{_text(name)}", "", "", _text(value))


def _said(name: str, entries: object) -> Iterator[FactRecord]:
    for entry in entries if isinstance(entries, (list, tuple)) else ():
        if isinstance(entry, Mapping):
            parts = _names(entry.get("parts"))
            yield FactRecord(name, _text(",".join(parts)), _text(entry.get("nodes", "")), _text(entry.get("value", "")))
