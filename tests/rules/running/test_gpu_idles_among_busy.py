"""One idle GPU among busy ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from state_proofs import on_nodes
from text_findings import findings_of, remedies_of, said

RULE = "gpu-idles-among-busy"


def used(*percent: int) -> str:
    head = "index, utilization.gpu [%]\n"
    return head + "".join(f"{gpu}, {each} %\n" for gpu, each in enumerate(percent))


def test_the_one_that_idles() -> None:
    text = on_nodes(node03=used(98, 99, 0, 97), node04=used(98, 99, 96, 97))
    assert said(RULE, text) == snapshot(
        [
            (
                "straggler-gpu",
                "warning",
                "possible",
                "node03 GPU 2: 0 % busy where all other GPUs of its node are at their limit: 1 rank may be gone or stand still",
            )
        ]
    )
    assert remedies_of(RULE, text) == snapshot(
        [
            [
                ("See whether a process is on it.", "nvidia-smi pmon -c 1"),
                ("See how its rank ended.", "dmesg -T | grep -e Xid -e NVRM -e oom"),
            ]
        ]
    )


def test_two_that_idle_were_not_asked_for_and_half_busy_peers_do_not_wait() -> None:
    for text in (used(98, 99, 0, 0, 97), used(98, 99, 0), used(98, 60, 0, 97), used(0, 0, 0, 0)):
        assert findings_of(RULE, text) == ()


@given(st.lists(st.integers(0, 100), min_size=1, max_size=12))
def test_it_never_names_a_busy_gpu(percent: list[int]) -> None:
    found = findings_of(RULE, used(*percent))
    named = [suspect.name for each in found for suspect in each.suspects]
    assert all(percent[int(name.removeprefix("GPU "))] <= 5 for name in named)
    assert len(named) <= 1
