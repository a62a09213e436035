"""npu-smi info -t: what is wrong with one NPU."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_readings import said, unread

ECC = """\
$ npu-smi info -t ecc -i 2
        NPU ID                         : 2
        Chip Count                     : 1

        DDR Double Bit Error Count                   : 0
        HBM Single Bit Error Count                   : 4
        HBM Double Bit Error Count                   : {}
        HBM Double Bit Isolated Pages Count          : 12
        HBM Usage Rate(%)                            : 4
        Chip ID                                      : 0
"""
HEALTH = """\
$ npu-smi info -t health -i 3
        Health Status                  : {}
        Error Code                     : NA
"""


def test_memory_that_was_lost_and_a_bad_state() -> None:
    text = ECC.format(12) + HEALTH.format("Alarm")
    assert said(text) == snapshot(["gpu-ecc-volatile-uncorrectable 2 = 12", "gpu-state 3 = Alarm"])
    assert unread(text) == []


@pytest.mark.parametrize("text", [ECC.format(0), HEALTH.format("OK"), HEALTH.format("UNKNOWN")])
def test_what_is_well_proves_nothing(text: str) -> None:
    assert said(text) == []
    assert unread(text) == []


def test_a_state_without_its_npu_is_nobodys() -> None:
    assert said(HEALTH.format("Alarm").partition("\n")[2]) == []
