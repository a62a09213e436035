"""Commands that a bare prompt sends to one node."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

LOST = "[Mon Nov  3 05:10:51 2031] NVRM: Xid (PCI:0000:{}:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"


@pytest.mark.parametrize(
    "command",
    ["ssh gpu04 dmesg -T", "ssh ops@gpu04 'dmesg -T | grep Xid'", "srun -w gpu04 dmesg -T", "pdsh -N -w gpu04 dmesg"],
)
def test_what_follows_is_of_that_node_up_to_the_next_prompt(command: str) -> None:
    text = f"$ {command}\n{LOST.format('5d')}$ dmesg -T\n{LOST.format('6d')}"
    events = assemble(read([Input("notes.txt", None, [text.encode()])], workers=1)).events
    assert events is not None
    assert [event.host for event in events.all if "Xid" in event.text] == ["gpu04", None]
