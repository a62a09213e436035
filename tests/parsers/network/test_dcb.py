"""dcb of iproute2: paused priorities and what chooses them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

TEXT = """\
# dcb -s pfc show dev ens1np0
pfc-cap 8 macsec-bypass off delay 0
prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
requests 0:0 1:0 2:0 3:812 4:0 5:0 6:0 7:0
# dcb apptrust show dev ens1np0
order: dscp
# dcb pfc show dev ens2np0
pfc-cap 8 macsec-bypass off delay 0
prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off
# dcb ets show dev ens2np0
willing off ets-cap 8 cbs off
tc-bw 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0
tc-tsa 0:strict 1:strict 2:strict 3:strict 4:strict 5:strict 6:strict 7:strict
reco-prio-tc 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0
# dcb dcbx show dev ens2np0
host ieee
"""


def test_priorities_of_two_interfaces() -> None:
    assert [line for line in said(TEXT) if not line.endswith(" = 0")] == snapshot(
        [
            "interface-pfc ens1np0 = 3",
            "priority-pause-sent ens1np0/3 = 812",
            "interface-trust ens1np0 = dscp",
            "interface-pfc ens2np0 = off",
        ]
    )
    assert unread(TEXT) == []


def test_output_without_the_command_is_nobodys() -> None:
    assert said("\n".join(line for line in TEXT.splitlines() if not line.startswith("#"))) == []


@given(st.integers(1, len(TEXT.splitlines())), st.integers(0, 90))
@settings(max_examples=50)
def test_text_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    assert invented(TEXT, lines, letters) == set()
