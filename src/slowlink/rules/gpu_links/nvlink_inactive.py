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

ATTRIBUTES = ("nvlink-active", "nvlink-speed", "gpu-nvlinks-inactive", "gpu-name")


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
    if not (sure or unsure or short) and (said := sound(links)) is not None:
        yield Proof(said, reading_evidence(by_attribute(links, "nvlink-active"), most=1), weight=0)


def sound(links: Readings) -> str | None:
    """``8 GPUs: 144 NVLinks active at 26.562 GB/s``; None without active links, with inactive ones, or
    where links are left out."""
    now = latest_of(by_attribute(links, "nvlink-active"))
    inactive = where(now, lambda _, value: value is False)
    if not now or inactive or not all_shown(now, models(links)):
        return None
    speeds = sorted(distinct(latest_of(by_attribute(links, "nvlink-speed")), lambda _, value: f"{value:g}"))
    each = counted(len(now), "NVLink")
    rate = f" at {' and '.join(speeds[:2])} GB/s" if speeds else ""
    return f"{number_of_gpus(now)}: {each} active{rate}"


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
