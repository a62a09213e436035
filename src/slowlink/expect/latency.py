"""Small messages, and the size from which bandwidth can be judged.

One alpha-beta pair cannot fit a whole curve (NCCL changes protocol and algorithm on the way up), so the floor and the
knee have figures of their own in latency.toml. Both are known to a factor of three, and the bands say so: of 20
published curves half lie within a factor of two, 17 within three.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import Any

from msgspec import Struct

from slowlink.catalog.gpus import all_gpus
from slowlink.catalog.load import table
from slowlink.collectives import busbw_factor
from slowlink.expect.busbw import Prediction
from slowlink.expect.case import Case
from slowlink.model.report import Expectation
from slowlink.units import format_size

SMOOTH_BYTES = 8 << 20
"""From 8 MiB on a curve is smooth; below, NCCL changes between its protocols."""
_UNCERTAINTY = 3.0
_GROWING = ("floor", "alpha", "alpha_tree")


def small_message_time(case: Case, subject: str = "") -> Expectation:
    """Time of a collective of at most a few KiB, microseconds. ``high``: above it, something is slow."""
    entry, growth = _entry(case)
    value = entry["floor_us"] * growth["floor"]
    return Expectation(
        "latency",
        subject or case.collective,
        value,
        value / 3,
        value * 3,
        "us",
        f"measured floors of this class: {entry['source']}; {case.nnodes} nodes; known to a factor of three",
    )


def longest_small_message_time(nnodes: int, subject: str) -> Expectation:
    """The same between nodes on whatever network has figures, microseconds: the slowest of them. ``nnodes``: 2 or
    more."""
    document = table("latency.toml")
    entry = max(document["across"].values(), key=lambda each: float(each["floor_us"]))
    growth = document["growth"]
    value = entry["floor_us"] * _interpolated(nnodes, growth["nodes"], growth["floor"])
    basis = f"the slowest network with figures: {entry['source']}; {nnodes} nodes; known to a factor of three"
    return Expectation("latency", subject, value, value / 3, value * 3, "us", basis)


def half_peak_size(prediction: Prediction) -> Expectation:
    """The size at which half of the plateau is reached, bytes: ``S_half = alpha x B / factor``."""
    case = prediction.case
    entry, growth = _entry(case)
    alpha = entry["alpha_us"] * growth["alpha"]
    least = entry["alpha_us"] * growth["alpha_tree"] / _UNCERTAINTY
    plateau = prediction.expected.value
    factor = busbw_factor(case.collective, case.nranks) or 1.0  # one rank: nothing travels, busbw is 0
    size, smallest = (round(each * plateau * 1e3 / factor) for each in (alpha, least))
    return Expectation(
        "half_peak_size",
        prediction.expected.subject,
        size,
        smallest,
        round(size * _UNCERTAINTY),
        "bytes",
        f"alpha {alpha:.0f} us x {plateau:.0f} GB/s / {factor:.3f} = {about_size(size)}; "
        f"{entry['source']}; known to a factor of three",
    )


def about_size(size_bytes: float) -> str:
    """A size that is known roughly: two figures, so that nobody takes it for exact."""
    exact = max(round(size_bytes), 1)
    for unit in (1 << 30, 1 << 20, 1 << 10):
        if exact >= unit:
            return format_size(int(float(f"{exact / unit:.2g}") * unit))
    return format_size(exact)


def share_at(size_bytes: float, half_bytes: float) -> float:
    """The share of the plateau at a size: ``1 / (1 + S_half / S)``."""
    return 1 / (1 + half_bytes / size_bytes)


def size_for(share: float, half_bytes: float) -> int:
    """The size from which ``share`` of the plateau is reached, as a power of two: 9 S_half for 90 %, 19 for 95 %."""
    return 1 << ceil(log2(max(half_bytes * share / (1 - share), 1.0)))


class Plateau(Struct, frozen=True):
    """Did a sweep come to its plateau?"""

    reached: bool | None
    """None: too few sizes to tell."""
    share: float | None
    """Share of the plateau at the largest size, from the curve itself where it tells, else from physics."""
    reason: str


def judge_plateau(curve: Sequence[tuple[int, float]], half: Expectation | None = None) -> Plateau:
    """Whether the largest size of a sweep shows the plateau.

    ``curve``: (size in bytes, busbw in GB/s) of usable points in any order. The curve itself decides where it has two
    sizes a factor of 1.5 or more apart: with ``busbw = B / (1 + S_half/S)``, 1/busbw is linear in 1/S, and the last two
    sizes give B. A curve that was higher before no longer rises, whatever its end does. Without that, ``half`` (an
    expectation of ``half_peak_size``) decides.
    """
    best: dict[int, float] = {}
    for size, busbw in curve:
        if size > 0 and busbw > 0:
            best[size] = max(best.get(size, 0.0), busbw)
    sizes = sorted(best)
    if not sizes:
        return Plateau(None, None, "no usable size")
    last = sizes[-1]
    peak = max((size for size in sizes if size >= SMOOTH_BYTES), key=lambda size: best[size], default=last)
    if best[peak] > best[last]:
        share = best[last] / best[peak]
        text = f"at {format_size(last)} busbw is {share:.0%} of that at {format_size(peak)}"
        return Plateau(True, share, f"{text}: the plateau is reached")
    before = next((size for size in reversed(sizes[:-1]) if size * 1.5 <= last), None)
    if before is not None:
        growth = best[last] / best[before]
        slope = (1 / best[before] - 1 / best[last]) / (1 / before - 1 / last)
        limit = 1 / best[last] - slope / last
        share = 1.0 if slope <= 0 else max(limit, 0.0) * best[last]
        text = f"from {format_size(before)} to {format_size(last)} busbw grows by {growth - 1:.0%}"
        if share >= 0.9:
            return Plateau(True, min(share, 1.0), f"{text}: the plateau is reached")
        return Plateau(False, share, f"{text}: the plateau is not reached")
    if half is None:
        return Plateau(None, None, "one size only")
    # The half-peak size is known to a factor of two: only what holds at either end is said.
    low, high = share_at(last, half.high), share_at(last, half.low)
    share = share_at(last, half.value)
    text = f"at {format_size(last)} about {share:.0%} of the plateau is reached ({half.basis})"
    return Plateau(True if low >= 0.8 else False if high < 0.8 else None, share, text)


def _entry(case: Case) -> tuple[dict[str, Any], dict[str, float]]:
    document = table("latency.toml")
    if case.nnodes <= 1:
        gpu = all_gpus().get(case.hardware.gpu or "")
        kind = gpu.architecture if gpu is not None else "other"
        return document["node"].get(kind, document["node"]["other"]), dict.fromkeys(_GROWING, 1.0)
    layer = case.hardware.nics[0].link_layer if case.hardware.nics else None
    entry = document["across"].get(layer, document["across"]["other"])
    growth = document["growth"]
    return entry, {name: _interpolated(case.nnodes, growth["nodes"], growth[name]) for name in _GROWING}


def _interpolated(nodes: int, known: Sequence[int], values: Sequence[float]) -> float:
    """Linear in log2 of the nodes; constant beyond the last known value."""
    for left, right, low, high in zip(known, known[1:], values, values[1:], strict=False):
        if nodes <= right:
            weight = (log2(max(nodes, left)) - log2(left)) / (log2(right) - log2(left))
            return low + weight * (high - low)
    return values[-1]
