"""The labelled corpus: kernels and fabric managers, found by the whole reader as the labels say."""

from __future__ import annotations

import pytest
from labelled_corpus import NEEDS_CORPUS, groups_of

pytestmark = NEEDS_CORPUS


@pytest.mark.parametrize(
    "name, kind, groups",
    [
        ("gpud-xid119-gsp-timeout.txt", "kernel-xid", {"xid": "119", "pci": "0000:9b:00", "pid": "2024380"}),
        ("gpud-nccl-segfault-dmesg.txt", "kernel-segfault", {"library": "libnccl.so.2", "pid": "2536443"}),
        ("gpud-fabricmanager-log.txt", "nvswitch-error", {"error": "12028", "port": "61", "severity": "non-fatal"}),
    ],
)
def test_events(name: str, kind: str, groups: dict[str, str]) -> None:
    found = groups_of(f"mixed/{name}", kind)
    assert any(groups.items() <= event.items() for event in found), found
