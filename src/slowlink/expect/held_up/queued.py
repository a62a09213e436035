"""Why a rank comes late, by how long its kernels wait on the GPU after its process enqueued them.

Who computes more slowly than the others has a process that is ahead of its GPU: the kernel of the collective waits
there longer than those of the others, by as much as it comes late. Whose kernel begins at once was enqueued late.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from slowlink.expect.held_up.lateness import Lateness
from slowlink.model.timed import Timed

_MOST = 0.5
"""Of the lateness: a longer wait on the GPU of so much explains it."""
_LITTLE = 0.1
"""Of the lateness: a wait that is shorter explains nothing of it."""


class Queued(NamedTuple):
    """Of a late rank."""

    own_us: float
    others_us: float
    """In the middle of the other ranks."""
    behind: Literal["gpu", "process"]


def queued(timed: Timed, lateness: Lateness, member: int) -> Queued | None:
    """None where nothing tells, or it tells neither."""
    import numpy as np

    if len(lateness.kinds) != 1:
        return None
    parts = timed.groups[lateness.group].parts
    told = next((each.us for each in parts if each.name == "enqueue" and each.kind == lateness.kinds[0]), None)
    if told is None or not np.isfinite(told[member]):
        return None
    others = np.delete(told, member)
    others = others[np.isfinite(others)]
    if not len(others):
        return None
    own, usual, late = float(told[member]), float(np.median(others)), float(lateness.us[member])
    if own - usual >= _MOST * late:
        return Queued(own, usual, "gpu")
    return Queued(own, usual, "process") if own <= _LITTLE * late else None
