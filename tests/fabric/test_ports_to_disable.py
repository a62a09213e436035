"""The command that ``slowlink act --ports`` prints, run in a simulated fabric by the real ibportstate: it names the port
that was meant, and disables the link that is at fault."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import slowlink
from fabric.simulated import Fabric, simulated, topology
from slowlink.report.acting.words import ports_text
from slowlink.workflows.acting.fabric_ports import ports_at_fault

pytestmark = [pytest.mark.ibsim, pytest.mark.usefixtures("ibsim_possible")]
PRINTED = re.compile(r"^ +disable +(ibportstate \d+ \d+ disable)$", re.MULTILINE)


@pytest.fixture(scope="module")
def fabric(ibsim_possible: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    with simulated(tmp_path_factory.mktemp("ibsim"), topology()) as made:
        yield made


def down(fabric: Fabric) -> set[str]:
    """Ports of switches that have no link now, of those that should: ``leaf1/6``."""
    found, switch = set(), ""
    for line in fabric.ask("iblinkinfo").splitlines():
        if head := re.match(r"Switch: \S+ (\w+):", line):
            switch = head[1]
        elif (row := re.match(r"\s+\d+\s+(\d+)\[.*Disabled", line)) is not None:
            found.add(f"{switch}/{row[1]}")
    return found


def test_what_is_printed_disables_the_link_at_fault_and_no_other(fabric: Fabric, tmp_path: Path) -> None:
    before = fabric.collect()
    fabric.command(
        'PerformanceSet "leaf1"[6] PortCounters.PortRcvErrors=570',
        'PerformanceSet "node03"[1] PortCounters.SymbolErrorCounter=120',
    )
    (tmp_path / "node00.txt").write_text(before + fabric.collect())
    ports = ports_at_fault(slowlink.analyze(tmp_path / "node00.txt"), "error")
    assert {each.link for each in ports} == {"leaf1/6 - spine0/4", "node03/1 - leaf0/4"}
    printed = PRINTED.findall(ports_text(ports))
    assert len(printed) == 2
    assert down(fabric) == set()
    for each in ports:
        assert f"# Port info: Lid {each.lid} port {each.port}" in fabric.ask(
            "ibportstate", str(each.lid), str(each.port), "query"
        )
    for command in printed:
        fabric.ask(*command.split())
    assert down(fabric) == {"leaf1/6", "leaf0/4"}
