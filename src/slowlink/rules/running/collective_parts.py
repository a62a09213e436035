"""What the time of a collective consists of, as ROCm's accl-profiler tells it: a statement, and no fault.

What kernels wait and what the proxy waits run side by side, several steps of each channel at a time, so they do not add
up to the time of the call. Versions of the profiler give the same names to different intervals (``model.timed_calls``):
stated are sums that mean the same, but that older ones leave out what follows the last state of each step. A rank whose
sum stands far out is named; who waits for a slow peer waits longest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from slowlink.model.timed import Timed, TimedGroup
from slowlink.model.timed_calls import CallKind
from slowlink.rules.evidence.findings import Proof, line_evidence
from slowlink.rules.running.held_up_words import call_words, time_words

if TYPE_CHECKING:
    from slowlink.model.timed import Array

_BEFORE = ("gpu_wait", "peer_wait")
_AFTER = ("network", "flush", "gpu_recv_wait")
_FEWEST_RANKS = 4
_STANDS_OUT = 3.0
"""A rank's sum over that in the middle of the ranks of its communicator."""
_LEAST_OF_CALL = 0.1
"""A rank's sum over the time of the call."""


class _Told(NamedTuple):
    """Of one kind of call in one communicator."""

    group: TimedGroup
    kind: CallKind
    parts: dict[str, Array]
    cost_us: float


def consists_of(timed: Timed) -> Iterator[Proof]:
    """One statement, about the kind of call that takes most time; nothing where no part is told."""
    told = max(_told(timed), key=lambda each: each.cost_us, default=None)
    if told is not None:
        member = told.group.members[0]
        yield Proof(_words(told), evidence=(line_evidence(member.ref),), weight=0, undecided=True)


def _told(timed: Timed) -> Iterator[_Told]:
    import numpy as np

    for group in timed.groups:
        for calls in group.calls:
            parts = {part.name: part.us for part in group.parts if part.kind == calls.kind}
            if np.isfinite(parts.get("kernel", np.array([np.nan]))).any():
                yield _Told(group, calls.kind, parts, float(np.nanmedian(parts["kernel"])) * len(calls.numbers))


def _words(told: _Told) -> str:
    import numpy as np

    kernel = float(np.nanmedian(told.parts["kernel"]))
    words = [f"kernels of {time_words(kernel)}"]
    enqueue = told.parts.get("enqueue")
    if enqueue is not None and np.isfinite(enqueue).any():
        words.append(f"that wait {time_words(float(np.nanmedian(enqueue)))} on the GPU before")
    for names, what in (
        (_BEFORE, "before it sends (for its GPU, or for room at the peer)"),
        (_AFTER, "for data, flushes, and the GPU to take them"),
    ):
        sums = _sum(told, names)
        if sums is not None:
            words.append(f"of the proxy {time_words(float(np.nanmedian(sums)))} {what}{_most(told, sums, kernel)}")
    of = f"{told.kind.collective} of {call_words(told.group, told.kind)}"
    return f"what a call consists of, in the middle of the ranks: {of}: {', '.join(words)}"


def _sum(told: _Told, names: tuple[str, ...]) -> Array | None:
    import numpy as np

    if not told.parts.keys() >= {*names}:
        return None
    sums: Array = np.sum([told.parts[name] for name in names], axis=0)
    return sums if np.isfinite(sums).any() else None


def _most(told: _Told, sums: Array, kernel: float) -> str:
    import numpy as np

    worst = int(np.nanargmax(sums))
    usual, most = float(np.nanmedian(sums)), float(sums[worst])
    if np.isfinite(sums).sum() < _FEWEST_RANKS or most < _STANDS_OUT * usual:
        return ""
    if most < _LEAST_OF_CALL * kernel:
        return ""
    return f" (rank {told.group.members[worst].rank}: {time_words(most)})"
