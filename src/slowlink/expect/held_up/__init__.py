"""Who holds the collectives of a running job up: from the times of calls on each rank alone.

A collective ends for all of its ranks at about the same time. Whoever arrives last finds all others waiting: its time
is the shortest, and it is what the transfer takes. So the differences between ranks tell who is late, and the shortest
time of each call tells how fast the network is. Both are judged by medians over the calls, against what ranks and
communicators of the same job differ by, so that the job is its own yardstick. Then arrows are followed: a rank that is
late because it waited for another in a second communicator, or came out of a slow one, is a victim.
"""

from __future__ import annotations

from slowlink.expect.held_up.judge import HeldUp, Late, Slow, held_up
from slowlink.expect.held_up.marks import Tolerances

__all__ = ["HeldUp", "Late", "Slow", "Tolerances", "held_up"]
