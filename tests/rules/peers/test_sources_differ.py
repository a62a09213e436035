"""Sound parts of sources that name no node are no health where they differ in what nodes share."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.report import Report
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of


def port(number: int = 1, *, firmware: str = "28.39.1002", rate: int = 400, layer: str = "InfiniBand") -> str:
    return (
        f"CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: {firmware}\n"
        f"\tNode GUID: 0xa088c20300aa000{number}\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n"
        f"\t\tRate: {rate}\n\t\tLink layer: {layer}\n"
    )


def gpu(number: int = 1, *, driver: str = "550.54.15", clock: int = 1980, ecc: str = "Enabled") -> str:
    return f"""\
==============NVSMI LOG==============

Driver Version                            : {driver}
CUDA Version                              : 12.4

Attached GPUs                             : 1
GPU 00000000:1B:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    GPU UUID                              : GPU-0000000{number}-1111-2222-3333-444444444444
    Applications Clocks
        Graphics                          : {clock} MHz
    Clocks Event Reasons
        HW Slowdown                       : Not Active
    ECC Mode
        Current                           : {ecc}
    ECC Errors
        Volatile
            SRAM Uncorrectable            : 0
            DRAM Uncorrectable            : 0
"""


def report(*texts: str, name: str = "try{}.log") -> Report:
    inputs = [Input(name.format(number), None, [text.encode()]) for number, text in enumerate(texts, 1)]
    return report_of(read(inputs, workers=1))


UNLIKE = [
    (port(1), port(2, firmware="28.30.1000")),
    (port(1), port(2, rate=200)),
    (port(1), port(2, layer="Ethernet")),
    (gpu(1), gpu(2, driver="535.54.03")),
    (gpu(1), gpu(2, clock=1200)),
    (gpu(1), gpu(2, ecc="Disabled")),
]


@pytest.mark.parametrize(("first", "second"), UNLIKE)
def test_whatever_differs_no_such_sources_are_healthy(first: str, second: str) -> None:
    for given in ((first, second), (second, first), (first + second,), (second + first,)):
        found = report(*given)
        assert found.verdict == "inconclusive"
        assert "sources-differ" in [each.cause for each in found.diagnoses]


@pytest.mark.parametrize("text", [port, gpu])
def test_such_sources_that_are_alike_are(text) -> None:  # type: ignore[no-untyped-def]
    assert report(text(1), text(2), text(3)).verdict == "healthy"
    assert report(text(1) + text(2)).verdict == "healthy"


def test_it_says_who_has_what() -> None:
    found = report(port(1), port(2, rate=200))
    assert found.headline == snapshot(
        "inconclusive: sources that name no node differ: port mlx5_0/1 link rate: 400 in try1.log, 200 in try2.log"
    )


def test_a_part_that_one_source_does_not_show_is_no_difference() -> None:
    assert "sources-differ" not in [each.cause for each in report(port(1), gpu(2)).findings]


def named(*rates: int) -> Report:
    nodes = (f"root@n{number}:~# ibstat\n{port(number, rate=rate)}" for number, rate in enumerate(rates, 1))
    return report(*nodes, name="n{}.log")


def test_of_two_nodes_with_names_neither_is_the_odd_one() -> None:
    found = named(400, 200)
    assert found.verdict == "inconclusive"
    assert found.headline == snapshot("inconclusive: nodes differ: port mlx5_0/1 link rate: 400 in n1, 200 in n2")
    assert named(400, 400).verdict == "healthy"


def test_with_three_the_odd_one_is_known() -> None:
    found = named(400, 400, 200)
    assert found.verdict == "degraded"
    assert "sources-differ" not in [each.cause for each in found.findings]
