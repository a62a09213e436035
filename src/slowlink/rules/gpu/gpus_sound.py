"""What GPUs say about themselves is as it should be.

This rule finds no fault. It says in one sentence what was looked at and found sound: memory, NVLinks, fabric, clocks.
A healthy verdict on the output of nvidia-smi rests on it. What was not read is not mentioned.

Why it matters: "healthy" without saying what was looked at is worth nothing.
How to confirm: each part has its own rule and its own line of evidence.
What to do: nothing.
When it is wrong: an idle GPU shows no slowdown; take the same output under load.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, NamedTuple

from slowlink.facts.readings import by_attribute, each_attribute, latest_of
from slowlink.facts.stretches import Told, distinct, joined, told
from slowlink.model.facts import Of, Readings
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.evidence.gpu_phrases import SLOW_THOUGH_SOUND, models, number_of_gpus
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu import gpu_clocks_throttled, gpu_memory_state
from slowlink.rules.gpu_links import gpu_fabric_state, nvlink_errors, nvlink_inactive

CAUSES = ()
DENIES = (
    *("gpu-memory-errors", "gpu-missing", "gpu-driver-hung", "gpu-hardware-fault"),
    *("nvlink-down", "nvlink-fabric-unhealthy", "nvswitch-error", "fabric-manager-down"),
)

_MEMORY = "memory"
_ACTIVE, _FLAWLESS = "NVLinks active", "NVLinks without errors"
_ASPECTS = (
    (_MEMORY, gpu_memory_state.sound, gpu_memory_state.ATTRIBUTES),
    (_ACTIVE, nvlink_inactive.sound, ("nvlink-active",)),
    (_FLAWLESS, nvlink_errors.sound, nvlink_errors.ATTRIBUTES),
    ("NVLink fabric set up", gpu_fabric_state.sound, ("gpu-fabric-state",)),
)
_CLOCKS = "clocks not slowed"
"""Mentioned only with others: alone it would say little, because an idle GPU is never slowed."""
_LIFETIME = (
    "gpu-ecc-aggregate-uncorrectable",
    "gpu-ecc-aggregate-dram-uncorrectable",
    "gpu-ecc-aggregate-sram-uncorrectable",
)
_REPAIRS = frozenset(
    ("gpu-remap-pending", "gpu-remap-failed", "gpu-retirement-pending", "gpu-retired-pages-double-bit")
)


class _Said(NamedTuple):
    words: str
    readings: Told


_READ = tuple(dict.fromkeys(name for _, _, names in _ASPECTS for name in names))


def check(
    state: Annotated[
        Readings,
        Of(*_READ, *_LIFETIME, *gpu_clocks_throttled.ATTRIBUTES, "gpu-name", "gpu-ecc", "driver-version"),
    ],
) -> Iterator[Proof]:
    """One sentence for all nodes."""
    fine = [(words, names) for words, sound, names in _ASPECTS if sound(state) is not None]
    seen = [(words, joined(by_attribute(state, name) for name in names)) for words, names in fine]
    said, of = [], []
    for words, readings in seen:
        about = _of_memory(state, readings) if words == _MEMORY else _Said(words, readings)
        if about is not None:
            said.append(about.words)
            of.append(about.readings)
    if not said:  # nothing was read, or each part that was read has its own finding
        return
    if _ACTIVE in said and _FLAWLESS in said:
        said[said.index(_ACTIVE)] = f"{_ACTIVE} and without errors"
        said.remove(_FLAWLESS)
    if gpu_clocks_throttled.sound(state) is not None:
        said.append(_CLOCKS)
    of_all = of[0] if len(of) == 1 else joined(of)
    yield Proof(
        f"{_which(state, of_all)}: {', '.join(said)}",
        reading_evidence(of_all, most=2),
        weight=1,
        leads=True,
        doubted_by=SLOW_THOUGH_SOUND,
    )


def _of_memory(state: Readings, readings: Told) -> _Said | None:
    """What was looked at of the memory: errors since the driver was loaded, repairs, errors in the GPUs' life. GPUs
    without ECC count no errors, so theirs are no proof: of them alone only repairs are."""
    repairs = not _REPAIRS.isdisjoint(each_attribute(state))
    off = {(r.host, r.part) for r in latest_of(by_attribute(state, "gpu-ecc")) if r.value is False}
    if off:
        protected = told([r for r in readings if (r.host, r.part) not in off])
        if not protected:
            return (
                _Said("no repair of memory pending (ECC is off: nothing counts its errors)", readings)
                if repairs
                else None
            )
        readings = protected
    if not repairs:
        return _Said("no memory errors since the driver was loaded (repairs were not looked at)", readings)
    in_life = [r for name in _LIFETIME for r in latest_of(by_attribute(state, name))]
    bad = {(r.host, r.part) for r in in_life if isinstance(r.value, int) and r.value > 0}
    if bad:
        words = f"no memory errors since the driver was loaded ({counted(len(bad), 'GPU')} had some before)"
        return _Said(words, readings)
    return _Said("memory without errors", readings)


def _which(state: Readings, seen: Sequence[Reading]) -> str:
    """``8 GPUs (NVIDIA H200, driver 590.48.01)``."""
    kinds = Counter(chain.from_iterable(names.values() for names in models(state).names.values()))
    drivers = distinct(latest_of(by_attribute(state, "driver-version")), lambda _, value: str(value))
    about = [name for name, _ in kinds.most_common(2)]
    about += [f"driver {' and '.join(sorted(drivers))}"] if 0 < len(drivers) < 3 else []
    return number_of_gpus(seen) + (f" ({', '.join(about)})" if about else "")
