from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import analyze


def told(text: str) -> list[tuple[str | None, str, object]]:
    found = read([Input("t", None, [text.encode()])], workers=1).readings
    return [(r.host, r.attribute, r.value) for r in found if r.attribute in ("numa-balancing", "zone-reclaim")]


LOOP = "for h in $(cat hosts); do printf \"$h \"; ssh $h 'sysctl -n kernel.numa_balancing net.core.rmem_max; uname -r' | xargs; done\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "$ sysctl -n kernel.numa_balancing vm.zone_reclaim_mode\n1\n0\n7\n",
            [(None, "numa-balancing", True), (None, "zone-reclaim", False)],
        ),
        ("$ sudo sysctl --values kernel/numa_balancing\n0\n", [(None, "numa-balancing", False)]),
        (
            LOOP + "gpu01 0 212992 5.14.0\ngpu02 1 212992 5.14.0\n",
            [("gpu01", "numa-balancing", False), ("gpu02", "numa-balancing", True)],
        ),
        (
            "$ pdsh -w gpu[01-02] sysctl -n kernel.numa_balancing\ngpu01: 0\ngpu02: 1\n",
            [("gpu01", "numa-balancing", False), ("gpu02", "numa-balancing", True)],
        ),
        # of several numbers, or nobody's
        ("$ sysctl -n net.ipv4.tcp_rmem kernel.numa_balancing\n4096 87380 6291456\n1\n", []),
        ("$ for h in $(cat hosts); do ssh $h sysctl -n kernel.numa_balancing; done\n0\n1\n", []),
        ("$ sysctl -n kernel.numa_balancing\nsysctl: permission denied\n1\n", []),
        ("$ sysctl -n kernel.numa_balancing\n4711\n", []),
        ("$ sysctl -w kernel.numa_balancing=0\n1\n", []),
    ],
)
def test_values_by_the_names_that_were_asked_for(text: str, expected: list[tuple[str | None, str, object]]) -> None:
    assert told(text) == expected


def test_one_node_that_balances_is_told_and_nodes_that_do_not_are_no_alarm() -> None:
    rows = "".join(f"gpu{n:02} 0 212992 5.14.0\n" for n in range(1, 5))
    sick, well = (analyze((LOOP + text).encode()) for text in (rows.replace("gpu03 0", "gpu03 1"), rows))
    assert [d.cause for d in sick.diagnoses][:1] == ["numa-balancing-on"]
    assert [d.cause for d in well.diagnoses] == []


@given(
    st.permutations(["kernel.numa_balancing", "vm.zone_reclaim_mode", "net.core.rmem_max", "vm.swappiness"]),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4),
)
def test_the_order_of_the_names_is_that_of_the_values(names: list[str], nodes: list[tuple[int, int]]) -> None:
    asked = 'for h in $(cat hosts); do echo -n "$h "; ssh $h sysctl -n ' + " ".join(names) + " | xargs; done\n"
    value = [{"kernel.numa_balancing": numa, "vm.zone_reclaim_mode": zone} for numa, zone in nodes]
    rows = "".join(
        f"node{n} {' '.join(str(values.get(name, 212992)) for name in names)}\n" for n, values in enumerate(value)
    )
    expected = {(f"node{n}", "numa-balancing", numa != 0) for n, (numa, _) in enumerate(nodes)}
    expected |= {(f"node{n}", "zone-reclaim", zone != 0) for n, (_, zone) in enumerate(nodes)}
    assert set(told(asked + rows)) == expected


@given(
    st.lists(st.sampled_from(["$ sysctl -n kernel.numa_balancing", "1", "gpu01 1", "x", "", "sysctl -n "]), max_size=8)
)
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert all(isinstance(value, bool) for _, _, value in told("\n".join(lines)))
