"""Samples of a watched node: what the sampler prints is what the parser reads."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.state import Collected, Reading
from slowlink.parsers.context.watch_samples import WatchSamples

TEXT = """\
slowlink-sample 1795000000.25 every 1 s
cpu 43.1 % of 64 cores busy, 1200.5 % of one core by this run
process 4711 site-diag 98.5 % cpu
process 4712 backup 903.5 MB/s network
process 4713 burn 1234.0 MiB gpu
/sys/class/net/ib0/statistics/rx_bytes:17
slowlink-sample 1795000001.25 every 1 s
"""


def test_a_sample_gives_its_time_and_who_was_at_work() -> None:
    found = feed(WatchSamples, TEXT.splitlines(), host="node03")
    sections = [(each.collector, each.host, each.at) for each in found if isinstance(each, Collected)]
    assert sections == [("watch", "node03", 1795000000.25), ("watch", "node03", 1795000001.25)]
    readings = [(r.attribute, r.part.name, r.value) for r in found if isinstance(r, Reading)]
    assert readings == [
        ("cpu-busy", "", 43.1),
        ("cpu-of-run", "", 1200.5),
        ("process-name", "4711", "site-diag"),
        ("process-cpu", "4711", 98.5),
        ("process-name", "4712", "backup"),
        ("process-network", "4712", 903.5),
        ("process-name", "4713", "burn"),
        ("process-gpu-memory", "4713", 1234 << 20),
    ]


@given(st.text(max_size=80))
def test_any_other_line_is_left_alone(text: str) -> None:
    assert feed(WatchSamples, [text]) == [] or text.startswith(("slowlink-sample", "cpu ", "process "))


@given(st.integers(0, len(TEXT)))
def test_a_sample_cut_anywhere_gives_what_its_whole_lines_say(end: int) -> None:
    whole, cut = feed(WatchSamples, TEXT.splitlines()), feed(WatchSamples, TEXT[:end].splitlines())
    last = len(TEXT[:end].splitlines())
    assert [found for found in cut if found.ref.line < last] == [found for found in whole if found.ref.line < last]
