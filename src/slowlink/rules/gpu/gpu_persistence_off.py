"""Persistence mode is off.

Without it the driver unloads its state when the last process leaves a GPU.

Why it matters: every job waits some seconds per GPU at its start, locked clocks and power limits are lost between jobs,
and ``dcgmi diag`` fails its software test for this alone.
How to confirm: ``nvidia-smi -q | grep Persistence`` shows Disabled.
What to do: run NVIDIA's daemon at boot, or switch it on by hand.
When it is wrong: it costs no bandwidth while a job runs; where nodes boot for every job it hardly matters. Where the
same output lists a process on each of these GPUs, such as a display server, it is a note: nothing is unloaded as long
as that runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec.structs import replace

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at, number_of_gpus
from slowlink.rules.evidence.links_to_docs import PERSISTENCE
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import by_prepare, reading_evidence

CAUSES = ("gpu-persistence-off",)


_TOOL = "nvidia-smi"


def check(
    settings: Annotated[Readings, Of("gpu-persistence")],
    processes: Annotated[Readings, Of("process-gpu", "process-name")] | None,
) -> Iterator[Finding | Proof]:
    """One finding for all GPUs."""
    now = latest_of(settings.all)
    off = [reading for reading in now if reading.value is False]
    if not off:
        yield Proof(f"{number_of_gpus(now)}: persistence mode is on", reading_evidence(now, most=1), weight=0)
        return
    holders = _holders(off, processes)
    yield _held(off, [each for each in holders if each is not None]) if all(holders) else _finding(off)


def _holders(off: Sequence[Reading], processes: Readings | None) -> list[Reading | None]:
    """For each GPU the name of a process that is listed on it, further down in the same output."""
    if processes is None:
        return [None for _ in off]
    names = {(r.host, r.part): r for r in by_attribute(processes, "process-name") if r.value != _TOOL}
    on_gpu: dict[tuple[str | None, object], list[Reading]] = {}
    for there in by_attribute(processes, "process-gpu"):
        if (there.host, there.part) in names:
            named = replace(names[there.host, there.part], ref=there.ref)
            on_gpu.setdefault((there.host, there.value), []).append(named)
    return [
        next((name for name in on_gpu.get((gpu.host, gpu.part.name), ()) if _is_below(gpu, name)), None) for gpu in off
    ]


def _is_below(gpu: Reading, process: Reading) -> bool:
    return process.ref.source == gpu.ref.source and process.ref.line > gpu.ref.line


def _held(off: Sequence[Reading], holders: Sequence[Reading]) -> Finding:
    names = list(dict.fromkeys(str(each.value) for each in holders))
    who = f"{listed(names)} {'runs' if len(names) == 1 else 'run'}"
    return finding(
        "gpu-persistence-off",
        f"{gpus_at(off)}: persistence mode is off, but the driver unloads nothing as long as {who}",
        severity="info",
        confidence="certain",
        evidence=(*reading_evidence(off, expected="on", most=2), *reading_evidence(holders, most=2)),
        suspects=gpu_suspects(off),
        remedy=_remedy(off),
        references=[PERSISTENCE],
    )


def _finding(off: Sequence[Reading]) -> Finding:
    return finding(
        "gpu-persistence-off",
        f"{gpus_at(off)}: persistence mode is off, so that the driver unloads its state between jobs",
        severity="warning",
        confidence="certain",
        evidence=reading_evidence(off, expected="on"),
        suspects=gpu_suspects(off),
        remedy=_remedy(off),
        references=[PERSISTENCE],
    )


def _remedy(off: Sequence[Reading]) -> list[tuple[str, str]]:
    return [
        ("Run NVIDIA's daemon at boot.", "systemctl enable --now nvidia-persistenced"),
        ("Or switch it on until the next boot.", "nvidia-smi -pm 1"),
        by_prepare("persistence", off),
    ]
