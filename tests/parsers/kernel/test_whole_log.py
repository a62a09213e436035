"""Which kernel logs are whole."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.kernel import whole_log
from slowlink.parsers.kernel.whole_log import PARSER

START = "[    0.000000] Linux version 6.8.0-31-generic (build@host) (gcc 13.2.0)"


@pytest.mark.parametrize(
    "above",
    [
        [],
        ["root@gpu01:~# dmesg"],
        ["[root@gpu01 ~]# dmesg -k --color=never"],
        ["$ sudo dmesg"],
        ["dmesg"],
        ["root@gpu01:~# journalctl -k -b --no-pager"],
    ],
)
def test_a_whole_log(above: list[str]) -> None:
    assert [found.attribute for found in feed(PARSER, [*above, START])] == ["kernel-log-whole"]


def test_the_sample() -> None:
    assert len(feed(PARSER, sample_in(whole_log.__doc__ or "").splitlines())) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["root@gpu01:~# dmesg | head -20", START],
        ["root@gpu01:~# dmesg | grep -i nvrm", START],
        ["root@gpu01:~# dmesg -l err", START],
        ["root@gpu01:~# dmesg", "[    5.000000] usb 1-1: new device", START],
        ["root@gpu01:~# dmesg", "[    5.000000] usb 1-1: new device"],
        ["the output of dmesg follows", START],
    ],
)
def test_lines_that_somebody_picked(lines: list[str]) -> None:
    assert feed(PARSER, lines) == []


@given(st.lists(st.sampled_from(["$ dmesg", START]) | st.text(max_size=60)))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    feed(PARSER, lines)
