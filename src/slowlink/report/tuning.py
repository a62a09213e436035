"""What a search for settings that help found, in words."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from math import expm1, isfinite

from slowlink.model.experiment import Effect, Shift, Tuning
from slowlink.quoting import assignments
from slowlink.report.escape import terminal_safe

_LABELS = {
    "helps": "helps",
    "harms": "harms",
    "open": "open",
    "does-not-matter": "nothing",
    "fails": "fails",
    "not-read": "not read",
    "not-tried": "not tried",
}
_MOST_OF_A_KIND = 8
_WIDE = 40
_MOST_PAIRS = 1000
"""More are not worth it."""


def tuning_text(tuning: Tuning, title: str, ended: str = "") -> str:
    """For a terminal. ``title``: what was measured, in words. ``ended``: why it came to an early end."""
    return "\n".join(map(terminal_safe, _lines(tuning, title, ended)))


def tuning_headline(tuning: Tuning, title: str) -> str:
    """One line: what helps, and by how much."""
    count = len(tuning.effects)
    if tuning.removing:
        carry = [effect for effect in tuning.effects if effect.standing == "harms"]
        return f"{len(carry)} of {_settings(count)} {_carry(len(carry))}: {title}"
    helping = [effect for effect in tuning.effects if effect.standing == "helps"]
    if not helping:
        undecided = sum(effect.standing == "open" for effect in tuning.effects)
        rest = f"; {undecided} {'is' if undecided == 1 else 'are'} open" if undecided else ""
        return f"none of {_settings(count)} is known to help: {title}{rest}"
    gain = tuning.together if len(tuning.kept) > 1 and tuning.together is not None else _best(helping).shift
    by = f", {_signed(gain.estimate).lstrip('+')} faster" if gain is not None else ""
    return f"{len(helping)} of {_settings(count)} {'helps' if len(helping) == 1 else 'help'}{by}: {title}"


def _settings(count: int) -> str:
    return f"{count} setting{'' if count == 1 else 's'}"


def _carry(count: int) -> str:
    return "carries" if count == 1 else "carry"


def _best(helping: Sequence[Effect]) -> Effect:
    return max(helping, key=lambda effect: effect.shift.estimate if effect.shift is not None else 0.0)


def _lines(tuning: Tuning, title: str, ended: str) -> Iterator[str]:
    found = {effect.standing for effect in tuning.effects}
    word = "FOUND" if found & {"helps", "harms"} else "OPEN" if "open" in found or not found else "NOTHING"
    yield f"{word}  {tuning_headline(tuning, title)}"
    if ended:
        yield f"  ended early: {ended}"
    yield ""
    what = "speed without it" if tuning.removing else "speed with it"
    yield f"  {'':9} {'setting':<{_WIDE}} {what}"
    for kind in _LABELS:
        yield from _of_kind([effect for effect in tuning.effects if effect.standing == kind])
    yield ""
    if tuning.together is not None:
        gone = "all that may go, gone" if tuning.removing else "all that help"
        yield f"  together  {gone}: {_shift(tuning.together)}"
    for note in tuning.notes:
        yield f"  note      {note}"
    yield from _sure(tuning)


def _of_kind(effects: Sequence[Effect]) -> Iterator[str]:
    for effect in effects[:_MOST_OF_A_KIND]:
        yield f"  {_LABELS[effect.standing]:<9} {effect.change.id:<{_WIDE}} {_told(effect)}".rstrip()
    if len(effects) > _MOST_OF_A_KIND:
        kind = _LABELS[effects[0].standing]
        yield f"  {kind:<9} and {len(effects) - _MOST_OF_A_KIND} more (--format json has all)"


def _told(effect: Effect) -> str:
    words = [_shift(effect.shift)] if effect.shift is not None else []
    if effect.standing in ("open", "fails", "not-read", "not-tried") and effect.reason:
        words.append(effect.reason)
    if effect.launches_wanted is not None and effect.standing == "open":
        few = effect.launches_wanted <= _MOST_PAIRS
        words.append(f"~{effect.launches_wanted} pairs would tell" if few else "too noisy to tell")
    if effect.standing in ("helps", "harms") and effect.in_force is None:
        words.append("no log shows it")
    return "; ".join(words)


def _shift(shift: Shift) -> str:
    if not isfinite(shift.low) or not isfinite(shift.high):
        return f"{_signed(shift.estimate)} (too few launches for an interval)"
    return f"{_signed(shift.estimate)} [{_bare(shift.low)}, {_bare(shift.high)}]"


def _signed(log_ratio: float) -> str:
    return f"{_bare(log_ratio)} %"


def _bare(log_ratio: float) -> str:
    share = 100 * expm1(min(log_ratio, 50.0))
    return f"{share:+.0f}" if abs(share) >= 100 else f"{share:+.1f}"


def _sure(tuning: Tuning) -> Iterator[str]:
    yield (
        f"  sure      {tuning.confidence:.0%} for all intervals together, whenever one stops; less than "
        f"{tuning.margin:.1%} does not matter"
    )
    spread = "" if tuning.spread is None else f"; launches of the same differ by {tuning.spread:.1%}"
    failed = f", {tuning.failed} of them without a number" if tuning.failed else ""
    yield f"  cost      {tuning.launches} launches{failed}{spread}"


def environment_text(
    tuning: Tuning, title: str, base: Mapping[str, str], bundle: str, left_out: Container[str] = ()
) -> str:
    """An environment file, for shells and for ``--env-from``: what to set, each line with what it gave. ``base``: of a
    removal, the whole environment. ``left_out``: ids of what is not to be set, whatever it gave."""
    lines = [f"# slowlink tune: {title}", f"# {tuning.launches} launches; the evidence: {bundle}"]
    if tuning.together is not None:
        lines.append(f"# together: {_shift(tuning.together)} speed, {tuning.confidence:.0%} interval")
    lines += [f"# note: {note}" for note in tuning.notes]
    kept = [effect for effect in tuning.effects if effect.change.id in tuning.kept]
    tried = {effect.change.name for effect in tuning.effects} if tuning.removing else set()
    lines += [_assigned(name, value) for name, value in sorted(base.items()) if tuning.removing and name not in tried]
    for effect in kept:
        name = effect.change.name
        what = "without it" if tuning.removing else "with it"
        told = _shift(effect.shift) if effect.shift is not None else effect.reason or "not measured"
        lines.append(f"# {what}: {told}" + ("" if effect.standing != "open" else ", open"))
        if effect.change.id in left_out:
            lines.append(f"# not taken from somebody's record: {effect.change.id}")
        else:
            lines.append(_assigned(name, base.get(name) if tuning.removing else effect.change.value))
    if not kept and not tuning.removing:
        lines.append("# nothing that was tried is known to help")
    return "\n".join(map(terminal_safe, lines)) + "\n"


def _assigned(name: str, value: str | None) -> str:
    """One word of a shell, whatever the value holds; a comment where a line cannot hold it."""
    if value is None:
        return f"# {name}: its value is not in the bundle"
    if not value.isprintable():
        return f"# {name}: no line can hold its value"
    return assignments({name: value})[0]
