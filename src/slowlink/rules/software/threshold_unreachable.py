"""More was asked for than sound nodes reach.

nccl-tests holds its average over all sizes against NCCL_TESTS_MIN_BW, perftest its result against ``--limit_bw``. Where
what was measured is as good as the hardware allows, or the threshold lies above what it can carry, the number that was
asked for is the fault. The same holds for what somebody expects in words, beside a measurement that is sound: the rate
of a data sheet counts both directions, and a port loses two in a hundred to headers.

Why it matters: a gate that no node can pass accuses every node, and a search for what is not missing finds nothing.
How to confirm: ``slowlink expect`` with the hardware; the same test on nodes that are known to be sound.
What to do: ask for a share of what the hardware carries, at large sizes only: small ones pull the average down.
When it is wrong: the hardware is better than what was told or seen of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slowlink.expect.ports import best_row
from slowlink.facts.around_runs import ByLine
from slowlink.model.expectations import Expectations, LinkExpectation, SweepExpectation
from slowlink.model.facts import Commands, Observations
from slowlink.model.job import Command, Observation
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.rules.evidence.messages import FAILED_RUN
from slowlink.rules.evidence.sweep_words import best_point
from slowlink.units import tenths

CAUSES = ("expectation-unreachable",)

_WANTED = "bandwidth-wanted"
_ASKED = "NCCL_TESTS_MIN_BW"
_LIMIT = "--limit_bw"
_NUMBER = regex(r"\d{1,6}(?:\.\d{1,4})?")
_AMOUNT = regex(r"(?P<number>[\d.]{1,9}) ?(?P<unit>\D{0,8})")
_REMEDY = [("Ask for what such hardware carries.", "slowlink expect all_reduce")]


def check(
    expectations: Expectations, commands: Commands | None, observations: Observations | None
) -> Iterator[Finding]:
    """One finding for each collective benchmark, and each test of a link, that failed at its threshold; and one for
    what somebody expects of a sound one."""
    yield from _told(expectations, [each for each in observations.all if each.kind == _WANTED] if observations else [])
    if commands is None:
        return
    started = ByLine(commands.all, lambda command: command.ref)
    for judged in expectations.sweeps:
        run = judged.sweep.run
        command = started.above(run.source, run.header.line)
        asked = _number(command.env.get(_ASKED, "")) if command is not None else None
        if run.average_failed and asked is not None and not judged.assumed and command is not None:
            yield from _of_sweep(judged, asked, command)
    for link in expectations.links:
        command = started.above(link.run.source, link.run.header.line)
        asked = _option(command) if command is not None else None
        if asked is not None and command is not None:
            yield from _of_link(link, asked, command)


def _told(expectations: Expectations, wanted: Sequence[Observation]) -> Iterator[Finding]:
    """The first number that a sound measurement beside it could not have reached."""
    sweep, link = (_lowest_sweep(expectations), _lowest_link(expectations)) if wanted else (None, None)
    for each in wanted:
        parted = _AMOUNT.fullmatch(each.value)
        if parted is None:
            continue
        number, unit = float(parted["number"]), parted["unit"]
        in_bits = unit.startswith("Gb")  # GB/s are bytes
        asked_gbs = number / 8 if in_bits else number
        asked_gbit = number if in_bits or not unit else number * 8
        if sweep is not None and asked_gbs > sweep.most:
            yield _expected(each, f"{asked_gbs:g} GB/s were expected of {sweep.words}", sweep.ref)
            return
        if link is not None and asked_gbit > link.most:
            yield _expected(each, f"{asked_gbit:g} Gb/s were expected of {link.words}", link.ref)
            return


class _Sound(NamedTuple):
    """A sound measurement: what it could have reached at most, what to say of it, and its line."""

    most: float
    words: str
    ref: Ref


def _lowest_sweep(expectations: Expectations) -> _Sound | None:
    """The sound collective whose bound is the lowest."""
    sound = []
    for judged in expectations.sweeps:
        best, bound = best_point(judged.sweep), judged.busbw
        value = best.busbw_gbs if best is not None else None
        if best is not None and value is not None and judged.warn_below_gbs <= value:
            carried = f"such nodes carry {tenths(bound.high)} at most, and usually {tenths(bound.value)}"
            words = f"{judged.sweep.collective}: {carried}; {tenths(value)} is sound"
            sound.append(_Sound(bound.high, words, best.ref))
    return min(sound, key=lambda each: each.most, default=None)


def _lowest_link(expectations: Expectations) -> _Sound | None:
    """The same of ports."""
    sound = []
    for judged in expectations.links:
        row, usual = best_row(judged.run), judged.link.value
        reached = row.bw_average_gbit if row is not None else None
        if row is not None and reached is not None and judged.warn_below_gbit <= reached:
            words = f"a port of {judged.rate_gbit:g}: sound ones carry {usual:.0f}, and this one {reached:.1f}"
            sound.append(_Sound(max(reached, usual), words, row.ref))
    return min(sound, key=lambda each: each.most, default=None)


def _expected(wanted: Observation, words: str, ref: Ref) -> Finding:
    return finding(
        "expectation-unreachable",
        words,
        severity="info",
        confidence="likely",
        evidence=[line_evidence(wanted.ref, observed=wanted.value), line_evidence(ref)],
        explains=("trouble-told",),
        remedy=_REMEDY,
    )


def _of_sweep(judged: SweepExpectation, asked: float, command: Command) -> Iterator[Finding]:
    best, run = best_point(judged.sweep), judged.sweep.run
    value = best.busbw_gbs if best is not None else None
    if value is None or value < judged.warn_below_gbs or run.average_ref is None:
        return
    average = f"{run.average_busbw_gbs:.1f} GB/s on average" if run.average_busbw_gbs is not None else "less"
    yield finding(
        "expectation-unreachable",
        f"{asked:g} GB/s were asked for: such nodes reach {tenths(judged.busbw.value)} at the largest size, and these "
        f"reached {tenths(value)} ({average} over all sizes, which is what is compared)",
        severity="warning",
        confidence="likely",
        evidence=[line_evidence(command.ref, observed=f"{_ASKED}={asked:g}"), line_evidence(run.average_ref)],
        explains=(*FAILED_RUN, "process-crashed", "application-error", "error-unexplained"),
        remedy=_REMEDY,
    )


def _of_link(link: LinkExpectation, asked: float, command: Command) -> Iterator[Finding]:
    rows = [row for row in link.run.rows if row.bw_average_gbit is not None]
    best = max(rows, key=lambda row: row.bw_average_gbit or 0.0, default=None)
    if best is None or best.bw_average_gbit is None or not link.rate_basis:
        return
    if link.warn_below_gbit <= best.bw_average_gbit < asked:
        yield finding(
            "expectation-unreachable",
            f"{asked:g} Gb/s were asked for of a port of {link.rate_gbit:g}: sound ones carry {link.link.value:.0f}, "
            f"and this one {best.bw_average_gbit:.1f}",
            severity="warning",
            confidence="likely",
            evidence=[line_evidence(command.ref, observed=f"{_LIMIT} {asked:g}"), line_evidence(best.ref)],
            explains=("error-unexplained",),
            remedy=[("Ask for no more than a sound port carries.", "")],
        )


def _option(command: Command) -> float | None:
    """The limit, in Gb/s only where the command asks for that unit."""
    if "--report_gbits" not in command.argv:
        return None
    for word, after in zip(command.argv, (*command.argv[1:], ""), strict=True):
        name, _, joined = word.partition("=")
        if name == _LIMIT:
            return _number(joined or after)
    return None


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None
