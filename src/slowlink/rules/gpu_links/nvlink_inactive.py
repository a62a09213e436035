"""NVLinks are inactive.

On boards with switches or a mesh every link of a GPU is used, so one inactive link is a fault. How many links there are
depends on the model (A800 and H800 have 8 by design); on bridged cards unused links are inactive. Of models that the
catalogue does not know, only links that other GPUs of the node use are reported; and a GPU that shows fewer links than
its peers, whose links may be switched off (``X`` and ``_`` in ``dcgmi nvlink -s``).

Why it matters: a GPU has less bandwidth to its peers, all GPUs of the node run at the pace of the slowest, and NVLS is
usually lost.
How to confirm: ``nvidia-smi nvlink --status`` on the node; ``nvidia-smi topo -m`` shows fewer NV than on other nodes.
What to do: reset all GPUs of the node together, reboot if that does not help; ``dcgmi diag -r 3``. If the link stays
down, the GPU or its baseboard is at fault.
When it is wrong: links are down for some seconds after boot, and while the fabric manager starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.facts.stretches import distinct, where
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, line_evidence
from slowlink.rules.evidence.gpu_phrases import JOINED, gpu_label, gpu_suspects, gpus_at, models, number_of_gpus
from slowlink.rules.evidence.links_to_docs import NVIDIA_SMI
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu_links.nvlink_layout import Layout, Short, all_shown, short_of_links
from slowlink.rules.gpu_links.remedies import READ_NVLINKS, RESET_AND_TEST

CAUSES = ("nvlink-down",)
DENIES = ("nvlink-down", "nvswitch-error")

ATTRIBUTES = ("nvlink-active", "nvlink-speed", "gpu-nvlinks-inactive", "gpu-nvlinks-none", "gpu-name")

_FEWEST_PEERS = 3
"""GPUs of the node with links, beside which one without any stands out."""


def check(
    links: Annotated[Readings, Of(*ATTRIBUTES)],
) -> Iterator[Finding | Proof]:
    """Inactive links of GPUs that use all of theirs; of unknown GPUs those that others use.

    A board of a hybrid cube mesh may be half populated: then all GPUs lack the same links. A GPU alone with no link in
    use belongs to a virtual machine that was given a part of a board.
    """
    kinds, layout = models(links), Layout.of(links)
    down = where(latest_of(by_attribute(links, "nvlink-active")), lambda _, value: value is False)
    dark = where(latest_of(by_attribute(links, "gpu-nvlinks-inactive")), lambda _, value: value is True)
    known = [(r, kind.fabric) for r in (*down, *dark) if (kind := kinds.kind(r)) is not None]
    joined = [r for r, fabric in known if fabric in JOINED and not (fabric == "hybrid" and layout.all_alike(r))]
    sure = [r for r in joined if not layout.alone(r)]
    unsure = [r for r in down if kinds.kind(r) is None and layout.used_elsewhere(r)]
    if sure:
        yield _finding(_inactive(sure), sure, "error", "certain")
    if unsure:
        board = layout.board
        yield _finding(_inactive(unsure), unsure, "error" if board else "warning", "likely" if board else "possible")
    short = [] if sure or unsure else short_of_links(latest_of(by_attribute(links, "nvlink-active")))
    if short:
        yield _short(short)
    bare = [] if sure or unsure else _without_links(links)
    if bare:
        yield _bare(bare)
    if not (sure or unsure or short or bare) and (said := sound(links)) is not None:
        yield Proof(said, reading_evidence(by_attribute(links, "nvlink-active"), most=1), weight=0)


def sound(links: Readings) -> str | None:
    """``8 GPUs: 144 NVLinks active at 26.562 GB/s``; None without active links, with inactive ones, or
    where links are left out, or of a GPU all."""
    now = latest_of(by_attribute(links, "nvlink-active"))
    if now and _without_links(links):
        return None
    inactive = where(now, lambda _, value: value is False)
    if not now or inactive or not all_shown(now, models(links)):
        return None
    speeds = sorted(distinct(latest_of(by_attribute(links, "nvlink-speed")), lambda _, value: f"{value:g}"))
    each = counted(len(now), "NVLink")
    rate = f" at {' and '.join(speeds[:2])} GB/s" if speeds else ""
    return f"{number_of_gpus(now)}: {each} active{rate}"


def _without_links(links: Readings) -> list[Reading]:
    """GPUs that the same output names and shows no link of, among peers of their model that have some. Of the last one
    that is named nothing is known: lists are cut by hand."""
    found = [r for r in latest_of(by_attribute(links, "gpu-nvlinks-none")) if r.value is True]
    shown: dict[tuple[str | None, str], set[str]] = {}
    for r in latest_of(by_attribute(links, "nvlink-active")):
        shown.setdefault((r.host, r.ref.source), set()).add(r.part.name.partition("/")[0])
    bare = [r for r in found if len(shown.get((r.host, r.ref.source), ())) >= _FEWEST_PEERS]
    named: dict[tuple[str | None, str], list[Reading]] = {}
    for r in latest_of(by_attribute(links, "gpu-name")):
        named.setdefault((r.host, r.ref.source), []).append(r)
    for where_, readings in named.items():
        have = shown.get(where_, set())
        without = [r for r in readings if r.part.name not in have]
        last = max(r.ref.line for r in readings)
        one_model = len({str(r.value) for r in readings}) == 1
        if one_model and without and len(have) >= _FEWEST_PEERS * len(without) and _is_listed(readings, links):
            bare += [r for r in without if r.ref.line != last]
    return bare


def _is_listed(named: Sequence[Reading], links: Readings) -> bool:
    """Do the names stand among the links, each above its own, as ``nvidia-smi nvlink --status`` prints them?"""
    lines = {r.part.name.partition("/")[0]: r.ref.line for r in reversed(by_attribute(links, "nvlink-active"))}
    with_links = [r for r in named if r.part.name in lines]
    return bool(with_links) and all(0 < lines[r.part.name] - r.ref.line <= 1 for r in with_links)


def _bare(bare: Sequence[Reading]) -> Finding:
    return finding(
        "nvlink-down",
        f"{gpus_at(bare)}: no NVLink is shown, where the other GPUs have theirs",
        severity="warning",
        confidence="likely",
        evidence=reading_evidence(bare, expected="as many links as the other GPUs"),
        suspects=gpu_suspects(bare),
        remedy=[READ_NVLINKS, RESET_AND_TEST],
        references=[NVIDIA_SMI],
    )


def _inactive(readings: Sequence[Reading]) -> str:
    return f"{gpus_at(readings)}: {_which(readings)} inactive"


def _which(readings: Sequence[Reading]) -> str:
    """``NVLink 3 and 7``, or how many when they are of several GPUs."""
    links = [reading for reading in readings if reading.part.kind == "nvlink"]
    if len({gpu_label(reading) for reading in links}) == 1 and len(links) == len(readings):
        return f"NVLink {listed([reading.part.name.partition('/')[2] for reading in links])}"
    return "all NVLinks" if not links else counted(len(links), "NVLink")


def _short(short: Sequence[Short]) -> Finding:
    readings = [each.reading for each in short]
    number, others = min((each.links, each.others) for each in short)
    return finding(
        "nvlink-down",
        f"{gpus_at(readings)}: {counted(number, 'NVLink')}, and {others} of the other GPUs",
        severity="warning",
        confidence="possible",
        evidence=[
            line_evidence(each.reading.ref, observed=counted(each.links, "link"), expected=str(each.others))
            for each in short[:4]
        ],
        suspects=gpu_suspects(readings),
        remedy=[READ_NVLINKS, RESET_AND_TEST],
        references=[NVIDIA_SMI],
    )


def _finding(what: str, readings: Sequence[Reading], severity: Severity, confidence: Confidence) -> Finding:
    grave = severity == "error"
    return finding(
        "nvlink-down",
        what,
        severity=severity,
        confidence=confidence,
        evidence=reading_evidence(readings, expected="on"),
        suspects=gpu_suspects(readings),
        explains=("nvls-unavailable", "p2p-disabled", "busbw-below-expected") if grave else (),
        remedy=[READ_NVLINKS, RESET_AND_TEST],
        references=[NVIDIA_SMI],
    )
