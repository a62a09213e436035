from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of


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


def alike(*texts: str) -> list[str]:
    records = read([Input(f"t{n}", None, [text.encode()]) for n, text in enumerate(texts)], workers=1)
    return [proof for proof in report_of(records).facts["proofs"] if "alike" in proof]  # type: ignore[attr-defined]


def test_only_nodes_that_answered_are_alike() -> None:
    lost = "#slowlink-transcript 1 m host gpu03 at 1\n#slowlink-frame m lost node at 9: no route to it\n"
    assert alike(cluster({"gpu01": 0, "gpu02": 0}), lost) == ["2 nodes are alike in all that was compared"]
    assert alike(cluster({"gpu01": 0}), lost) == []


def test_a_node_that_told_less_than_its_peers_is_not_alike() -> None:
    more = "".join(f"[root@gpu0{n} ~]# cat\n/proc/sys/vm/zone_reclaim_mode:0\n" for n in (1, 2))
    assert alike(cluster({"gpu01": 0, "gpu02": 0, "gpu03": 0}), more) == [
        "2 nodes are alike in all that was compared; not all is known of gpu03"
    ]


def test_a_setting_that_matters_most_is_an_error_on_the_odd_node() -> None:
    command = '$ pdsh -w hpc[1-4] "mlxconfig -d mlx5_0 q | grep LINK_TYPE_P1"\n'
    rows = "".join(
        f"hpc{number}:    LINK_TYPE_P1        {'ETH(2)' if number == 4 else 'IB(1)'}\n" for number in range(1, 5)
    )
    assert said("node-differs", command + rows) == snapshot(
        [
            (
                "node-differs",
                "error",
                "certain",
                "port mlx5_0/1: link type in the HCA's configuration: 3 of 4 nodes say IB, hpc4 says ETH",
            )
        ]
    )
