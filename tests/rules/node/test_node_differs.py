from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def cluster(values: dict[str, int]) -> str:
    return "".join(
        f"[root@{node} ~]# grep -H . /proc/sys/kernel/numa_balancing\n/proc/sys/kernel/numa_balancing:{value}\n"
        for node, value in values.items()
    )


MOST = {f"gpu{number:02}": 0 for number in range(1, 15)}


def test_names_who_stands_alone_and_what_the_others_say() -> None:
    assert said("node-differs", cluster({**MOST, "gpu07": 1, "gpu12": 1})) == snapshot(
        [("node-differs", "info", "certain", "automatic NUMA balancing: 12 of 14 nodes say off, gpu[07,12] say on")]
    )


def test_a_divided_cluster_has_no_minority() -> None:
    assert findings_of("node-differs", cluster({"a": 0, "b": 1})) == ()
    assert findings_of("node-differs", cluster({"a": 0, "b": 1, "c": 0, "d": 1})) == ()


def test_equal_nodes_and_a_single_node_are_silent() -> None:
    assert findings_of("node-differs", cluster(MOST)) == ()
    assert findings_of("node-differs", cluster({"a": 1})) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("node-differs", cluster({**MOST, "gpu07": 1, "gpu12": 1})) == snapshot(
        [[("Set the odd nodes like the others, or measure without them.", "")]]
    )
