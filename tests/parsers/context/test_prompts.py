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
        ("oc debug node/worker-7", "worker-7", ""),
        ("$ kubectl debug -it node/gpu-node-2 --image=busybox", "gpu-node-2", ""),
    ],
)
def test_named(text: str, node: str, command: str) -> None:
    assert [(c.host, c.detail) for c in feed(Prompts, [text])] == [(node, command)]


@pytest.mark.parametrize("text", ["mail me at root@gpu07 please", "oc debug pod/web-1", "to debug node/x run it"])
def test_not_named(text: str) -> None:
    assert feed(Prompts, [text]) == []


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    assert len(feed(Prompts, text.splitlines())) <= len(text.splitlines())
