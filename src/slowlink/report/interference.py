"""What a factor that was switched on and off did, in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import expm1, isfinite

from slowlink.model.experiment import Interference, Shift, SlowestRank
from slowlink.report.escape import terminal_safe

_WORDS = {"harms": "SLOWER", "helps": "FASTER", "does-not-matter": "NOTHING", "open": "OPEN"}
_MOST_RANKS = 4
_MOST_PAIRS = 1000


def interference_text(found: Interference, title: str, ended: str = "") -> str:
    """For a terminal. ``title``: what was measured, in words. ``ended``: why it came to an early end."""
    return "\n".join(map(terminal_safe, _lines(found, title, ended)))


def interference_headline(found: Interference, title: str) -> str:
    """One line: the effect, and for whom all wait."""
    what = found.change.id
    if not found.quantities:
        return f"{what}: nothing was measured: {title}"
    shift = found.quantities[0].shift
    if found.standing == "open":
        return f"{what}: no effect is known{_open_words(shift)}: {title}"
    if found.standing == "does-not-matter":
        return f"{what} does not matter here, {time_words(shift)} of time: {title}"
    rank = f"; all wait for {rank_words(found.slowest[0])}" if found.slowest else ""
    return (
        f"{what} makes {title} {time_words(shift)} longer{rank}"
        if found.standing == "harms"
        else (f"{what} makes {title} faster, {time_words(shift)} of time")
    )


def _open_words(shift: Shift) -> str:
    if not isfinite(shift.low) or not isfinite(shift.high):
        return " (too few launches)"
    return f", {time_words(shift)} of time"


def rank_words(slowest: SlowestRank) -> str:
    """``rank 2 on node3``."""
    listed = ", ".join(map(str, slowest.ranks[:6])) + (" ..." if len(slowest.ranks) > 6 else "")
    named = f"rank {listed}" if len(slowest.ranks) == 1 else f"ranks {listed}"
    return f"{named} on {slowest.host}" if slowest.host else named


def time_words(shift: Shift) -> str:
    """``+41 % [+35, +48]``: how much longer."""
    if not isfinite(shift.low) or not isfinite(shift.high):
        return f"{_bare(shift.estimate)} % (too few launches for an interval)"
    return f"{_bare(shift.estimate)} % [{_bare(shift.low)}, {_bare(shift.high)}]"


def _bare(log_ratio: float) -> str:
    share = 100 * expm1(min(log_ratio, 50.0))
    return f"{share:+.0f}" if abs(share) >= 100 else f"{share:+.1f}"


def _lines(found: Interference, title: str, ended: str) -> Iterator[str]:
    yield f"{_WORDS.get(found.standing, 'OPEN')}  {interference_headline(found, title)}"
    if ended:
        yield f"  ended early: {ended}"
    yield ""
    for each in found.quantities:
        yield f"  {each.name:<8} {time_words(each.shift):<28} {each.off_us:.4g} -> {each.on_us:.4g} us"
    if found.slowed is not None and len(found.quantities) > 1:
        share, low, high = found.slowed
        yield f"  slowed   {share:.0%} of the iterations [{low:.0%}, {high:.0%}] take longer than 99 % of those without"
    yield from _ranks(found)
    for note in found.notes:
        yield f"  note     {note}"
    yield from _sure(found)


def _ranks(found: Interference) -> Iterator[str]:
    for each in found.slowest[:_MOST_RANKS]:
        if each.waits is not None:
            yield (
                f"  rank     {rank_words(each)}: could run and had no processor in {each.waits[0]:.0%} -> "
                f"{each.waits[1]:.0%} of its time, the others hardly more than before"
            )
            continue
        yield (
            f"  rank     {rank_words(each)}: {each.rise_us:.0f} us later than without it, last of all in "
            f"{each.last_off:.0%} -> {each.last_on:.0%} of the iterations"
        )
    if found.standing != "harms" or found.slowest:
        return
    if found.ranks_seen:
        yield (
            f"  rank     none of {found.ranks_seen} comes later, or waits more for its processor, than the others: "
            "what all share is slower, or a link"
        )
    else:
        yield "  rank     not measured: --benchmark probe times every rank"


def _sure(found: Interference) -> Iterator[str]:
    how = "whenever one stops" if found.by_lot else "looked at once"
    yield f"  sure     {found.confidence:.0%} for the mean, {how}; less than {found.margin:.1%} does not matter"
    if found.standing == "open":
        wanted = found.launches_wanted
        if not found.pairs:
            yield "  open     no pair of launches gave two numbers"
        elif wanted is None or wanted > _MOST_PAIRS:
            yield f"  open     no number of pairs that is worth it would tell {found.margin:.1%} at this noise"
        else:
            yield f"  open     ~{wanted} pairs would tell (--most-pairs)"
    spread = "" if found.spread is None else f"; launches of the same differ by {found.spread:.1%}"
    failed = f", {found.failed} of them without a number" if found.failed else ""
    counted = f" in {found.pairs} pairs" if found.by_lot else ""
    yield f"  cost     {found.launches} launches{counted}{failed}{spread}"
