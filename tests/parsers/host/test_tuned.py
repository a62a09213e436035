"""The active profile of tuned."""

from __future__ import annotations

import pytest
from feeding import feed

from slowlink.parsers.host.tuned import Tuned


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("Current active profile: hpc-compute custom", ["hpc-compute custom"]),
        ("No current active profile.", ["none"]),
        ("Preset profile: balanced", []),
        ("see the Current active profile: none of them", []),
    ],
)
def test_the_profile_of_a_node(text: str, profile: list[str]) -> None:
    assert [reading.value for reading in feed(Tuned, [text])] == profile
