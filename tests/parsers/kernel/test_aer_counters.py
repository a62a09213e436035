"""Counters of PCIe errors, in the forms in which people read them."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.kernel.aer_counters import AerCounters
from slowlink.parsers.reading.read import read

DEVICE = "/sys/bus/pci/devices/0000:17:00.0"
FILE = f"{DEVICE}/aer_dev_correctable"


def said(text: str) -> list[str]:
    """``attribute kind part = value`` of every reading."""
    readings = read([Input("t", None, [text.encode()])], workers=1).readings
    return [f"{r.attribute} {r.part.kind} {r.part.name} = {r.value}" for r in readings]


def counters(total: int) -> str:
    return f"RxErr {total - 3}\nBadTLP 0\nBadDLLP 3\nRollover 0\nTOTAL_ERR_COR {total}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"$ cat {FILE}; sleep 60; cat {FILE}\n{counters(7)}{counters(12)}",
        f"root@gpu07:~# cat {FILE}\n{counters(7)}root@gpu07:~# cat {FILE}\n{counters(12)}",
        f"for i in 1 2; do cat {FILE}; sleep 60; done\n{counters(7)}{counters(12)}",
        f"==> {FILE} <==\n{counters(7)}\n==> {FILE} <==\n{counters(12)}",
        f"{FILE}:RxErr 4\n{FILE}:TOTAL_ERR_COR 7\n{FILE}:RxErr 9\n{FILE}:TOTAL_ERR_COR 12\n",
    ],
)
def test_each_sum_is_a_reading_of_the_device_in_the_path(text: str) -> None:
    assert said(text) == ["pcie-corrected-errors pci 0000:17:00.0 = 7", "pcie-corrected-errors pci 0000:17:00.0 = 12"]


def test_one_command_may_name_several_files_and_an_hca() -> None:
    text = (
        f"# cat {DEVICE}/aer_dev_nonfatal /sys/class/infiniband/mlx5_0/device/aer_dev_fatal\n"
        "CmpltTO 1\nTOTAL_ERR_NONFATAL 1\nDLP 0\nTOTAL_ERR_FATAL 0\n"
    )
    assert said(text) == ["pcie-nonfatal-errors pci 0000:17:00.0 = 1", "pcie-fatal-errors hca mlx5_0 = 0"]


def test_a_list_without_a_file_is_of_no_device() -> None:
    assert said(counters(7)) == []


@given(st.lists(st.sampled_from([FILE, "RxErr 1", "TOTAL_ERR_COR 5", f"cat {FILE}", "TOTAL_ERR_COR x", ""])))
def test_any_mixture_of_lines_is_read(lines: list[str]) -> None:
    assert all(record.value == 5 for record in feed(AerCounters, lines))
