"""Programs and libraries that are not there."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.loader import Loader

LOG = """\
+ cd /opt/bench
./build/all_gather_perf: error while loading shared libraries: libmpi.so.40: cannot open shared object file: No such file or directory
./all_reduce_perf: symbol lookup error: ./all_reduce_perf: undefined symbol: ncclCommSplit
./all_reduce_perf: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./all_reduce_perf)
ImportError: libcudart.so.12: cannot open shared object file: No such file or directory
bash: line 1: all_reduce_perf: command not found
./run.sh: line 3: /opt/bench/ib_write_bw: No such file or directory
FileNotFoundError: [Errno 2] No such file or directory: '/data/part-7.bin'
bash: ./all_reduce_perf: cannot execute binary file: Exec format error
bash: ./all_reduce_perf: Permission denied
exec: "mpirun": executable file not found in $PATH
cat: /sys/module/nvidia_peermem/version: No such file or directory
"""


def test_what_could_not_be_loaded_or_started() -> None:
    assert events_of(Loader, LOG) == snapshot(
        [
            (
                "library-missing",
                None,
                None,
                {
                    "executable": "./build/all_gather_perf",
                    "library": "libmpi.so.40",
                    "error": "cannot open shared object file: No such file or directory",
                },
                1,
            ),
            ("library-symbol-missing", None, None, {"library": "./all_reduce_perf", "symbol": "ncclCommSplit"}, 1),
            (
                "library-version-missing",
                None,
                None,
                {"library": "/lib64/libc.so.6", "version": "GLIBC_2.34", "executable": "./all_reduce_perf"},
                1,
            ),
            ("library-missing", None, None, {"library": "libcudart.so.12"}, 1),
            ("executable-missing", None, None, {"executable": "all_reduce_perf"}, 1),
            ("executable-missing", None, None, {"executable": "/opt/bench/ib_write_bw"}, 1),
            ("executable-wrong-format", None, None, {"executable": "./all_reduce_perf"}, 1),
            ("executable-not-permitted", None, None, {"executable": "./all_reduce_perf"}, 1),
            ("executable-missing", None, None, {"executable": "mpirun"}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "cat: /etc/nccl.conf: No such file or directory",
        "root@gpu02: Permission denied (publickey).",
        "the command was not found in the manual",
        "NET/Plugin: Could not find: libnccl-net.so",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Loader, text) == []
