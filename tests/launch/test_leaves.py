"""Which leaf a node hangs on."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.launch.leaves import parse_leaves

IBNETDISCOVER = """\
vendid=0x2c9
Switch	40 "S-b8cef60300a1b2c0"		# "leaf1" enhanced port 0 lid 3 lmc 0
[5]	"H-0c42a10300d1e2f0"[1](c42a10300d1e2f0) 		# "gpu01 mlx5_0" lid 9 4xNDR
[6]	"H-0c42a10300d1e2f4"[1](c42a10300d1e2f4) 		# "gpu02 mlx5_0" lid 10 4xNDR
[30]	"S-b8cef60300a1b2d0"[1]		# "spine1" lid 4 4xNDR
Switch	40 "S-b8cef60300a1b2d8"		# "leaf2" enhanced port 0 lid 5 lmc 0
[5]	"H-0c42a10300d1e2f8"[1](c42a10300d1e2f8) 		# "gpu01 mlx5_1" lid 11 4xNDR
"""


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("SwitchName=s1 Nodes=g[1-2]\nSwitchName=s2 Nodes=g3\nSwitchName=top Switches=s[1-2]\n",
         {"g1": "s1", "g2": "s1", "g3": "s2"}),
        ("SwitchName=s1 Level=0 LinkSpeed=1 Nodes=g[1-2]\nSwitchName=top Level=1 LinkSpeed=1 Nodes=g[1-2] Switches=s1\n",
         {"g1": "s1", "g2": "s1"}),
        ("leaf1: g[1-2]\nleaf2: g3,g4\n", {"g1": "leaf1", "g2": "leaf1", "g3": "leaf2", "g4": "leaf2"}),
        (IBNETDISCOVER, {"gpu01": "leaf1", "gpu02": "leaf1"}),
    ],
)  # fmt: skip
def test_leaves(text: str, leaves: dict[str, str]) -> None:
    assert parse_leaves(text, "x") == leaves


@given(st.text(max_size=300))
def test_any_text_gives_leaves_or_says_why_not(text: str) -> None:
    with suppress(SlowlinkError):
        assert parse_leaves(text, "x")
