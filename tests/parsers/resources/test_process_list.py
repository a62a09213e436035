"""ps, top and pidstat: who takes processors, and who waits inside the kernel."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.resources.process_list import ProcessList

TEXTS = {
    "ps aux": """\
USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
bob       777012 6381 59.8 1028841172 316033000 ? Rl  Nov21 9112:11 ./xhpl
root         412 99.9  0.0      0     0 ?        R    Oct12  99:41 [kswapd0]
mia        41024  0.0  0.0      0     0 ?        Z    Nov20   0:00 [python] <defunct>
""",
    "top": """\
Tasks: 2511 total,  97 running, 2410 sleeping,   0 stopped,   4 zombie
%Cpu(s): 61.2 us, 24.6 sy,  0.0 ni,  0.4 id, 13.7 wa,  0.0 hi,  0.1 si,  0.0 st
    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
  41022 mia       20   0   61.2g  11.4g   2.1g R 101.3   0.6 812:11.02 python
   3311 root      20   0 5121012  72100  31004 S   1.0   0.0 101:11.72 nvidia-dcgm
""",
    "pidstat": """\
02:14:40 PM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
02:14:41 PM 20500    777012 6201.00  180.00    0.00    0.00 6381.00    40  xhpl
Average:    20411     41022   48.51    2.97    0.00   47.52   51.49     -  python
""",
    "ps with wchan": """\
  41022   40990 Dl   nfs_wait_bit_killable            python train.py --config c.yaml
    PID STAT WCHAN                            CMD
  52011 Ds   rpc_wait_bit_killable            ls /home/mia
   3311 S    poll_schedule_timeout            nvidia-dcgm
""",
}
TEXTS |= {
    "pidstat -h": """\
# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
02:14:41 PM 20500    777012 6201.00  180.00    0.00    0.00 6381.00    40  xhpl
""",
    "old pidstat -h": """\
#      Time   UID       PID    %usr %system  %guest    %CPU   CPU  Command
 1763890000 20500    777012 6201.00  180.00    0.00 6381.00    40  xhpl
""",
    "pidstat -U": """\
14:14:40     USER       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
14:14:41      bob    777012 6201.00  180.00    0.00    0.00 6381.00    40  xhpl
""",
    "ps -eo": """\
    PID    PPID %CPU %MEM CMD
 777012  770001 6381 59.8 ./xhpl -p
  41024   40990  0.0  0.0 [python] <defunct>
""",
}
TEXTS |= {
    "ps -eo, command first": """\
    PID    PPID CMD                         %MEM %CPU
 777012  770001 ./xhpl -p 4 1.5             59.8 6381
  41024   40990 /usr/bin/python3 train.py    0.6 12.0
""",
}
LINES = [line for text in TEXTS.values() for line in text.splitlines()]


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(ProcessList, text.splitlines())]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "ps aux",
            snapshot(
                [
                    ("process-user", "xhpl 777012", "bob"),
                    ("process-share", "xhpl 777012", 6381.0),
                    ("process-user", "kswapd0 412", "root"),
                    ("process-share", "kswapd0 412", 99.9),
                ]
            ),
        ),
        (
            "top",
            snapshot(
                [
                    ("tasks-running", "", 97),
                    ("cpu-idle", "", 0.4),
                    ("process-user", "python 41022", "mia"),
                    ("process-share", "python 41022", 101.3),
                ]
            ),
        ),
        ("pidstat", snapshot([("process-share", "xhpl 777012", 6381.0), ("process-share", "python 41022", 51.49)])),
        (
            "ps with wchan",
            snapshot(
                [("process-waits", "python", "nfs_wait_bit_killable"), ("process-waits", "ls", "rpc_wait_bit_killable")]
            ),
        ),
    ],
)
def test_each_tool(name: str, found: list[tuple[str, str, Any]]) -> None:
    assert said(TEXTS[name]) == found


def test_a_language_with_decimal_commas() -> None:
    text = TEXTS["top"].replace("61.2g  11.4g   2.1g R 101.3   0.6", "61,2g  11,4g   2,1g R 101,3   0,6")
    assert said(text)[-1] == ("process-share", "python 41022", 101.3)
    assert said("%Cpu(s): 97,9 us,  1,9 sy,  0,0 ni,  0,1 id,  0,0 wa\n") == [("cpu-idle", "", 0.1)]


def test_how_idle_one_processor_is_says_nothing_of_the_node() -> None:
    assert said("%Cpu3  : 97.9 us,  1.9 sy,  0.0 ni,  0.1 id,  0.0 wa\n") == []
    assert said("Cpu(s): 97.9%us,  1.9%sy,  0.0%ni,  0.1%id,  0.0%wa\n") == [("cpu-idle", "", 0.1)]


@pytest.mark.parametrize("name", ["pidstat -h", "old pidstat -h", "pidstat -U", "ps -eo", "ps -eo, command first"])
def test_other_options_and_versions(name: str) -> None:
    assert said(TEXTS[name])[-1] == ("process-share", "xhpl 777012", 6381.0)


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert ProcessList.wants(text) == ProcessList.wants(shape_of(text).decode()), text
        assert not ProcessList.wants(text) or ProcessList.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(ProcessList, lines):
        assert 1 <= r.ref.line <= len(lines)
