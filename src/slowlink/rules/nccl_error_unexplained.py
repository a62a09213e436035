"""NCCL failed and the log does not say why.

A call of NCCL returned an error ("unhandled system error", "remote process exited or there was a network error"), but
NCCL's own log was off or holds no warning that slowlink knows.

Why it matters: the error's name tells only the class of the failure; its reason is in NCCL's log alone.
How to confirm: run again with ``NCCL_DEBUG=INFO`` and keep the output of all ranks.
What to do: read the first WARN line of the rank that failed first. "system error" is a failing call of the operating
system or of the network; "remote process exited" is another rank's failure; "invalid usage" is the caller's.
When it is wrong: when the ranks' logs are in other files that were not given.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.references import NCCL_ENV, NCCL_TROUBLESHOOTING
from slowlink.rules.seen import at, groups_of, happened, hosts_of, listed, refs_of, times

_FAILURES = ("nccl-tests-nccl-failure", "torch-nccl-error")


def check(events: Events, warnings: Warnings | None) -> Iterator[Finding]:
    """One finding for all failures that no primary warning of NCCL goes with."""
    found = happened(events, *_FAILURES)
    if not found:
        return
    said = [w for w in (warnings.all if warnings is not None else ()) if w.level == "WARN" and not w.secondary]
    if any(w.message != "unknown" for w in said):
        return
    hosts = hosts_of(found)
    errors = groups_of(found, "error")
    counted = f"{times(found)} calls of NCCL failed" if times(found) > 1 else "a call of NCCL failed"
    why = f"; NCCL warns: {said[0].text[:160]}" if said else ", and no line of NCCL's log says why"
    yield finding(
        "nccl-error-unexplained",
        f"{at(hosts)}{counted}" + (f" ({listed(errors)[:160]})" if errors else "") + why,
        severity="critical",
        confidence="likely" if said else "certain",
        evidence=(*lines((w.ref for w in said), 2), *lines(refs_of(found))),
        suspects=suspects("node", hosts),
        explains=("rank-lost", "output-truncated", "rank-stuck"),
        remedy=[
            ("Run again with NCCL's log on, and keep what every rank prints.", "NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nccl.%h.%p.log ..."),
        ],
        references=[f"{NCCL_ENV}#nccl-debug", NCCL_TROUBLESHOOTING],
    )
