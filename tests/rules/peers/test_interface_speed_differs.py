from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import remedies_of, said

RULE = "interface-speed-differs"


def speeds(*mbit: int, name: str = "ens1f0np0") -> str:
    return "".join(
        f"==== n0{number} ====\nSettings for {name}:\n\tSpeed: {speed}Mb/s\n\tLink detected: yes\n"
        for number, speed in enumerate(mbit, 1)
    )


def test_a_slower_interface_is_named() -> None:
    assert said(RULE, speeds(200000, 200000, 100000, 200000)) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "likely",
                "n03: ens1f0np0 runs at 100 of 200 Gb/s, the speed of this interface on other nodes",
            )
        ]
    )
    assert remedies_of(RULE, speeds(200000, 200000, 100000)) == snapshot(
        [[("See what the link came up with, and what it can do.", "ethtool ens1f0np0")]]
    )


def test_one_that_is_hardly_for_collectives_is_a_warning() -> None:
    assert [found[1:3] for found in said(RULE, speeds(1000, 1000, 100, name="eno1"))] == [("warning", "possible")]


@pytest.mark.parametrize("mbit", [(200000, 200000, 200000), (200000, 100000), (200000, 200000, 100000, 100000)])
def test_no_odd_one(mbit: tuple[int, ...]) -> None:
    assert said(RULE, speeds(*mbit)) == []
