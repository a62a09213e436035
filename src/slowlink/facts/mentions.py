"""What the words around the numbers say: of the hardware, where they agree, and whether a text only talks of faults."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from msgspec import Struct

from slowlink.catalog.gpus import all_gpus, find_gpu
from slowlink.model.benchmark import CollectiveRun
from slowlink.model.facts import NicGroup
from slowlink.model.job import JobEvent, Observation
from slowlink.model.source import Ref
from slowlink.parsers.complaints.wonders import asks_whether
from slowlink.parsers.context.patches import ALERT, COMMIT, PATCH_MARK, SUBJECT
from slowlink.patterns import regex

_NAMED_RATES = {
    "EDR": 100.0,
    "HDR100": 100.0,
    "HDR": 200.0,
    "HDR200": 200.0,
    "NDR200": 200.0,
    "NDR": 400.0,
    "NDR400": 400.0,
    "XDR": 800.0,
}
"""Gb/s of ports of InfiniBand, four lanes wide where the name does not say less."""
_KINDS_OF_MARKS = 2
_QUOTED = ("kernel", "complaint", "program")
"""Who says what texts about patches quote; a scheduler that speaks in such a text speaks of now."""
_INDENTED = " " * 4
"""``git log`` prints messages so, and rules of alerts have what they would say further in."""
_STAMPED = regex(r"\[ {0,8}\d{1,9}\.\d{1,9}\]|\d\d:\d\d:\d\d")


class Mentions(Struct, frozen=True):
    """Each part is None where nothing is mentioned, or where mentions contradict one another."""

    gpu: str | None
    """Catalogue id."""
    gpu_text: str
    nics: NicGroup | None
    nic_rate_gbit: float | None
    """The rate that all mentions of NICs share, where their counts differ."""


class PortRate(NamedTuple):
    """What a text says of the rate of a port."""

    gbit: float
    ref: Ref

    @property
    def basis(self) -> str:
        return f"the text says {self.gbit:g} Gb/s ({self.ref.source}:{self.ref.line})"


def port_rates(observations: Iterable[Observation]) -> dict[str, PortRate]:
    """By source, where all that it says of ports is one rate."""
    found: dict[str, dict[float, Ref]] = {}
    for each in observations:
        if each.kind == "port-rate-mentioned":
            rate = _NAMED_RATES.get(each.value) or (float(each.value) if each.value.isdecimal() else 0.0)
            found.setdefault(each.ref.source, {}).setdefault(rate, each.ref)
        elif each.kind == "nics-mentioned":
            found.setdefault(each.ref.source, {}).setdefault(float(each.value), each.ref)
    return {source: PortRate(*next(iter(of.items()))) for source, of in found.items() if len(of) == 1 and 0.0 not in of}


_MAKERS = {"mccl-tests": "MetaX", "rccl-tests": "AMD"}
"""Benchmarks that run on the GPUs of one maker alone. Old rccl-tests print the words of nccl-tests."""


def read_mentions(observations: Sequence[Observation], runs: Sequence[CollectiveRun]) -> Mentions:
    """Pure. A GPU is taken from the words above the measurement: what follows tends to compare with other machines. So
    does who names another maker's GPU than the benchmark runs on."""
    last = {run.source: run.header.line for run in runs}
    above = [o for o in observations if o.ref.line <= last.get(o.ref.source, o.ref.line)]
    makers = {_MAKERS[run.tool] for run in runs if run.tool in _MAKERS}
    gpus = [o.value for o in above if o.kind == "gpu-mentioned" and (not makers or _maker(o.value) in makers)]
    nics = {(int(o.subject), float(o.value)) for o in observations if o.kind == "nics-mentioned"}
    rates = {rate for _, rate in nics}
    gpu, text = _one_gpu(gpus)
    only = next(iter(nics)) if len(nics) == 1 else None
    return Mentions(gpu, text, NicGroup(*only) if only else None, rates.pop() if len(rates) == 1 else None)


def happened(events: Sequence[JobEvent], observations: Sequence[Observation]) -> tuple[JobEvent, ...]:
    """Without messages in patches, commits and mail about them: there they are examples, and accuse no machine. And
    without what a question quotes that asks whether it may be.

    A patch has several kinds of marks, and all that it quotes is an example. One mark may stand in a report of a fault,
    too; then the kernel's messages count that have the kernel's stamp, which examples are given without.
    """
    marks: dict[str, set[str]] = {}
    for each in observations:
        if each.kind == PATCH_MARK:
            marks.setdefault(each.ref.source, set()).add(each.subject)
    return tuple(event for event in events if not _is_example(event, marks.get(event.ref.source, set())))


def _is_example(event: JobEvent, marks: AbstractSet[str]) -> bool:
    if asks_whether(event.ref.text):
        return True
    if not marks or event.origin not in _QUOTED:
        return False
    if len(marks - {ALERT}) >= _KINDS_OF_MARKS:
        return True
    if _STAMPED.search(event.ref.text) is not None:
        return False
    in_message = bool(marks & {ALERT, COMMIT}) and event.ref.text.startswith(_INDENTED)
    return in_message or (marks <= {SUBJECT, COMMIT} and event.origin == "kernel")


def _maker(name: str) -> str | None:
    gpu = find_gpu(name) or find_gpu(f"NVIDIA {name}")
    return gpu.vendor if gpu is not None else None


def _one_gpu(names: Sequence[str]) -> tuple[str | None, str]:
    """The one model that all names can mean: "H200" beside "H200 NVL" is the same, "H100" beside it is not."""
    distinct = sorted(set(names), key=len)
    if not distinct:
        return None, ""
    longest = distinct[-1]
    if not all(longest.startswith(name) for name in distinct):
        return None, ""
    exact = find_gpu(longest)
    if exact is not None:
        return exact.id, longest
    # A bare family name: the board with all links is what clusters are built from.
    board = f"{longest.lower()}-sxm"
    return (board, longest) if board in all_gpus() else (None, "")
