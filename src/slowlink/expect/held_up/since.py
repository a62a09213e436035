"""Since when: the call at which what was found began."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from slowlink.expect.change_points import change_points
from slowlink.expect.held_up.lateness import Lateness, after_the_others
from slowlink.expect.held_up.transfers import SlowTransfer
from slowlink.model.timed import Timed, TimedGroup

if TYPE_CHECKING:
    from slowlink.model.timed import Array

_BLOCKS = 40
"""Medians of so many stretches are searched for a change."""
_GROWN = 1.05


class Since(NamedTuple):
    """Where it began."""

    call: int
    """How many calls had ended before."""
    of: int
    at: float | None
    """Epoch seconds; None where all calls were written down at once, or nothing tells when."""


def late_since(timed: Timed, lateness: Lateness, member: int) -> Since | None:
    """When a member began to come late; None where it always did, as far as the calls go back."""
    import numpy as np

    kinds = {*lateness.kinds}
    tables = [calls for calls in timed.groups[lateness.group].calls if calls.kind in kinds]
    times_us = np.concatenate([calls.times_us for calls in tables])
    late, own = after_the_others(times_us)[:, member], times_us[:, member]
    ended = np.concatenate([calls.ended for calls in tables])
    numbers = np.concatenate([calls.numbers for calls in tables])
    order = np.lexsort((numbers, ended))
    return _since(((late + own) / own)[order], ended[order])


def slow_since(group: TimedGroup, slow: SlowTransfer) -> Since | None:
    """When a transfer became slow; None where it always was, and for sends, of which only the quick ones tell."""
    import numpy as np

    mine = [calls for calls in group.calls if calls.kind == slow.transfer.kind]
    if not mine:
        return None
    return _since(np.nanmin(mine[0].times_us, axis=1), mine[0].ended)


def _since(values: Array, ended: Array) -> Since | None:
    """The last rise of the level that still holds at the end."""
    import numpy as np

    known = np.isfinite(values) & (values > 0)
    values, ended = values[known], ended[known]
    edges = np.linspace(0, len(values), min(_BLOCKS, len(values)) + 1).astype(int)
    if len(edges) < 2:
        return None
    blocks = [float(np.median(values[one:other])) for one, other in pairwise(edges)]
    rises = [change for change in change_points(blocks) if change.after > _GROWN * change.before]
    if not rises:
        return None
    call = int(edges[rises[-1].index])
    spread_out = ended[-1] > ended[0] > 0
    return Since(call, len(values), float(ended[call]) if spread_out else None)
