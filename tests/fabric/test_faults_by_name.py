"""Faults of a simulated fabric, asked by slowlink's own collectors with the real tools, are found by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import slowlink
from fabric.simulated import Fabric, simulated, topology
from slowlink.model.report import Report

pytestmark = [
    pytest.mark.ibsim,
    pytest.mark.usefixtures("ibsim_possible"),
    pytest.mark.xdist_group("fabric"),  # one fabric for all
]


@pytest.fixture(scope="module")
def fabric(ibsim_possible: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    with simulated(tmp_path_factory.mktemp("ibsim"), topology()) as made:
        yield made


def analyzed(tmp_path: Path, *texts: str) -> Report:
    source = tmp_path / "node00.txt"
    source.write_text("".join(texts))
    return slowlink.analyze(source)


def found(report: Report) -> dict[str, tuple[str, set[str]]]:
    """Cause -> severity and the names of its suspects."""
    return {d.cause: (d.severity, {suspect.name for suspect in d.suspects}) for d in report.diagnoses}


def test_a_healthy_fabric_is_clean(fabric: Fabric, tmp_path: Path) -> None:
    report = analyzed(tmp_path, fabric.collect())
    assert (report.verdict, found(report)) == ("healthy", {})
    assert report.facts["fabric_link_rates"] == {"4xHDR": 32}
    assert report.facts["fabric_switches_seen"] == 6
    assert report.facts["fabric_hosts_seen"] == 16
    assert report.inputs[0].unread == 0


def test_growing_symbol_errors_are_found_at_their_port(fabric: Fabric, tmp_path: Path) -> None:
    before = fabric.collect()
    fabric.command(
        'PerformanceSet "node03"[1] PortCounters.SymbolErrorCounter=120',
        'PerformanceSet "leaf1"[6] PortCounters.PortRcvErrors=57',
    )
    after = fabric.collect()
    fabric.command(
        'PerformanceSet "node03"[1] PortCounters.SymbolErrorCounter=0',
        'PerformanceSet "leaf1"[6] PortCounters.PortRcvErrors=0',
    )
    grown = found(analyzed(tmp_path, before, after))
    assert grown == {"link-errors": ("error", {"node03/1", "leaf1/6", "node03"})}
    only_once = found(analyzed(tmp_path, after))
    assert only_once["link-errors"][0] == "warning"
    assert "node03/1" in only_once["link-errors"][1]


def test_a_link_that_went_down_is_found_at_both_ends(fabric: Fabric, tmp_path: Path) -> None:
    before = fabric.collect()
    fabric.command('Unlink "leaf2"[5]', 'Unlink "leaf1"[4]')
    after = fabric.collect()
    fabric.command('ReLink "leaf2"[5]', 'ReLink "leaf1"[4]')
    names = {"leaf2/5", "spine0/5", "leaf1/4", "node07/1", "node07"}
    compared = found(analyzed(tmp_path, before, after))
    assert compared.keys() == {"port-down"}
    assert compared["port-down"][0] == "error"
    assert compared["port-down"][1] >= names
    alone = found(analyzed(tmp_path, after))
    assert alone["port-down"] == ("error", {"leaf2/5", "leaf1/4"})


def test_degraded_links_are_found_from_what_both_ends_support(ibsim_possible: None, tmp_path: Path) -> None:
    slow = {("leaf2", 2): "4xEDR", ("leaf1", 7): "1xHDR"}
    with simulated(tmp_path, topology(slow)) as fabric:
        text = fabric.collect()
        listed = fabric.ask("ibnetdiscover")
    expected = {"node09/1", "leaf2/2", "leaf1/7", "spine1/3", "node09"}
    assert found(analyzed(tmp_path, text)) == {"port-rate-low": ("error", expected)}
    assert found(analyzed(tmp_path, listed))["port-rate-low"][1] >= {"leaf1/7", "spine1/3"}


def test_a_subnet_without_manager_is_told(ibsim_possible: None, tmp_path: Path) -> None:
    with simulated(tmp_path, topology(), managed=False) as fabric:
        text = fabric.collect()
    report = analyzed(tmp_path, text)
    assert report.verdict in ("degraded", "broken")
    assert report.diagnoses[0].cause == "subnet-manager-missing"


def test_every_tool_is_read_to_the_last_line(fabric: Fabric, tmp_path: Path) -> None:
    for argv in (
        ("ibnetdiscover",),
        ("ibnetdiscover", "-p"),
        ("ibnetdiscover", "-l"),
        ("ibnetdiscover", "-f"),
        ("iblinkinfo", "-l"),
        ("iblinkinfo", "--switches-only"),
        ("ibqueryerrors", "--details", "--data", "--report-port"),
        ("perfquery", "-x", "2", "1"),
        ("perfquery", "-a", "2"),
        ("saquery", "SMIR"),
        ("saquery", "NR"),
    ):
        report = analyzed(tmp_path, fabric.ask(*argv))
        (source,) = report.inputs
        assert (argv, source.unread, source.lines > 0) == (argv, 0, True)
        assert report.verdict in ("healthy", "inconclusive")
