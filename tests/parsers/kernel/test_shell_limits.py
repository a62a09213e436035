"""Limits as shells, the kernel and prlimit print them, and as files configure them."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.kernel.shell_limits import ShellLimits
from slowlink.parsers.reading.read import read

ULIMIT = """\
core file size              (blocks, -c) 0
data seg size               (kbytes, -d) unlimited
max locked memory           (kbytes, -l) 65536
max memory size             (kbytes, -m) unlimited
open files                          (-n) 1024
stack size                  (kbytes, -s) 8192
"""
PROC = """\
Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max locked memory         8388608              unlimited            bytes
Max open files            1024                 1048576              files
"""
PRLIMIT = """\
RESOURCE   DESCRIPTION                             SOFT      HARD UNITS
CPU        CPU time                           unlimited unlimited seconds
MEMLOCK    max locked-in-memory address space   8388608   8388608 bytes
NOFILE     max number of open files                1024   1048576 files
"""
CONFIGURED = """\
# /etc/security/limits.conf
*               soft    memlock         unlimited
@hpc            hard    memlock         64
*               soft    nofile          1048576
[Service]
LimitMEMLOCK=infinity
"""


def said(text: str) -> list[tuple[str, object]]:
    return [(found.attribute, found.value) for found in feed(ShellLimits, text.splitlines())]


def test_every_origin_in_one_unit() -> None:
    assert {name: said(text) for name, text in (("ulimit", ULIMIT), ("proc", PROC), ("prlimit", PRLIMIT))} == snapshot(
        {
            "ulimit": [("memlock-limit", "65536 KiB"), ("open-files-limit", "1024")],
            "proc": [("memlock-limit", "8192 KiB")],
            "prlimit": [("memlock-limit", "8192 KiB"), ("open-files-limit", "1024")],
        }
    )


def test_what_is_configured_is_another_attribute_than_what_is() -> None:
    assert said(CONFIGURED) == snapshot(
        [("memlock-configured", "unlimited"), ("memlock-configured", "64 KiB"), ("memlock-configured", "unlimited")]
    )


@pytest.mark.parametrize("text", [ULIMIT, PROC, PRLIMIT])
def test_the_other_limits_of_a_list_are_known(text: str) -> None:
    (source,) = read([Input("t", None, [text.encode()])], workers=1).sources
    assert (source.kinds, source.unread) == (("limits",), 0)


@pytest.mark.parametrize(
    "text",
    [
        "max locked memory should be unlimited",
        "Max locked memory is 64",
        "the open files (-n) were 1024",
        "memlock soft *",
        "LimitMEMLOCK=",
    ],
)
def test_sentences_are_no_limits(text: str) -> None:
    assert said(text) == []


@given(
    st.lists(st.text(max_size=80) | st.sampled_from((ULIMIT + PROC + PRLIMIT + CONFIGURED).splitlines()), max_size=12),
    st.integers(0, 90),
)
def test_a_text_cut_anywhere_gives_a_result(lines: list[str], end: int) -> None:
    cut = [line[:end] for line in lines]
    for found in feed(ShellLimits, cut):
        assert found.attribute in ("memlock-limit", "memlock-configured", "open-files-limit")
