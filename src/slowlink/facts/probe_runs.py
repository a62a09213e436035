"""Joins the parts of a probe run: the table that it printed, and the lines of its file of iterations."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.model.benchmark import CollectiveRun, Point, RankLateness

PROBE = "slowlink-probe"
_CPU_BACKENDS = frozenset({"mpi", "gloo"})


def on_cpu_memory(run: CollectiveRun) -> bool:
    """Ranks of the probe that moved data without a GPU: there is no model of what their hosts should give."""
    return run.tool == PROBE and run.parameters.get("backend") in _CPU_BACKENDS


def joined(runs: Sequence[CollectiveRun]) -> tuple[CollectiveRun, ...]:
    """Other runs as they are; of a probe run one record, where its first part was. The printed table leads."""
    parts: dict[str, list[CollectiveRun]] = {}
    result: list[CollectiveRun | str] = []
    for run in runs:
        run_id = run.parameters.get("run", "") if run.tool == PROBE else ""
        if not run_id:
            result.append(run)
        elif run_id in parts:
            parts[run_id].append(run)
        else:
            parts[run_id] = [run]
            result.append(run_id)
    return tuple(_one(parts[entry]) if isinstance(entry, str) else entry for entry in result)


def _one(parts: Sequence[CollectiveRun]) -> CollectiveRun:
    tables = [part for part in parts if part.columns]
    filed = [part for part in parts if not part.columns]
    if not filed:
        return tables[0]
    from_file = _of_file(filed)
    if not tables:
        return from_file
    table = tables[0]
    return replace(
        table,
        points=_with_iterations(table.points, from_file.points),
        parameters={**from_file.parameters, **table.parameters},
        lateness=from_file.lateness,
        nranks_printed=from_file.nranks_printed,
        nnodes_printed=from_file.nnodes_printed,
    )


def _of_file(parts: Sequence[CollectiveRun]) -> CollectiveRun:
    """The whole file as one run. The last part that knows a value gives it."""
    first = parts[0]
    devices = next((part.devices for part in parts if part.devices), ())
    hosts = {device.rank: device.host for device in devices}
    end = next((part for part in reversed(parts) if part.concluded), None)
    named = next((part for part in parts if part.collective), first)
    points = tuple(point for part in parts for point in part.points)
    late = tuple(_at(entry, hosts) for part in parts for entry in part.lateness)
    head = next((part for part in parts if part.nranks_printed), first)
    return replace(
        first,
        collective=named.collective,
        collective_basis=named.collective_basis,
        parameters={key: value for part in parts for key, value in part.parameters.items()},
        tests_version=head.tests_version,
        devices=devices,
        nranks_printed=head.nranks_printed,
        nnodes_printed=head.nnodes_printed,
        points=points,
        rows=len({point.size_bytes for point in points}),
        lateness=late,
        average_busbw_gbs=end.average_busbw_gbs if end else None,
        average_ref=end.average_ref if end else None,
        out_of_bounds=end.out_of_bounds if end else None,
        out_of_bounds_failed=end.out_of_bounds_failed if end else False,
        out_of_bounds_ref=end.out_of_bounds_ref if end else None,
        concluded=end is not None,
        header_only=not points,
        end=parts[-1].end,
    )


def _at(entry: RankLateness, hosts: dict[int, str | None]) -> RankLateness:
    return replace(entry, host=hosts.get(entry.rank))


def _with_iterations(points: Sequence[Point], filed: Sequence[Point]) -> tuple[Point, ...]:
    known = {(point.size_bytes, point.placement): point for point in filed}
    return tuple(
        replace(point, iterations_us=found.iterations_us, iterations_began=found.iterations_began)
        if (found := known.get((point.size_bytes, point.placement))) is not None
        else point
        for point in points
    )
