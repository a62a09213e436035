"""IMEX: domains, nodes, channels."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.gpu.imex import Imex

LINES = [
    "Connectivity Table Legend:",
    "C - Connected - Ready for operation",
    "Node #0   - 10.9.8.7   - READY                - Version: 570.1.2",
    "Node #1   - tray2 (10.9.8.8) - INITIALIZING - Version: 570.1.2",
    "Domain State: DEGRADED",
    "/dev/nvidia-caps-imex-channels/channel0",
    "ls: cannot access '/host/dev/nvidia-caps-imex-channels/*': No such file or directory",
]


def test_what_is_read() -> None:
    assert [(r.attribute, r.part.name, r.value) for r in feed(Imex, LINES)] == snapshot(
        [
            ("imex-node-state", "10.9.8.7", "READY"),
            ("imex-version", "10.9.8.7", "570.1.2"),
            ("imex-node-state", "tray2", "INITIALIZING"),
            ("imex-version", "tray2", "570.1.2"),
            ("imex-domain-state", "", "DEGRADED"),
            ("imex-channels", "", True),
            ("imex-channels", "", False),
        ]
    )


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in LINES:
        assert Imex.wants(text) == Imex.wants(re.sub(r"\d", "0", text))


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=20), max_size=10), st.integers(0, 90))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    parser = Imex()
    for number, text in enumerate(lines, 1):
        parser.feed(Line("t", number, text[:cut]))
    list(parser.finish())
