"""What somebody says of a job in a sentence is told from conditions, questions, repairs and lines of programs."""

from __future__ import annotations

import pytest

from slowlink.model.source import Line
from slowlink.parsers.complaints.told_trouble import ToldTrouble


def _told(text: str) -> list[str]:
    parser = ToldTrouble()
    if parser.wants(text):
        parser.feed(Line(source="mail.txt", no=1, text=text))
    return [seen.value for seen in parser.finish()]


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("Our all_reduce is very slow between the two nodes, any ideas?", "slow"),
        ("Since Monday the training got 2x slower on this node.", "slow"),
        ("NCCL bandwidth dropped from 390 to 90 GB/s after the update.", "slow"),
        ("all_reduce is half of what it was in the morning", "slow"),
        ("NCCL is only half of what it should be. Help?", "slow"),
        ("Why is my `all_reduce` so slow on two nodes?", "slow"),
        ("The job hangs in the first collective and does not print a thing", "hanging"),
        ("Our job hangs right after the start if we use all four GPUs, with two it works.", "hanging"),
        ("The all_reduce is too slow as soon as messages would fill a page.", "slow"),
        ("After an hour it always gets stuck.", "hanging"),
        ("The job looks stuck since 40 minutes.", "hanging"),
        ("4x A100 PCIe behind two switches, and every NCCL job hangs at the first collective.", "hanging"),
        ("2 servers of us, and the training hangs since the update", "hanging"),
        ("Our job doesn't hang, it crashes after ten minutes.", "crashing"),
        ("之前没有问题，现在两台机器的 all_reduce 很慢：", "slow"),
        ("训练跑到一半就卡住了，为什么？", "hanging"),
        ("单机正常。多机的带宽只有预期的一半，一直上不去", "slow"),
    ],
)
def test_trouble_is_told(text: str, how: str) -> None:
    assert _told(text) == [how]


@pytest.mark.parametrize(
    "text",
    [
        "If the training hangs, look at the GPUs first.",
        "Is all_reduce slow on PCIe cards in general?",
        "The training does not hang any more.",
        "The job was slow last week, now all is well.",
        "Our training never gets slow on these nodes.",
        "[rank0] WARNING: this training is slow, use a fast tokenizer",
        "2026-11-02 10:00:01 INFO the step is slow on this rank",
        "node07:4000:4100 [0] NCCL INFO the network is slow today here",
        "# the benchmark is slow on purpose here",
        "slow job",
        "every rank hangs where one is lost",
        "The job would be slow without GPUDirect RDMA.",
        "如果多机训练的带宽低，请先检查网卡",
        "升级以后训练不会卡住，速度也不慢",
        "之前训练很慢，现在已经解决",
        "带宽低",
        "2026-11-02 10:00:01 训练速度很慢，请检查数据",
    ],
)
def test_nothing_is_told(text: str) -> None:
    assert _told(text) == []
