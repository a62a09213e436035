from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said
from whole_inputs import checked

RULE = "counts-differ"


def gathered(question: str, **numbers: int) -> str:
    return f"$ clush -w gpu[01-09] '{question}'\n" + "".join(f"{node}: {number}\n" for node, number in numbers.items())


def test_a_node_with_one_hca_fewer_is_named() -> None:
    (found,) = findings_of(
        RULE, gathered('lspci | grep -c "Infiniband controller"', gpu01=8, gpu02=8, gpu03=7, gpu04=8)
    )
    assert (found.cause, found.severity, found.message, found.suspects[0].name) == snapshot(
        (
            "hca-missing",
            "error",
            "gpu03: 7 of 8 HCAs ('lspci | grep -c \"Infiniband controller\"': 7, 8 on 3 nodes)",
            "gpu03",
        )
    )
    assert [(evidence.text, evidence.expected) for evidence in found.evidence] == snapshot([("7", "8")])


@pytest.mark.parametrize(
    "question",
    [
        "lspci -d 15b3: | wc -l",
        "ls /dev/infiniband/uverbs* | wc -l",
        "ibv_devices | grep -c mlx5",
        "rdma link | wc -l",
        "cat /sys/class/infiniband/*/ports/1/rate | wc -l",
        "lsmod | grep -c mlx5",
    ],
)
def test_questions_that_are_compared(question: str) -> None:
    assert len(said(RULE, gathered(question, a1=9, a2=9, a3=9, a4=8))) == 1


def test_what_devices_each_question_counts() -> None:
    causes = {}
    for question in ("nvidia-smi -L | wc -l", "lspci -d 10de: | wc -l", "lspci -d 15b3: | wc -l", "lsmod | wc -l"):
        causes[question] = [entry[0] for entry in said(RULE, gathered(question, a1=9, a2=9, a3=9, a4=8))]
    assert causes == snapshot(
        {
            "nvidia-smi -L | wc -l": [],
            "lspci -d 10de: | wc -l": ["gpu-missing"],
            "lspci -d 15b3: | wc -l": ["hca-missing"],
            "lsmod | wc -l": ["node-differs"],
        }
    )


def test_more_than_the_others_is_no_loss() -> None:
    assert [entry[:3] for entry in said(RULE, gathered("lspci -d 15b3: | wc -l", a1=8, a2=8, a3=8, a4=9))] == snapshot(
        [("node-differs", "warning", "possible")]
    )


@pytest.mark.parametrize(
    "numbers",
    [
        {"a1": 8, "a2": 8, "a3": 8},
        {"a1": 8, "a2": 7},
        {"a1": 8, "a2": 8, "a3": 7, "a4": 7},
    ],
    ids=["alike", "two nodes", "no majority"],
)
def test_nobody_is_odd(numbers: dict[str, int]) -> None:
    assert said(RULE, gathered("lspci -d 15b3: | wc -l", **numbers)) == []


@pytest.mark.parametrize("question", ["dmesg | wc -l", "ps aux | wc -l", "cat /var/log/messages | wc -l"])
def test_what_differs_by_nature_is_not_compared(question: str) -> None:
    assert said(RULE, gathered(question, a1=800, a2=800, a3=800, a4=700)) == []


def test_fewer_ports_in_a_state_are_no_missing_devices() -> None:
    question = 'ibstat | grep -c "State: Initializing"'
    assert [entry[0] for entry in said(RULE, gathered(question, a1=2, a2=2, a3=2, a4=1))] == snapshot(["node-differs"])


def test_the_odd_node_is_not_among_those_that_are_alike() -> None:
    ruler = "-" * 15
    text = f"$ clush -bw gpu[01-04] 'lspci -d 15b3: | wc -l; nvidia-smi -L | wc -l'\n{ruler}\ngpu[01-03] (3)\n{ruler}\n8\n8\n"
    shown = checked(f"{text}{ruler}\ngpu04\n{ruler}\n7\n8\n")
    assert [proof.message for proof in shown.proofs] == snapshot(
        ["4 nodes have 8 GPUs each", "3 nodes are alike in all that was compared"]
    )


def test_below_headings_of_nodes_each_has_all_its_numbers_or_none() -> None:
    ruler = "-" * 15
    question = "$ clush -bw gpu[01-04] 'lspci -d 15b3: | wc -l; lsmod | wc -l'\n"
    whole = f"{question}{ruler}\ngpu[01-03] (3)\n{ruler}\n8\n140\n{ruler}\ngpu04\n{ruler}\n7\n140\n"
    assert [entry[3] for entry in said(RULE, whole)] == snapshot(
        ["gpu04: 7 of 8 HCAs ('lspci -d 15b3: | wc -l': 7, 8 on 3 nodes)"]
    )
    cut = f"{question}{ruler}\ngpu[01-03] (3)\n{ruler}\n8\n140\n{ruler}\ngpu04\n{ruler}\n140\n"
    assert said(RULE, cut) == []
