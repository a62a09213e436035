"""Words for calls, times and moments of a running job."""

from __future__ import annotations

from datetime import datetime, timezone

from slowlink.expect.held_up.grounds import Lacking
from slowlink.expect.held_up.queued import Queued
from slowlink.expect.held_up.since import Since
from slowlink.model.timed import Timed, TimedGroup
from slowlink.model.timed_calls import CallKind
from slowlink.units import format_size


def time_words(us: float) -> str:
    """``61 us``, ``3.4 ms``, ``1.2 s``."""
    if us < 1_000:
        return f"{us:.0f} us"
    return f"{us / 1e3:.1f} ms" if us < 1e6 else f"{us / 1e6:.1f} s"


def call_words(group: TimedGroup, kind: CallKind | None = None) -> str:
    """``64 MiB in communicator TP (0xa1, 8 ranks)``."""
    size = f"{format_size(kind.size_bytes)} in " if kind is not None else ""
    name = f"{group.name} ({group.comm[:40]}, " if group.name and group.name != group.comm else f"{group.comm[:60]} ("
    return f"{size}communicator {name}{group.nranks} ranks)"


def lacking_words(timed: Timed, lacking: Lacking) -> str:
    """``1 of the 2 ranks of communicator PP (0xc1) are known``, and what else is missing; "" for nothing."""
    told = []
    if lacking.groups:
        group = timed.groups[lacking.groups[0]]
        more = len(lacking.groups) - 1
        others = f", and not all of {more} other{'s' * (more > 1)}" if more else ""
        name = f"{group.name} ({group.comm[:40]})" if group.name else group.comm[:60]
        told.append(f"only {len(group.members)} of {group.nranks} ranks of communicator {name} are known{others}")
    if lacking.sends:
        told.append("of its sends and receives nothing is told that could be compared")
    return "; ".join(told)


def unclear_words(timed: Timed) -> str:
    """What was left out, and why; "" for nothing."""
    if not timed.unclear:
        return ""
    count = timed.unclear_groups
    return f"{count} communicator{'s' * (count > 1)} left out ({timed.unclear[0][:120]})"


def lost_words(timed: Timed) -> str:
    """What writers say that they left out; "" for nothing."""
    if not timed.lossy:
        return ""
    return f"{timed.lossy} file{'s' * (timed.lossy > 1)} without all calls ({timed.lost[0][-160:]})"


def unfinished_words(timed: Timed) -> str:
    """Files that no summary ends; "" for none."""
    if not timed.unfinished:
        return ""
    some = "1 file has" if timed.unfinished == 1 else f"{timed.unfinished:,} files have"
    return f"{some} no summary at the end: a process was killed, or goes on"


def missing_words(timed: Timed, lacking: Lacking) -> str:
    """All that a verdict lacks; "" for nothing."""
    return "; ".join(filter(None, (lacking_words(timed, lacking), unclear_words(timed), lost_words(timed))))


def queued_words(told: Queued | None) -> str:
    """Why it is late, by how long its kernels wait on its GPU; "" where that tells nothing."""
    if told is None:
        return ""
    if told.behind == "gpu":
        own, usual = time_words(told.own_us), time_words(told.others_us)
        return f"Its GPU is behind: its kernels begin {own} after they were enqueued, those of the others {usual}"
    return (
        f"Its process gets its work late, or waits for its GPU before it enqueues: its kernels begin "
        f"{time_words(told.own_us)} after they were enqueued"
    )


def others_words(count: int) -> str:
    """``; so do 3 other transfers there``; "" for none."""
    if count < 1:
        return ""
    return "; so does another transfer there" if count == 1 else f"; so do {count} other transfers there"


def since_words(since: Since | None, *, lately: bool) -> str:
    """When it began; "" where it was so all along."""
    if since is None:
        return "; in the last of the calls alone" if lately else ""
    if since.at is not None:
        told = datetime.fromtimestamp(since.at, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"; since {told} (call {since.call:,} of {since.of:,})"
    return f"; since call {since.call:,} of {since.of:,}"
