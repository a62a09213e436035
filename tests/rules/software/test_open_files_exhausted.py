from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, remedies_of, said

RULE = "open-files-exhausted"


def _warning(words: str, level: str = "WARN") -> str:
    return f"cn12:4711:4712 [3] misc/socket.cc:620 NCCL {level} {words}\n"


@pytest.mark.parametrize(
    "words",
    [
        "Call to socket failed: Too many open files",
        "ncclSocketInit: Socket creation failed : Too many open files",
        "[Service thread] Accept failed Too many open files",
        "Call to ibv_create_comp_channel failed with error Too many open files",
    ],
)
def test_whichever_call_it_was(words: str) -> None:
    assert said(RULE, _warning(words)) == [
        ("file-descriptor-limit", "critical", "likely", "cn12: a process may open no more files or sockets")
    ]


def test_it_is_the_one_cause_of_what_follows_from_it() -> None:
    text = _warning("Call to socket failed: Too many open files") + _warning("socket.cc:510 -> 2", "INFO")
    assert [d.cause for d in diagnoses_of(text)] == ["file-descriptor-limit"]


def test_another_error_is_none() -> None:
    assert said(RULE, _warning("Call to socket failed: Permission denied")) == []


def test_what_to_do() -> None:
    assert remedies_of(RULE, _warning("Call to socket failed: Too many open files")) == snapshot(
        [
            [
                ("See the limit in the job itself.", "ulimit -n"),
                (
                    "Raise it where the job is started: limits.conf, LimitNOFILE of the service, or of the container.",
                    "",
                ),
                ("See whether the number of open files grows while the job runs.", "ls /proc/PID/fd"),
            ]
        ]
    )
