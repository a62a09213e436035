"""Lines of the kernel log without news are known, and give no event."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.kernel.kernel_noise import NOISE, KernelDetails


@pytest.mark.parametrize("text", [sample for entry in NOISE for sample in entry.samples])
def test_samples_are_known_and_say_nothing(text: str) -> None:
    assert KernelDetails.wants(text)
    assert KernelDetails().feed(Line("t", 1, text)) is Use.IGNORED
    assert feed(KernelDetails, [text]) == []


def test_messages_that_matter_are_left_to_others() -> None:
    fatal = "nvidia 0000:18:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data Link Layer, (Receiver ID)"
    for text in (fatal, "pcieport 0000:15:01.0: AER: Corrected error received: 0000:18:00.0", "DMAR: IOMMU enabled"):
        assert KernelDetails().feed(Line("t", 1, text)) is Use.NOT_MINE


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    assert KernelDetails().feed(Line("t", 1, text)) in Use
