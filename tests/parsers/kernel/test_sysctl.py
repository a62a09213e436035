"""Settings as sysctl lists them."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.kernel.sysctl import Sysctl
from slowlink.parsers.reading.read import read

TEXT = """\
kernel.numa_balancing = 1
kernel.hostname = gpu01
net.core.rmem_max = 212992
net.ipv4.conf.ens1np0/1.arp_ignore = 0
vm.zone_reclaim_mode = 0
user.max_user_namespaces =
"""


def said(text: str) -> list[tuple[str, object]]:
    return [(found.attribute, found.value) for found in feed(Sysctl, text.splitlines())]


def test_the_settings_that_matter() -> None:
    assert said(TEXT) == [("numa-balancing", True), ("zone-reclaim", False)]


def test_every_other_setting_belongs_to_the_list() -> None:
    (source,) = read([Input("t", None, [TEXT.encode()])], workers=1).sources
    assert (source.used, source.ignored, source.unread) == (2, 4, 0)


@pytest.mark.parametrize(
    "text",
    [
        "kernel.numa_balancing = 12",
        "kernel.numa_balancing = on",
        "kernel.numa_balancing = 1 is what we want",
        "set kernel.numa_balancing = 0",
        "vm.zone_reclaim_mode",
    ],
)
def test_what_is_no_value(text: str) -> None:
    assert said(text) == []


@given(st.lists(st.text(max_size=80) | st.sampled_from(TEXT.splitlines()), max_size=12), st.integers(0, 40))
def test_a_text_cut_anywhere_gives_a_result(lines: list[str], end: int) -> None:
    cut = [line[:end] for line in lines]
    assert all(1 <= found.ref.line <= len(cut) for found in feed(Sysctl, cut))
