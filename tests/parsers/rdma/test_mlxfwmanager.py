"""mlxfwmanager: the firmware of all HCAs of a node."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

TEXT = """\
Querying Mellanox devices firmware ...

Device #1:
----------

  Device Type:      ConnectX7
  Part Number:      MCX75310AAS-NEA_Ax
  Description:      NVIDIA ConnectX-7 HHHL Adapter card
  PSID:             MT_0000000838
  PCI Device Name:  /dev/mst/mt4129_pciconf0
  Base GUID:        946dae0300000000
  Versions:         Current        Available
     FW             28.35.2000     28.39.1002
     PXE            3.7.0102       3.7.0201

  Status:           Update required

Device #2:
----------

  Device Type:      ConnectX7
  PSID:             MT_0000000838
  PCI Device Name:  3b:00.0
  Versions:         Current        Available
     FW             28.39.1002     N/A

  Status:           Up to date
"""


def test_firmware_of_two_devices() -> None:
    assert said(TEXT) == snapshot(
        [
            "hca-board-id mt4129_pciconf0 = MT_0000000838",
            "hca-firmware mt4129_pciconf0 = 28.35.2000",
            "hca-board-id 0000:3b:00.0 = MT_0000000838",
            "hca-firmware 0000:3b:00.0 = 28.39.1002",
        ]
    )
    assert unread(TEXT) == []


@given(st.integers(1, len(TEXT.splitlines())), st.integers(0, 90))
@settings(max_examples=50)
def test_text_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    assert invented(TEXT, lines, letters) <= {"hca-board-id"}  # the name of its card, which is cut, comes later
