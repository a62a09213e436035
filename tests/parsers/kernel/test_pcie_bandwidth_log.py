"""Devices on a PCIe link that limits them, also as mail folds the message."""

from __future__ import annotations

import pytest

from slowlink.inputs import Input
from slowlink.model.job import JobEvent
from slowlink.parsers.reading.read import read

WHOLE = (
    "pci 0000:e1:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:e0:03.1"
    " (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)"
)
RATES = ("0000:e1:00.0", "63.008", "0000:e0:03.1", "252.048")


def limited(text: str) -> list[JobEvent]:
    records = read([Input("dmesg.txt", None, [text.encode()])], workers=1)
    return [event for event in records.events if event.kind == "kernel-pcie-limited"]


def rates(text: str) -> list[tuple[str, ...]]:
    names = ("pci", "available_gbit", "at", "capable_gbit")
    return [tuple(event.groups.get(name, "") for name in names) for event in limited(text)]


def folded(mark: str, *places: str) -> str:
    """The message broken behind each of ``places``."""
    text = WHOLE
    for place in places:
        before, _, after = text.partition(place)
        text = f"{before}{place}{mark}\n{after}"
    return text + "\n"


@pytest.mark.parametrize("front", ["", "[    3.141592] "])
@pytest.mark.parametrize(
    "text",
    [
        WHOLE + "\n",
        folded("=", "limited by 8.0 ", "with 16.0"),
        folded("=", "lim", "link at 0000:"),
        folded("=20", "limited by", "at"),
        folded(" ", "PCIe bandwidth,", "(capable"),
        WHOLE.replace("limited by ", "limited by\n").replace("link at ", "link at\n") + "\n",
    ],
)
def test_one_message_however_mail_folds_it(front: str, text: str) -> None:
    assert rates(f"{front}{text}{front}pci 0000:e1:00.1: enabling Extended Tags\n") == [RATES]


def test_the_message_of_kernels_before_5_7() -> None:
    assert rates(WHOLE.replace(" PCIe x", " x") + "\n") == [RATES]


def test_a_message_whose_rest_is_lost_takes_no_other_line_for_it() -> None:
    cut = folded("=", "limited by 8.0 ").splitlines()[0]
    assert rates(f"{cut}\nnvme nvme0: 16/0/0 queues, link at 0000:e0:03.1\n") == []
    assert rates(f"{cut}\n{WHOLE}\n") == [RATES]
    assert rates(cut) == []


def test_two_messages_in_a_row_are_two_devices() -> None:
    other = WHOLE.replace("0000:e1", "0000:c1").replace("63.008", "126.016")
    assert rates(f"{WHOLE}\n{other}\n{WHOLE}\n") == [RATES, ("0000:c1:00.0", "126.016", *RATES[2:])]


def test_what_device_it_is() -> None:
    device = "[ 1.0] pci 0000:e1:00.{}: [{}:2330] type 00 class {} PCIe Endpoint\n"
    (gpu,) = limited(device.format(0, "10de", "0x030200") + WHOLE + "\n")
    assert (gpu.groups["class"], gpu.groups.keys() & {"of_processor", "lid"}) == ("0x030200", set())
    processor = device.format(0, "1002", "0x030000") + WHOLE + "\n" + device.format(2, "1022", "0x108000")
    assert limited(processor)[0].groups["of_processor"] == "yes"
    assert limited(WHOLE + "\n[ 2.0] ACPI: button: Lid Switch [LID0]\n")[0].groups["lid"] == "yes"
