"""Hardware that the log does not name: the standard configuration that explains what was measured.

NIC sets double from one standard node to the next (1 x 100 to 16 x 400 Gb/s), so the healthy bands of neighbours hardly
overlap: a plateau inside a band says what the node must have at least; one between two bands fits no healthy
standard node. Either way the report says that it assumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from slowlink.catalog.gpus import all_gpus
from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Case
from slowlink.model.facts import Hardware, NicGroup
from slowlink.patterns import regex

_NICS = tuple(
    NicGroup(count, rate)
    for rate, counts in ((100, (1, 2, 4, 8)), (200, (1, 2, 4, 8)), (400, (1, 2, 4, 8, 16)))
    for count in counts
)
_GPUS = ("v100-sxm", "a100-sxm", "h100-sxm", "b200", "mi300x")
"""One of each class of links, oldest first."""
_ABOVE = 1.01
"""A bound may be passed by what rounding and link constants leave open, not by more: the next larger network fits."""
_RACK = 72
"""GPUs of a rack that NVLink joins (NVL72)."""
LEAST = NicGroup(1, 100)
"""The least network that nodes with linked data-centre GPUs are built with."""
LEAST_SLINGSHOT = NicGroup(1, 200, "Slingshot")
_CRAY_HOST = regex(r"x\d+c\d+s\d+b\d+n\d+\Z")
"""Nodes of HPE Cray EX are named by cabinet, chassis, slot, board and node; their network is Slingshot, 200 Gb/s a
NIC."""


def assumed(case: Case, measured_gbs: float, subject: str) -> Prediction | None:
    """The prediction of the smallest network in whose healthy band ``measured_gbs`` lies; of equal networks, the one
    whose typical value is nearest. None when it lies in no band. What ``case.hardware`` knows (GPU, NICs) stays.
    """
    fitting = [
        prediction
        for prediction in _candidates(case, subject)
        if prediction.warn <= measured_gbs <= _ABOVE * prediction.expected.high
    ]
    return min(fitting, key=lambda p: (p.network_gbs or 0.0, _distance(p, measured_gbs)), default=None)


def least(case: Case, subject: str, hosts: Sequence[str] = ()) -> Prediction | None:
    """What the smallest standard network would give; None where no network is involved or it is known, and for cards
    without links, which stand in machines with any Ethernet.

    A network falls short of so low a bound at any scale, so that the band is not widened with the nodes.
    """
    if case.nnodes < 2 or case.hardware.nics or _is_plain_card(case.hardware.gpu):
        return None
    cray = bool(hosts) and all(_CRAY_HOST.match(host) for host in hosts)
    gpu = case.hardware.gpu or _GPUS[0]
    hardware = _with(case.hardware, gpu, LEAST_SLINGSHOT if cray else LEAST)
    prediction = predict(replace(case, hardware=hardware), subject)
    if not isinstance(prediction, Prediction):
        return None
    return replace(prediction, expected=replace(prediction.expected, low=prediction.chosen.fail))


def _is_plain_card(gpu: str | None) -> bool:
    known = all_gpus().get(gpu or "")
    return known is not None and known.fabric in ("none", "bridge")


def _distance(prediction: Prediction, measured_gbs: float) -> float:
    return abs(math.log(measured_gbs / prediction.expected.value))


def _candidates(case: Case, subject: str) -> Iterator[Prediction]:
    gpus = (case.hardware.gpu,) if case.hardware.gpu is not None else _GPUS
    networks: tuple[NicGroup | None, ...] = _NICS if case.nnodes > 1 and not case.hardware.nics else (None,)
    for gpu in gpus:
        for nics in networks:
            for domain in _domains(case, gpu):
                hardware = _with(case.hardware, gpu, nics)
                prediction = predict(replace(case, hardware=hardware, nvlink_domain=domain), subject)
                if isinstance(prediction, Prediction):
                    yield prediction


def _domains(case: Case, gpu: str) -> tuple[int | None, ...]:
    """How many GPUs NVLink may join: of racks that it spans the log rarely tells whether it does."""
    spans = all_gpus()[gpu].nvls_cap_gbs is not None and case.hardware.system is None
    if not spans or case.nnodes < 2 or case.nvlink_domain is not None:
        return (case.nvlink_domain,)
    return (min(case.nranks, _RACK), case.ranks_per_node)


def _with(hardware: Hardware, gpu: str, nics: NicGroup | None) -> Hardware:
    added = [] if hardware.gpu else [f"a GPU of the class {gpu}"]
    if nics is not None:
        added.append(f"{nics.count} x {nics.rate_gbit:g} Gb/s")
    basis = f"assumed: {' and '.join(added)}, which the log does not say"
    return replace(
        hardware,
        gpu=gpu,
        nics=(nics,) if nics is not None else hardware.nics,
        basis="; ".join(part for part in (hardware.basis, basis) if part),
    )
