"""Exit codes of every command, and the one function that chooses. They are a contract: pipelines gate on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

HEALTHY = 0
"""Healthy, or degraded by less than ``--fail-on``."""

FINDINGS = 1
"""At least one diagnosis at or above ``--fail-on``, or a gate that failed."""

USAGE = 2
"""The command line or the configuration is wrong; nothing was measured."""

INCONCLUSIVE = 3
"""Not measured, or nothing recognised, or what was recognised allows no conclusion. Unknown is not healthy."""

DEFECT = 70
"""slowlink itself failed (EX_SOFTWARE). Never a statement about the cluster."""

INTERRUPTED = 130
"""Somebody ended it (128 + SIGINT, whatever the signal was). Never a statement about the cluster either."""

SEVERITIES = ("info", "warning", "error", "critical")
NEVER = "never"
FAIL_ON = (*reversed(SEVERITIES), NEVER)
"""What ``--fail-on`` takes: the least severity that fails, or none of them."""
DEFAULT_FAIL_ON = "error"


def fails(severity: str, fail_on: str) -> bool:
    """Is a diagnosis of this severity one that ``--fail-on`` names?"""
    return fail_on != NEVER and SEVERITIES.index(severity) >= SEVERITIES.index(fail_on)


def decide(
    verdict: str,
    severities: Iterable[str] = (),
    fail_on: str = DEFAULT_FAIL_ON,
    *,
    gates: Sequence[int] = (),
    thresholds: bool = False,
    interrupted: bool = False,
) -> int:
    """The exit code of a report, for every command and format.

    ``severities``: of its diagnoses. ``gates``: the codes of what else was asked for: whether everything was measured,
    and thresholds of the user; ``thresholds``: there are some of these. ``interrupted``: by a person or a scheduler.
    An interrupt comes first, as nobody is to blame for what is not there; then what was found, whatever it is; then
    what is unknown. Thresholds that all hold make up for hardware of which nothing is known: they are the expectation.
    """
    if interrupted:
        return INTERRUPTED
    if FINDINGS in gates or any(fails(severity, fail_on) for severity in severities):
        return FINDINGS
    if INCONCLUSIVE in gates:
        return INCONCLUSIVE
    return INCONCLUSIVE if verdict == "inconclusive" and not thresholds else HEALTHY
