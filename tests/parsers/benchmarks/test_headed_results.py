"""Tables of nccl-tests below headings that name a part or two nodes."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

import slowlink

ROW = "  {size}     536870912     float     sum      -1    44313   48.46   {busbw:.2f}      0    44357   48.41   {busbw:.2f}      0\n"


def below(headings: dict[str, float], *sizes: int) -> str:
    rows = [
        heading + "\n" + "".join(ROW.format(size=size, busbw=busbw) for size in sizes or (2147483648,))
        for heading, busbw in headings.items()
    ]
    return "# all_reduce_perf, 2 nodes, 8 HCAs\n" + "".join(rows)


def said(text: str) -> list[tuple[str, str]]:
    found = slowlink.analyze(text.encode()).findings
    return [
        (each.cause, each.message) for each in found if each.cause.startswith("straggler") or each.cause == "slow-path"
    ]


RAILS = {f"== mlx5_{index}  gpu {index}": 22.9 if index == 6 else 48.4 for index in range(8)}
GPUS = {f"--- gpu {index} ---": 11.0 if index == 2 else 24.1 for index in range(4)}
NAMES = ("xe-01", "xe-02", "xe-03", "xe-04")
PAIRS = {f"== {a} {b} ==": 204.0 if "xe-04" in (a, b) else 474.0 for a in NAMES for b in NAMES if a < b}


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (RAILS, snapshot([("straggler-nic", "mlx5_6 gives 22.9 GB/s where 7 other HCAs give 48.4")])),
        (GPUS, snapshot([("straggler-gpu", "GPU 2 gives 11 GB/s, the others 24.1")])),
        (
            PAIRS,
            snapshot(
                [
                    (
                        "straggler-node",
                        "xe-04 is slow with 3 of its 3 partners: the table of pairs gives 204.0 GB/s, other pairs 474.0",
                    )
                ]
            ),
        ),
    ],
    ids=["HCAs", "GPUs", "pairs"],
)
def test_the_odd_one(headings: dict[str, float], expected: object) -> None:
    assert said(below(headings)) == expected
    assert said(below(headings, 1073741824, 2147483648)) == expected


@pytest.mark.parametrize(
    "headings",
    [
        dict.fromkeys(RAILS, 48.4),
        {f"== run {index}": busbw for index, busbw in enumerate(RAILS.values())},
        {heading + ", without GDR": busbw for heading, busbw in RAILS.items()},
        dict([*RAILS.items()][5:]),
    ],
    ids=["all alike", "no parts", "more than a part", "three"],
)
def test_nobody_is_odd(headings: dict[str, float]) -> None:
    assert said(below(headings)) == []


def test_only_a_size_that_all_have_is_compared() -> None:
    other = {"== mlx5_0": 48.4, "== mlx5_1": 48.3, "== mlx5_2": 48.5}
    assert said(below(other, 1073741824) + below({"== mlx5_3": 21.0}, 1048576)) == []
