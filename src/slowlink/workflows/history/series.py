"""A series with its changes, each held beside what else changed between the runs on both sides of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.comparison.compare import compare
from slowlink.errors import SlowlinkError
from slowlink.expect.change_points import FEWEST_VALUES, change_points
from slowlink.inputs.small_text import MOST_REPORT_BYTES
from slowlink.model.history import (
    LATENCY_BYTES,
    Change,
    SeriesKey,
    SeriesValue,
    ShownSeries,
    Step,
    StoredSeries,
    TiedChange,
)
from slowlink.store.read import stored_report
from slowlink.store.read_series import stored_series, values_at_size, values_of

if TYPE_CHECKING:
    from slowlink.model.report import Report
    from slowlink.store.connect import Store

MOST_SEARCHED = 1000
"""Newest values that are searched for changes."""
_NEAR = 2
"""A place is found to within a run or two."""
_MOST_WORDS = 12


def shown_series(
    store: Store,
    wanted: dict[str, object],
    *,
    size_bytes: int | None = None,
    latency: bool = False,
    across_nodes: bool = False,
    since: float | None = None,
    until: float | None = None,
    most: int = 6,
) -> tuple[tuple[ShownSeries, ...], int]:
    """The ``most`` series with the most launches that are as ``wanted``, and how many there are.

    ``across_nodes``: sets of the same number of nodes are one series. Raises SlowlinkError ``history-unusable``.
    """
    groups: dict[SeriesKey, list[StoredSeries]] = {}
    for each in stored_series(store, wanted):
        groups.setdefault(replace(each.key, nodes="") if across_nodes else each.key, []).append(each)
    largest = sorted(groups.items(), key=lambda group: -sum(each.launches for each in group[1]))
    found = []
    for key, members in largest[:most]:
        quantity, unit = _quantity(size_bytes, latency)
        if size_bytes is None:
            values = values_of(store, members, quantity, since=since, until=until)
        else:
            values = values_at_size(store, members, quantity, size_bytes, since=since, until=until)
        if values:
            found.append(_with_changes(store, key, quantity, unit, size_bytes, values))
    return tuple(found), len(groups)


def _quantity(size_bytes: int | None, latency: bool) -> tuple[str, str]:
    if size_bytes is None:
        return ("latency_us", "us") if latency else ("plateau_busbw_gbs", "GB/s")
    return ("time_us", "us") if latency or size_bytes <= LATENCY_BYTES else ("busbw_gbs", "GB/s")


def _with_changes(
    store: Store, key: SeriesKey, quantity: str, unit: str, size_bytes: int | None, values: tuple[SeriesValue, ...]
) -> ShownSeries:
    offset = max(0, len(values) - MOST_SEARCHED)
    searched = values[offset:]
    changes = change_points([each.value for each in searched])
    tied = tuple(_tied(store, searched, change, offset, unit) for change in changes)
    return ShownSeries(
        key, quantity, unit, size_bytes, values, tied, len(searched), enough=len(searched) >= FEWEST_VALUES
    )


def _tied(store: Store, values: Sequence[SeriesValue], change: Change, offset: int, unit: str) -> TiedChange:
    near = sorted(range(change.index - _NEAR, change.index + _NEAR + 1), key=lambda at: abs(at - change.index))
    pairs = [(values[at - 1], values[at]) for at in near if 0 < at < len(values)]
    steps = (_step(store, before, after) for before, after in pairs)
    first = values[change.index]
    grew = change.ratio > 1
    return TiedChange(
        replace(change, index=change.index + offset),
        first.run_id,
        first.at,
        "better" if grew == (unit == "GB/s") else "worse",
        tuple(step for step in steps if step.what),
    )


def _step(store: Store, before: SeriesValue, after: SeriesValue) -> Step:
    words = [] if before.nodes == after.nodes else [f"nodes: {before.nodes} -> {after.nodes}"]
    old, new = report_of_run(store, before.run_id), report_of_run(store, after.run_id)
    if old is not None and new is not None:
        found = compare(old, new)
        words += [change.in_words for change in found.state]
        words += [change.in_words for change in found.job]
        words += [f"appeared: {each.title}" for each in found.appeared]
        words += [f"gone: {each.title}" for each in found.gone]
    more = [f"and {len(words) - _MOST_WORDS} more: slowlink compare of the two bundles"] * (len(words) > _MOST_WORDS)
    return Step(before.run_id, after.run_id, after.at, (*words[:_MOST_WORDS], *more))


def report_of_run(store: Store, number: int) -> Report | None:
    """The whole report of a run, as it was kept; None where it is not there or cannot be read any more."""
    from msgspec.json import decode
    from zstandard import ZstdDecompressor, ZstdError

    from slowlink.report.json import report_from_json

    packed = stored_report(store, number)
    if packed is None:
        return None
    try:
        with ZstdDecompressor().stream_reader(packed) as stream:
            return report_from_json(decode(stream.read(MOST_REPORT_BYTES)))
    except (ZstdError, ValueError, RecursionError, SlowlinkError):
        return None
