"""A port that cut off its device, and the GPU that is gone, are one fault; a port elsewhere has its own."""

from __future__ import annotations

import pytest
from text_findings import diagnoses_of

FELL = (
    "Nov  1 04:11:03 gpu07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.\n"
)
CUT = "Nov  1 04:11:02 {host} kernel: pcieport {port}: DPC: containment event, status:0x1f01 source:0x0000\n"


def roots(*lines: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(found.cause, found.explains) for found in diagnoses_of("".join(lines))]


def test_the_port_above_saw_the_same_loss_from_its_end() -> None:
    assert roots(CUT.format(host="gpu07", port="0000:37:01.0"), FELL) == [("gpu-missing", ("pcie-errors",))]


@pytest.mark.parametrize(
    ("host", "port"), [("gpu07", "0000:c7:01.0"), ("gpu07", "0001:37:01.0"), ("gpu08", "0000:37:01.0")]
)
def test_a_port_that_cannot_stand_above_the_gpu_is_not_explained_by_it(host: str, port: str) -> None:
    found = roots(CUT.format(host=host, port=port), FELL)
    assert all("pcie-errors" not in explains for _, explains in found)
    assert "pcie-errors" in [cause for cause, _ in found]


def test_a_second_port_elsewhere_keeps_its_own_fault() -> None:
    ports = [CUT.format(host="gpu07", port=port) for port in ("0000:37:01.0", "0000:c7:01.0")]
    assert "pcie-errors" in [cause for cause, _ in roots(*ports, FELL)]
