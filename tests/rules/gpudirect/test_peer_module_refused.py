"""The peer-memory module cannot be loaded."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, said

RULE = "peer-module-refused"
REFUSED = (
    "[root@a12 ~]# modprobe nvidia-peermem\nmodprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument\n"
)


def test_why_it_was_refused() -> None:
    assert said(RULE, REFUSED) == snapshot(
        [("peer-memory-missing", "error", "likely", "a12: nvidia_peermem cannot be loaded: Invalid argument")]
    )
    assert [diagnosis.cause for diagnosis in diagnoses_of(REFUSED)] == ["peer-memory-missing"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "insmod: ERROR: could not insert module ./nv_peer_mem.ko: Unknown symbol in module",
            "Unknown symbol in module",
        ),
        ("modprobe: FATAL: Module nvidia-peermem not found in directory /lib/modules/5.15.0", "not found"),
    ],
)
def test_other_words_for_it(line: str, error: str) -> None:
    assert [found.message.partition(": ")[2] for found in findings_of(RULE, line + "\n")] == [error]


def test_gdrcopys_module_and_other_modules_are_not_meant() -> None:
    for module in ("gdrdrv", "nfs"):
        assert said(RULE, f"modprobe: FATAL: Module {module} not found in directory /lib/modules/5.15.0\n") == []
