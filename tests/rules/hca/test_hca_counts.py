"""HCAs that somebody counted, against peers and the machine that the node says it is."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from state_proofs import proofs_of
from text_findings import findings_of, said

RULE = "hca-counts"


def node(host: str, hcas: int, *lines: str) -> str:
    prompt = f"[root@{host} ~]# "
    return "".join(f"{line}\n" for line in (f"{prompt}ls /sys/class/infiniband | wc -l", hcas, *lines))


def asked(host: str, kind: str) -> str:
    return f"[root@{host} ~]# curl -s http://169.254.169.254/latest/meta-data/instance-type; echo\n{kind}\n"


def test_fewer_than_the_machine_that_the_node_says_it_is() -> None:
    assert said(RULE, asked("gpu07", "p5.48xlarge") + node("gpu07", 30)) == snapshot(
        [("hca-missing", "error", "likely", "gpu07: 30 of 32 HCAs (AWS p5.48xlarge has 32)")]
    )
    assert said(RULE, asked("gpu07", "p5.48xlarge") + node("gpu07", 32)) == []
    assert proofs_of(RULE, asked("gpu07", "p5.48xlarge") + node("gpu07", 32)) == snapshot(
        [("gpu07: all HCAs are there: 32", 0)]
    )


@pytest.mark.parametrize(
    ("named", "hcas"),
    [
        ("p4d.24xlarge", 4),
        ("p4de.24xlarge", 4),
        ("p5e.48xlarge", 32),
        ("p5en.48xlarge", 16),
        ("p6-b200.48xlarge", 8),
        ("Standard_ND96isr_H100_v5", 8),
        ("Standard_ND96amsr_A100_v4", 8),
        ("BM.GPU.H100.8", 16),
        ("a3-ultragpu-8g", 8),
    ],
)
def test_machines_of_clouds(named: str, hcas: int) -> None:
    text = asked("gpu07", named)
    assert [entry[:3] for entry in said(RULE, text + node("gpu07", hcas - 1))] == [("hca-missing", "error", "likely")]
    assert findings_of(RULE, text + node("gpu07", hcas)) == ()
    assert findings_of(RULE, text + node("gpu07", hcas + 1)) == ()


@pytest.mark.parametrize(
    "line",
    [
        '  "instanceType" : "p5.48xlarge",',
        "                    node.kubernetes.io/instance-type=p5.48xlarge",
        "\tProduct Name: p5.48xlarge",
    ],
)
def test_other_ways_to_say_it(line: str) -> None:
    assert [entry[:3] for entry in said(RULE, node("gpu07", 24, line))] == [("hca-missing", "error", "likely")]


def test_a_sentence_may_be_about_another_machine() -> None:
    text = "We moved from on-premise to p5.48xlarge last week.\n" + node("gpu07", 24)
    assert [entry[:3] for entry in said(RULE, text)] == [("hca-missing", "warning", "possible")]
    two = "p5.48xlarge\np4d.24xlarge\n" + node("gpu07", 3)
    assert [entry[0] for entry in said(RULE, two)] == ["hardware-unknown"]


def test_fewer_than_most_nodes() -> None:
    nodes = [node(f"gpu0{n}", count) for n, count in enumerate((10, 10, 9, 10), 1)]
    assert said(RULE, *nodes) == snapshot(
        [("hca-missing", "error", "likely", "gpu03: 9 of 10 HCAs (most of 4 nodes have 10)")]
    )


def test_two_nodes_that_differ() -> None:
    assert said(RULE, node("gpu01", 10), node("gpu02", 9)) == snapshot(
        [
            ("node-differs", "warning", "certain", "gpu01 has 10 HCAs, gpu02 has 9 HCAs"),
            (
                "hardware-unknown",
                "info",
                "certain",
                "gpu[01-02]: 9 or 10 HCAs were counted, and nothing says how many there should be; to settle it, say which system it is (--system)",
            ),
        ]
    )


def test_a_count_that_nobody_can_judge_is_no_health() -> None:
    assert said(RULE, node("gpu07", 10)) == snapshot(
        [
            (
                "hardware-unknown",
                "info",
                "certain",
                "gpu07: 10 HCAs were counted, and nothing says how many there should be; to settle it, say which system it is (--system)",
            )
        ]
    )
    ibstat = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n"
    assert findings_of(RULE, node("gpu07", 10, "[root@gpu07 ~]# ibstat") + ibstat) == ()


def test_no_device_at_all_is_said_though_nobody_knows_whether_there_should_be_one() -> None:
    text = "[root@gn-07 ~]# ls /sys/class/infiniband\nls: cannot access '/sys/class/infiniband': No such file or directory\n"
    assert said("hca-counts", text) == [
        (
            "hca-missing",
            "warning",
            "possible",
            "gn-07: there is no RDMA device, and nothing says that there should be one",
        )
    ]
