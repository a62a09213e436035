"""How long the sends of one HCA took until they completed, from the histograms of its queue pairs.

A receive completes when its sender has sent: queue pairs that post any tell nothing of the HCA and are left out, as are
those that only say that a receiver is ready.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

_LARGEST = 1 << 62


class Latency(NamedTuple):
    """Over all queue pairs that send data."""

    mean_us: float
    """Each send in the middle of its bucket; the last bucket has no end, so this is less than it was."""
    timed: int
    size_bytes: float | None
    """Of a send, on the average; None where that is not told."""


def latency_of(channels: object, sent_bytes: object) -> Latency | None:
    """None where nothing was timed. ``sent_bytes``: in all."""
    total, timed, posted = 0.0, 0, 0
    for pair in _queue_pairs(channels):
        if pair.get("data_qp") is not True or _whole(pair.get("num_recv_wqe")) or not _whole(pair.get("num_wqe_sent")):
            continue
        before = 0
        for bucket in _dicts(pair.get("wqe_completion_histogram")):
            until, count = _whole(bucket.get("latency_ns")), _whole(bucket.get("num_wqe"))
            if until is None or count is None or until <= before:
                break
            total += count * (before + until) / 2e3
            timed += count
            before = until
        posted += _whole(pair.get("num_wqe_sent")) or 0
    size = _whole(sent_bytes)
    return Latency(total / timed, timed, size / posted if size and posted else None) if timed else None


def _queue_pairs(channels: object) -> Iterator[Mapping[str, object]]:
    for channel in _dicts(channels):
        yield from _dicts(channel.get("queue_pairs"))


def _dicts(value: object) -> list[dict[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST else None
