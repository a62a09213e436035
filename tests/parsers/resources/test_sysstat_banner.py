"""The first line of mpstat, iostat, pidstat and sar: kernel, node and processors."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.state import Reading
from slowlink.parsers.reading.read import read
from slowlink.parsers.resources.sysstat_banner import SysstatBanner

BANNER = "Linux 5.14.0-427.13.1.el9_4.x86_64 (gpu01) \t06/14/2026 \t_x86_64_\t(112 CPU)"
SAMPLE = """\

02:11:21 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
02:11:26 PM  all   96.02    0.00    3.51    0.00    0.00    0.31    0.00    0.00    0.00    0.16
"""


def said(text: str) -> list[tuple[str, Any]]:
    return [(r.attribute, r.value) if isinstance(r, Reading) else ("node", r.host) for r in feed(SysstatBanner, [text])]


def test_kernel_node_and_processors() -> None:
    assert said(BANNER) == snapshot(
        [("node", "gpu01"), ("kernel-release", "5.14.0-427.13.1.el9_4.x86_64"), ("cpu-count", 112)]
    )
    assert said("Linux 6.8.0-31-generic (localhost) 	2026-06-14 	_aarch64_	(1 CPU)") == snapshot(
        [("kernel-release", "6.8.0-31-generic"), ("cpu-count", 1)]
    )


def test_what_follows_is_of_that_node() -> None:
    records = read([Input("mpstat.txt", None, [f"{BANNER}\n{SAMPLE}".encode()])], workers=1)
    state = assemble(records).state
    assert state is not None
    assert [(r.host, r.value) for r in state.readings["cpu-idle"].all] == snapshot([("gpu01", 0.16)])


@given(st.text(max_size=20), st.integers(0, len(BANNER)))
def test_any_damage_gives_nothing_or_numbers(words: str, at: int) -> None:
    for attribute, value in said((BANNER[:at] + words + BANNER[at:]).replace("\n", " ")):
        assert attribute in ("node", "kernel-release", "cpu-count")
        assert value
