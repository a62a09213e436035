"""Whether a cause can account for the size of the loss that it is said to explain.

Staging through host memory costs the greater part of eight HCAs of 400 Gb/s, and hardly anything of two of 25. Where
the bandwidth that remains without GPUDirect RDMA or with fewer HCAs is computed, and far less was measured, the cause
says what it explains and what it does not, and the low bandwidth stands beside it. TCP sockets may take any interface,
however slow: they account for every loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from slowlink.model.expectations import Expectations, Hindered, Hindrance, SweepExpectation
from slowlink.model.report import Finding

_LOSS = "busbw-below-expected"
_HINDRANCES: Mapping[str, Hindrance] = {
    "gdr-disabled": "gdr",
    "gdr-level-too-strict": "gdr",
    "peer-memory-missing": "gdr",
    "kernel-without-mm-kobj": "gdr",
    "hca-list-incomplete": "hcas",
}
"""Cause -> what is missing because of it."""
_SOCKETS = ("socket-fallback", "ib-disabled-by-env", "net-plugin-not-loaded")
_WORDS: Mapping[Hindrance, str] = {
    "gdr": "without GPUDirect RDMA",
    "hcas": "with so few HCAs",
}
_OTHER_LOSS = 0.8
"""Share of the least that a hindrance leaves below which something else takes bandwidth, too: noise takes less."""
_NO_LOSS = 0.97
"""Share of what is expected from which on a hindrance costs nothing that anybody could measure."""


def sized(findings: Sequence[Finding], expectations: Expectations | None) -> tuple[Finding, ...]:
    """The findings; those that cannot account for a measured loss say so, and no longer explain it."""
    if any(found.cause in _SOCKETS for found in findings):
        return tuple(findings)
    explaining = [found for found in findings if _LOSS in found.explains and found.cause in _HINDRANCES]
    lacking = frozenset(_HINDRANCES[found.cause] for found in explaining)
    larger = _larger_loss(lacking, expectations) if lacking and expectations is not None else None
    if larger is None:
        return tuple(findings)
    rest = _rest(*larger)
    explained = {id(found) for found in explaining}
    return tuple(_without_loss(found, rest) if id(found) in explained else found for found in findings)


def _larger_loss(lacking: frozenset[Hindrance], expectations: Expectations) -> tuple[SweepExpectation, Hindered] | None:
    """The first sweep that is slower than everything that is lacking can make it."""
    for judged in expectations.sweeps:
        for hindered in judged.hindered:
            least = _OTHER_LOSS * hindered.busbw.low
            if hindered.lacking == lacking and (judged.sweep.peak_busbw_gbs or 0.0) < least:
                return judged, hindered
    return None


def _rest(judged: SweepExpectation, hindered: Hindered) -> str:
    """``; without GPUDirect RDMA 28 to 80 GB/s of 369 remain to be expected: this explains the loss down to ...``."""
    way = " and ".join(_WORDS[each] for each in ("gdr", "hcas") if each in hindered.lacking)
    remaining, expected = hindered.busbw.value, judged.busbw.value
    reached = f"{judged.sweep.collective} reaches only {judged.sweep.peak_busbw_gbs or 0.0:.1f} GB/s"
    if remaining >= _NO_LOSS * expected:
        return f"; but {way} {_number(expected)} GB/s remain to be expected: it is not why {reached}"
    return (
        f"; {way} {_number(hindered.busbw.low)} to {_number(remaining)} GB/s of {_number(expected)} remain to be "
        f"expected: this explains the loss down to there, and not that {reached}"
    )


def _number(gbs: float) -> str:
    return f"{gbs:.0f}" if gbs >= 10 else f"{gbs:.1f}"


def _without_loss(found: Finding, rest: str) -> Finding:
    explains = tuple(cause for cause in found.explains if cause != _LOSS)
    return replace(found, message=found.message + rest, explains=explains)
