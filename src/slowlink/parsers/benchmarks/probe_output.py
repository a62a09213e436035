"""The probe's file of iterations: JSON lines, each a part of one run (docs/probe.md, schema 1).

A run's head, one size, and its end::

    {"slowlink_probe": 1, "run": "ab12", "kind": "run", "collective": "all_reduce", "backend": "mpi", "nranks": 2}
    {"slowlink_probe": 1, "run": "ab12", "kind": "point", "size_bytes": 1024, "placement": "in_place", "time_us": 3.0}
    {"slowlink_probe": 1, "run": "ab12", "kind": "end", "average_busbw_gbs": 0.34, "out_of_bounds": 0}

A line is read on its own, so a file that was cut still gives what it holds. ``facts.probe_runs`` joins the parts of a
run by its id, and with the table that the same run printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import ClassVar

from msgspec.structs import replace

from slowlink.averages import fmean, median
from slowlink.model.benchmark import CollectiveRun, Point, RankDevice, RankLateness
from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.nccl_tests.preamble import PROBE
from slowlink.parsers.benchmarks.nccl_tests.values import integer, items, mapping, number, text
from slowlink.parsers.forms.limit import Limit

MARK = "slowlink_probe"
SCHEMA = 1
MOST_NUMBERS = Limit(20_000_000, "numbers of one table")
"""Ranks x iterations of one point; more is no measurement."""
_KINDS = ("run", "point", "end")


class ProbeOutput:
    """Gives the part of a ``CollectiveRun`` that one line of the file holds."""

    kind: ClassVar[str] = PROBE

    @staticmethod
    def wants_document(value: object) -> bool:
        found = mapping(value)
        return found.get(MARK) == SCHEMA and isinstance(found.get("run"), str) and found.get("kind") in _KINDS

    def read(self, value: object, source: str, line: int) -> Iterable[CollectiveRun]:
        found = mapping(value)
        ref = Ref(source, line, f"{found.get('kind')} of run {text(found.get('run')) or ''}"[:400])
        collective = text(found.get("collective"))
        common = {"run": text(found.get("run")) or ""}
        if found.get("kind") == "point":
            points, lateness = _point(found, ref)
            yield _part(ref, collective, common, points=points, rows=len(points), lateness=lateness)
        elif found.get("kind") == "end":
            yield _part(
                ref,
                None,
                common,
                average_busbw_gbs=number(found.get("average_busbw_gbs")),
                average_ref=ref,
                out_of_bounds=integer(found.get("out_of_bounds")),
                out_of_bounds_failed=bool(integer(found.get("out_of_bounds"))),
                out_of_bounds_ref=ref,
                concluded=True,
            )
        else:
            for key in ("backend", "library", "iterations", "injected"):
                if isinstance(found.get(key), str | int | bool):
                    common[key] = str(found[key])[:200]
            devices = tuple(_device(mapping(entry), ref) for entry in items(found.get("ranks")))
            yield _part(
                ref,
                collective,
                common,
                devices=devices,
                tests_version=text(found.get("slowlink")),
                nranks_printed=integer(found.get("nranks")),
                nnodes_printed=len({device.host for device in devices}) or None,
            )


def _part(ref: Ref, collective: str | None, parameters: dict[str, str], **fields: object) -> CollectiveRun:
    return CollectiveRun(
        tool=PROBE,
        source=ref.source,
        stream="",
        header=ref,
        end=ref,
        collective=collective,
        collective_basis="the probe's file of iterations" if collective else "",
        parameters=parameters,
        **fields,  # type: ignore[arg-type]
    )


def _device(found: dict[str, object], ref: Ref) -> RankDevice:
    return RankDevice(
        rank=integer(found.get("rank")) or 0,
        host=text(found.get("host")),
        pid=integer(found.get("pid")),
        device=integer(found.get("device")),
        bus_id=text(found.get("bus_id")),
        gpu=text(found.get("name")),
        group=None,
        ref=ref,
    )


def _point(found: dict[str, object], ref: Ref) -> tuple[tuple[Point, ...], tuple[RankLateness, ...]]:
    size, placement = integer(found.get("size_bytes")), text(found.get("placement"))
    if size is None or not 0 <= size <= 1 << 60 or placement not in ("out_of_place", "in_place"):
        return (), ()
    durations, starts = _rows(found.get("duration_us")), _rows(found.get("start_us"))
    point = Point(
        size_bytes=size,
        count=integer(found.get("count")),
        datatype=text(found.get("datatype")),
        redop=text(found.get("redop")),
        root=integer(found.get("root")),
        placement=placement,
        time_us=number(found.get("time_us")),
        algbw_gbs=number(found.get("algbw_gbs")),
        busbw_gbs=number(found.get("busbw_gbs")),
        wrong=number(found.get("wrong")),
        ref=ref,
        iterations_us=tuple(max(column) for column in zip(*durations, strict=True)),
        iterations_began=_began(number(found.get("began_at")), starts, durations),
    )
    errors = [number(error) or 0.0 for error in items(found.get("clock_error_us"))]
    late = lateness_of(size, placement, starts, errors, ref)
    return (point,), tuple(_with_waits(late, [number(each) for each in items(found.get("waited_us"))], durations))


def _with_waits(
    late: Sequence[RankLateness], waited_us: Sequence[float | None], durations_us: Sequence[Sequence[float]]
) -> list[RankLateness]:
    """What each rank waited for a processor, as a share of its calls; a file that does not fit itself tells nothing."""
    if not len(late) == len(waited_us) == len(durations_us):
        return list(late)
    totals = [fsum(row) for row in durations_us]
    return [
        replace(entry, waited_share=min(1.0, max(0.0, waited / total))) if waited is not None and total > 0 else entry
        for entry, waited, total in zip(late, waited_us, totals, strict=True)
    ]


def _began(
    began_at: float | None, starts_us: Sequence[Sequence[float]], durations_us: Sequence[Sequence[float]]
) -> tuple[float, ...]:
    """Epoch seconds of each iteration's first start; nothing where the file does not fit itself."""
    if not began_at or not starts_us or len(starts_us[0]) != len(durations_us[0] if durations_us else ()):
        return ()
    return tuple(began_at + min(column) / 1e6 for column in zip(*starts_us, strict=True))


def _rows(value: object) -> list[list[float]]:
    """[rank][iteration]; empty where a row is shorter than another or holds anything but numbers."""
    rows = [[number(cell) for cell in items(row)] for row in items(value)]
    if not rows or len({len(row) for row in rows}) != 1 or not MOST_NUMBERS.has_room(len(rows) * len(rows[0]) - 1):
        return []
    whole = [[cell for cell in row if cell is not None] for row in rows]
    return whole if all(len(row) == len(rows[0]) for row in whole) else []


def lateness_of(
    size_bytes: int, placement: str, starts_us: Sequence[Sequence[float]], errors_us: Sequence[float], ref: Ref
) -> list[RankLateness]:
    """From the start of each iteration on each rank ([rank][iteration], microseconds on one clock)."""
    if not starts_us or not starts_us[0]:
        return []
    columns = list(zip(*starts_us, strict=True))
    middles = [median(column) for column in columns]
    last = [max(column) for column in columns]
    found = []
    for rank, row in enumerate(starts_us):
        late = sorted(start - middle for start, middle in zip(row, middles, strict=True))
        found.append(
            RankLateness(
                size_bytes=size_bytes,
                placement=placement,
                rank=rank,
                host=None,
                iterations=len(row),
                mean_us=fmean(late),
                median_us=median(late),
                p99_us=late[min(len(late) - 1, int(0.99 * len(late)))],
                last_share=sum(start >= end for start, end in zip(row, last, strict=True)) / len(row),
                clock_error_us=errors_us[rank] if rank < len(errors_us) else 0.0,
                ref=ref,
            )
        )
    return found


DOCUMENT = ProbeOutput
