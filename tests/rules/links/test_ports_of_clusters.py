"""Clusters with one planted fault of a port: it is found on its node, by its name, and nothing else is."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from port_texts import node, port

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.report import Finding
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import Rule, discover, run

MINE = [
    "port-not-active",
    "port-unconfigured",
    "port-rate-differs",
    "gid-tables",
    "gid-tables-differ",
    "partition-mismatch",
    "mtu-mismatch",
    "link-errors-growing",
    "link-downs-growing",
    "hca-missing",
    "fabric-congestion",
]
COUNTERS = "/sys/class/infiniband/{}/ports/1/counters"
FAULTS = ("port-down", "subnet-manager-missing", "port-rate-low", "link-errors", "link-flapping", "hca-missing")


@cache
def rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in discover() if rule.id in MINE)


def hca(name: str, fault: str, later: bool) -> list[str]:
    """One HCA with its port and counters, at the first or the second reading."""
    if fault == "hca-missing":
        return []
    state = {"port-down": "1: DOWN", "subnet-manager-missing": "2: INIT"}.get(fault, "4: ACTIVE")
    rate = {"port-down": "10", "port-rate-low": "200"}.get(fault, "400")
    symbols = 65535 if fault != "link-errors" else 40 + later
    downs = 3 if fault != "link-flapping" else 3 + later
    folder = COUNTERS.format(name)
    return [
        *port(name, state, rate, sm_lid="0x1", lid="0x4"),
        f"{folder}/symbol_error:{symbols}",
        f"{folder}/link_downed:{downs}",
        f"{folder}/port_xmit_wait:{123456 * (1 + later)}",
        f"/sys/class/infiniband/{name}/ports/1/pkeys/0:0xffff",
    ]


def cluster(nodes: int, hcas: int, fault: str, at: tuple[int, int]) -> str:
    return "".join(
        node(n, *(line for h in range(hcas) for line in hca(f"mlx5_{h}", fault if (n, h) == at else "", later)))
        for later in (False, True)
        for n in range(nodes)
    )


def found(text: str) -> tuple[Finding, ...]:
    checked = run(assemble(read([Input("session.txt", None, [text.encode()])], workers=1)), None, rules=rules())
    assert [outcome for outcome in checked.outcomes if outcome.outcome == "broken"] == []
    return checked.findings


@given(st.integers(1, 5), st.integers(1, 8))
@settings(max_examples=15, deadline=None)
def test_a_sound_cluster_gives_nothing(nodes: int, hcas: int) -> None:
    alone_with_seven = nodes < 3 and hcas == 7
    assert {f.severity for f in found(cluster(nodes, hcas, "", (0, 0)))} <= ({"warning"} if alone_with_seven else set())


@given(st.sampled_from(FAULTS), st.integers(3, 5), st.integers(2, 4), st.data())
@settings(max_examples=40, deadline=None)
def test_one_fault_is_found_where_it_is(fault: str, nodes: int, hcas: int, data: st.DataObject) -> None:
    at = data.draw(st.tuples(st.integers(0, nodes - 1), st.integers(0, hcas - 1)))
    (only,) = found(cluster(nodes, hcas, fault, at))
    names = {(s.kind, s.name) for s in only.suspects}
    assert only.cause == fault
    assert only.severity in ("error", "critical")
    assert {name for kind, name in names if kind == "node"} == {f"gpu{at[0]:02}"}
    assert any(f"mlx5_{at[1]}" in name for kind, name in names if kind in ("port", "hca"))
