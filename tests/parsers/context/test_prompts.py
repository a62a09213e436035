"""What names the node that the lines below were printed on."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.context.prompts import Prompts


@pytest.mark.parametrize(
    ("text", "node", "command"),
    [
        ("[root@gpu07 ~]# lspci -vvv", "gpu07", "lspci -vvv"),
        ("(base) admin@node-3:~/tests$ nvidia-smi", "node-3", "nvidia-smi"),
        ("[gpu07 ~]# mlnx_qos -i ens3", "gpu07", "mlnx_qos -i ens3"),
        ("[gpu07 tests]$ nvidia-smi", "gpu07", "nvidia-smi"),
        ("admin@gpu07 ~/tests> nvidia-smi", "gpu07", "nvidia-smi"),
        ("root@gpu07 ~ # nvidia-smi", "gpu07", "nvidia-smi"),
        ("gpu07:~$ nvidia-smi", "gpu07", "nvidia-smi"),
        ("gpu07:~/tests# nvidia-smi", "gpu07", "nvidia-smi"),
        ("oc debug node/worker-7", "worker-7", ""),
        ("$ kubectl debug -it node/gpu-node-2 --image=busybox", "gpu-node-2", ""),
    ],
)
def test_named(text: str, node: str, command: str) -> None:
    assert [(c.host, c.detail) for c in feed(Prompts, [text])] == [(node, command)]


@pytest.mark.parametrize(
    "text",
    [
        "mail me at root@gpu07 please",
        "oc debug pod/web-1",
        "to debug node/x run it",
        "[rank 0]# of elements",
        "[stage 2/3] loads",
        "note:~3 % less",
    ],
)
def test_not_named(text: str) -> None:
    assert feed(Prompts, [text]) == []


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    assert len(feed(Prompts, text.splitlines())) <= len(text.splitlines())


SESSION = """\
[root@gpu07 ~]# uname -r
5.14.0-427.13.1.el9_4.x86_64
[root@gpu07 ~]# ssh gpu08
admin@gpu08:~$ hostname
gpu08
admin@gpu08:~$ exit
head:~ # lsmod
$ kubectl debug -it node/gpu-node-2 --image=busybox
"""


def test_a_whole_session() -> None:
    found = feed(Prompts, SESSION.splitlines())
    assert [(each.ref.line, each.host, each.detail) for each in found] == [
        (1, "gpu07", "uname -r"),
        (3, "gpu07", "ssh gpu08"),
        (4, "gpu08", "hostname"),
        (6, "gpu08", "exit"),
        (7, "head", "lsmod"),
        (8, "gpu-node-2", ""),
    ]


@given(st.integers(0, len(SESSION)))
def test_a_session_cut_anywhere_gives_what_its_whole_lines_say(end: int) -> None:
    whole, cut = feed(Prompts, SESSION.splitlines()), feed(Prompts, SESSION[:end].splitlines())
    last = len(SESSION[:end].splitlines())
    assert [found for found in cut if found.ref.line < last] == [found for found in whole if found.ref.line < last]


TRACE = """\
+ ulimit -l
64
+ hostname
gpu07
+ ibv_devices
++ srun -N2 hostname
[ops@login1 ~]$ bash -x try.sh
+ nvidia-smi -L
"""


def test_a_traced_command_is_one_as_soon_as_its_node_is_known() -> None:
    found = feed(Prompts, TRACE.splitlines())
    assert [(each.ref.line, each.host, each.detail) for each in found] == [
        (4, "gpu07", ""),
        (5, "gpu07", "ibv_devices"),
        (6, "gpu07", "srun -N2 hostname"),
        (7, "login1", "bash -x try.sh"),
        (8, "login1", "nvidia-smi -L"),
    ]
