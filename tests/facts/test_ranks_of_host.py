"""Ranks of each host, from lists of devices that leave some out."""

from __future__ import annotations

import pytest

from slowlink.facts.placing.ranks_of_host import ranks_of_hosts
from slowlink.model.benchmark import RankDevice
from slowlink.model.source import Ref


def _devices(ranks: str) -> list[RankDevice]:
    """``a0 a7 b8``: host and rank."""
    return [RankDevice(int(each[1:]), each[0], 1, 0, None, None, None, Ref("job.log", 1, "")) for each in ranks.split()]


@pytest.mark.parametrize(
    ("ranks", "numbers"),
    [
        ("a0 a1 b2 b3", {"a": 2, "b": 2}),
        ("a0 a7 b8 b15", {"a": 8, "b": 8}),
        ("a0 b1 a2 b3", {"a": 2, "b": 2}),
        ("a5", {"a": 1}),
        ("", {}),
    ],
)
def test_ranks_between_two_of_one_host_are_its_own(ranks: str, numbers: dict[str, int]) -> None:
    assert ranks_of_hosts(_devices(ranks)) == numbers
