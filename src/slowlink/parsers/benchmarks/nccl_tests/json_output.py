"""The report that nccl-tests >= 2.17.3 writes with ``-J`` (versions 1 to 3), with the quirks of its writer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.benchmark import CollectiveRun, Point, ProcessTimes, RankDevice
from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.nccl_tests.collective import collective_of_program, infer
from slowlink.parsers.benchmarks.nccl_tests.columns import layout_of
from slowlink.parsers.benchmarks.nccl_tests.points import points_of
from slowlink.parsers.benchmarks.nccl_tests.preamble import version_of_code
from slowlink.parsers.benchmarks.nccl_tests.rows import Row, Side
from slowlink.parsers.benchmarks.nccl_tests.values import integer, items, mapping, number, side, text, truth
from slowlink.parsers.forms.limit import Limit

TRUNCATED = "__truncated__"
"""Key that the reader adds to a value whose text broke off."""
_STATS = ("min_us", "max_us", "avg_us", "p50_us", "p95_us", "p99_us", "stdev_us", "cv_pct")
_LAYOUT = layout_of(["size", "count", "type", "redop", "root", *(["time", "algbw", "busbw", "wrong"] * 2)], sides=2)
_MOST_ITERATIONS = Limit(1_000_000, "iterations of one point")
_MOST_PROCESSES = Limit(100_000, "processes")


class NcclTestsDocument:
    """Gives the ``CollectiveRun`` of one ``-J`` report."""

    kind: ClassVar[str] = "nccl-tests"

    @staticmethod
    def wants_document(value: object) -> bool:
        found = mapping(value)
        if not isinstance(found.get("config"), dict) or not ({"args", "nccl_version", "results"} & set(found)):
            return False
        return "minimum_bytes" in mapping(found["config"]) or isinstance(found.get("results"), list)

    def read(self, value: object, source: str, line: int) -> Iterable[CollectiveRun]:
        found = mapping(value)
        if not found:
            return
        ref = Ref(source, line, "")
        rows, extras = _rows(found, source, line)
        table = points_of(rows, _LAYOUT)
        program = text(next(iter(items(found.get("args"))), None))
        program = program.rsplit("/", 1)[-1] if program else None
        collective, basis = (collective_of_program(program), f"args: {program}") if program else (None, "")
        if collective is None:
            collective, basis = infer(_LAYOUT, rows, table.ratio)
        run = CollectiveRun(
            tool="nccl-tests",
            source=source,
            stream="",
            header=ref,
            collective=collective,
            collective_basis=basis,
            program=program,
            nccl_version=version_of_code(integer(found.get("nccl_version")) or 0),
            points=tuple(_with_iterations(point, extra) for point, extra in zip(table.points, extras, strict=True)),
            process_times=_process_times(table.points, extras),
            rows=len(rows),
            header_only=not rows,
            errors=tuple(
                Ref(source, line, message[:400]) for message in map(text, items(found.get("errors"))) if message
            ),
        )
        yield _with_config(_with_footer(run, found, ref), mapping(found.get("config")), ref)


def _rows(found: dict[str, object], source: str, line: int) -> tuple[list[Row], list[dict[str, object]]]:
    """Rows, and for each of their sides in order its block of per-iteration times."""
    rows: list[Row] = []
    extras: list[dict[str, object]] = []
    for index, item in enumerate(items(found.get("results"))):
        result = mapping(item)
        size = integer(result.get("size"))
        if size is None or not 0 <= size <= 1 << 60:
            continue
        row = Row(size, Ref(source, line, f"results[{index}]"), _LAYOUT)
        row.count, row.root = integer(result.get("count")), integer(result.get("root"))
        row.datatype, row.redop = text(result.get("type")), _redop(result.get("redop"))
        for placement in ("out_of_place", "in_place"):
            measured = result.get(placement)
            if isinstance(measured, dict):
                row.sides.append(_side(placement, measured))
                extras.append(mapping(result.get(placement + "_per_iter")))
        rows.append(row)
    return rows, extras


def _redop(value: object) -> str | None:
    return value.strip() if isinstance(value, str) else None


def _side(placement: str, measured: dict[str, object]) -> Side:
    cpu_time = "time" not in measured and "cpu_time" in measured
    time = measured.get("cpu_time" if cpu_time else "time")
    return side(
        placement, time, measured.get("alg_bw"), measured.get("bus_bw"), measured.get("nwrong"), cpu_time=cpu_time
    )


def _with_iterations(point: Point, extra: dict[str, object]) -> Point:
    if not extra:
        return point
    times = [number(value) for value in _MOST_ITERATIONS.first(items(extra.get("times_us")))]
    stats = {key: value for key in _STATS if (value := number(extra.get(key))) is not None}
    return replace(point, iterations_us=tuple(t for t in times if t is not None), iteration_stats=stats)


def _process_times(points: Iterable[Point], extras: Iterable[dict[str, object]]) -> tuple[ProcessTimes, ...]:
    """One for each process of each point, without those iterations that the summary skips, too."""
    found: list[ProcessTimes] = []
    for point, extra in zip(points, extras, strict=True):
        skipped = max(integer(extra.get("skipped_iterations")) or 0, 0)
        for process, row in enumerate(_MOST_PROCESSES.first(items(extra.get("per_process_max_times_us")))):
            times = tuple(
                t for v in _MOST_ITERATIONS.first(items(row))[skipped:] if (t := number(v)) is not None and t > 0
            )
            found.append(ProcessTimes(point.size_bytes, point.placement, process, None, times, point.ref))
    return tuple(found)


def _with_footer(run: CollectiveRun, found: dict[str, object], ref: Ref) -> CollectiveRun:
    # 2.17.3 to 2.17.8 misspell both the key and its member.
    average = mapping(found.get("average_bus_bandwidth") or found.get("average_bus_bandwidith"))
    bounds = mapping(found.get("out_of_bounds"))
    bandwidth = number(average.get("bandwidth", average.get("bandwidith")))
    ended = bool(average or bounds) and not truth(found.get(TRUNCATED))
    return replace(
        run,
        average_busbw_gbs=bandwidth,
        average_ref=ref if average else None,
        average_failed=truth(average.get("okay")) is False,
        out_of_bounds=integer(bounds.get("count")),
        out_of_bounds_failed=truth(bounds.get("okay")) is False,
        out_of_bounds_ref=ref if bounds else None,
        concluded=ended,
    )


def _with_config(run: CollectiveRun, config: dict[str, object], ref: Ref) -> CollectiveRun:
    devices = tuple(_device(mapping(item), ref) for item in items(config.get("devices")))
    per_process = (integer(config.get("nthreads")) or 1) * (integer(config.get("ngpus")) or 1)
    # The writer lists the first rank of every process only: with -g 8 there is one entry for eight ranks.
    nranks = len(devices) * per_process if devices and 0 < per_process <= 1024 else None
    parameters = {key: str(value) for key, value in config.items() if isinstance(value, str | int | float | bool)}
    hosts = {device.host for device in devices if device.host}
    # As many processes as devices: a process is where its first rank is.
    of_process = {index: device.host for index, device in enumerate(devices)}
    return replace(
        run,
        process_times=tuple(replace(each, host=of_process.get(each.process)) for each in run.process_times),
        devices=devices,
        devices_elided=nranks is not None and nranks > len(devices),
        parameters=parameters,
        nranks_printed=nranks,
        nnodes_printed=len(hosts) or None,
    )


def _device(found: dict[str, object], ref: Ref) -> RankDevice:
    return RankDevice(
        rank=integer(found.get("rank")) or 0,
        host=text(found.get("hostname")),
        pid=integer(found.get("pid")),
        device=integer(found.get("device")),
        bus_id=text(found.get("device_hex")),
        gpu=text(found.get("device_info")),
        group=integer(found.get("group")),
        ref=ref,
    )


DOCUMENT = NcclTestsDocument
