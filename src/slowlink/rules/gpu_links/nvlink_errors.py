"""Error counters of NVLinks grow.

A replay sends a packet again, a recovery trains the link anew: both stall it. CRC errors are corrected by replays, so
their growth is an error only from a certain rate on. The counters run since the driver was loaded: growth between two
readings is what counts. Where there is only one reading, replays and recoveries are a warning; healthy links have none.

Why it matters: every replay or recovery stalls the collective that uses the link; links that recover often go down
later.
How to confirm: ``nvidia-smi nvlink -e`` before and after a run of all_reduce_perf inside the node.
What to do: drain the node, reset its GPUs, ``dcgmi diag -r 3``; replace the GPU or baseboard when errors come back.
When it is wrong: a reset or reboot of a peer shows as errors on this side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_attribute, growth, latest_of
from slowlink.facts.stretches import distinct, joined, number_of, where
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at, models, number_of_gpus
from slowlink.rules.evidence.links_to_docs import DCGM_DIAGNOSTICS
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu_links.nvlink_layout import all_shown
from slowlink.rules.gpu_links.remedies import TEST_NODE

CAUSES = ("nvlink-down",)
DENIES = ("nvlink-down", "nvswitch-error")

_STALLS = {
    "nvlink-replay-errors": "replay errors",
    "nvlink-recovery-errors": "recovery errors",
    "nvlink-recoveries-failed": "failed recoveries",
}
_CORRECTED = {"nvlink-crc-errors": "CRC errors"}
_RATE = "nvlink-effective-ber"
ATTRIBUTES = (*_STALLS, *_CORRECTED, _RATE)


class Params(Struct, frozen=True):
    """Limits of one link, as DCGM's diagnostics use them. Replays and recoveries have none: each one counts."""

    crc_per_second: float = 100.0
    """CRC errors per second, between two readings, from which they cost bandwidth."""
    most_ber: float = 1e-12
    """Errors per bit after correction; a higher rate is reported."""


def check(errors: Annotated[Readings, Of(*ATTRIBUTES)], params: Params) -> Iterator[Finding | Proof]:
    """Growth is an error; errors of unknown age are a warning."""
    reported = False
    for name, words in {**_STALLS, **_CORRECTED}.items():
        readings = by_attribute(errors, name)
        grown = [g for g in growth(readings) if g.by > 0]
        old = () if grown else where(latest_of(readings), lambda _, value: isinstance(value, int) and value > 0)
        if grown:
            last = [g.last for g in grown]
            # Where the readings have no times they are taken as one second apart.
            fast = name in _STALLS or any(g.by >= params.crc_per_second * (g.seconds or 1.0) for g in grown)
            yield _finding(
                last, f"{words} grew by {sum(g.by for g in grown)} on {_links(last)}", "error" if fast else "warning"
            )
        elif old and name in _STALLS:
            yield _finding(old, f"{words} on {_links(old)} since the driver was loaded", "warning")
        reported = reported or bool(grown) or (bool(old) and name in _STALLS)
    bad = where(
        latest_of(by_attribute(errors, _RATE)), lambda _, value: isinstance(value, float) and value > params.most_ber
    )
    if bad:
        worst = max(float(r.value) for r in bad)
        yield _finding(bad, f"bit error rate {worst:.1e} after correction on {_links(bad)}", "error")
    if not reported and not bad and (said := sound(errors)) is not None:
        yield Proof(said, reading_evidence(errors.all, most=1), weight=0)


def sound(errors: Readings) -> str | None:
    """``8 GPUs: no error on 144 NVLinks``; None when no counter was read, one is not zero, or
    links are left out."""
    counts = joined(latest_of(by_attribute(errors, name)) for name in _STALLS)
    if not counts or any(distinct(counts, lambda _, value: value)) or not all_shown(counts, models(errors)):
        return None
    return f"{number_of_gpus(counts)}: no replay or recovery error on {_links(counts)}"


def _links(readings: Sequence[Reading]) -> str:
    return counted(sum(number_of(readings).values()), "NVLink")


def _finding(readings: Sequence[Reading], what: str, severity: Severity) -> Finding:
    grave = severity == "error"
    return finding(
        "nvlink-down",
        f"{gpus_at(readings)}: {what}",
        severity=severity,
        confidence="likely" if severity == "error" else "possible",
        evidence=reading_evidence(readings, expected="0"),
        suspects=gpu_suspects(readings),
        explains=("busbw-below-expected", "bandwidth-unstable") if grave else (),
        remedy=[
            ("Read the counters twice, with a collective inside the node in between.", "nvidia-smi nvlink -e"),
            TEST_NODE,
        ],
        references=[DCGM_DIAGNOSTICS],
    )
