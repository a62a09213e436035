"""Shared libraries and programs that cannot be loaded or started.

A library, and a program::

    ./build/all_gather_perf: error while loading shared libraries: libmpi.so.40: cannot open shared object file
    bash: line 1: all_reduce_perf: command not found

Source: glibc's dynamic loader (``ld.so``), bash and dash, Python's import, the OCI runtime. "No such file" and
"Permission denied" are events only where a shell says them of a command; programs say the same of their data.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

_LIBRARY = r"(?P<library>[\w.+/-]{1,200}\.so[\w.]{0,40})"

MESSAGES = (
    EventPattern(
        "library-missing",
        "error while loading shared libraries",
        r"(?:(?P<executable>[^\s:]{1,200}): )?error while loading shared libraries: "
        + _LIBRARY
        + r": (?P<error>.{1,120})",
        (
            "./build/all_gather_perf: error while loading shared libraries: libmpi.so.40: cannot open"
            " shared object file: "
            "No such file or directory",
        ),
    ),
    EventPattern(
        "library-missing",
        "cannot open shared object file",
        r"(?:ImportError|OSError): " + _LIBRARY + r": cannot open shared object file",
        ("ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",),
    ),
    EventPattern(
        "library-symbol-missing",
        "undefined symbol",
        r"(?:symbol lookup error: |ImportError: |OSError: )(?P<library>[^\s:]{1,200}): undefined symbo"
        r"l: (?P<symbol>\w{1,120})",
        ("./all_reduce_perf: symbol lookup error: ./all_reduce_perf: undefined symbol: ncclCommSplit",),
    ),
    EventPattern(
        "library-version-missing",
        "' not found (required by",
        r"(?P<library>[^\s:]{1,200}): version [`'](?P<version>[\w.]{1,60})' not found \(required by (?"
        r"P<executable>[^)]{1,200})\)",
        ("./all_reduce_perf: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by ./all_reduce_perf)",),
    ),
    EventPattern(
        "executable-missing",
        "ommand not found",
        r"(?:^|: )(?:line \d+: )?(?P<executable>[^\s:]{1,200}): command not found",
        ("bash: line 1: all_reduce_perf: command not found", "./run.sh: line 14: mpirun: command not found"),
    ),
    EventPattern(
        "executable-missing",
        "No such file or directory",
        r"^\s*(?:-?(?:ba|z|da|k)?sh|/(?:usr/)?bin/(?:ba)?sh|env|/usr/bin/env|sudo|nohup|timeout|exec|s"
        r"run|[\w./-]{1,120}\.sh):"
        r" (?:line \d+: |\d+: )?(?:failed to run command )?[‘'\"]?(?P<executable>[\w./+-]{1,200})[’'\"]?:"
        r" No such file or directory",
        (
            "bash: ./build/all_reduce_perf: No such file or directory",
            "timeout: failed to run command ‘./nope’: No such file or directory",
            "./run.sh: line 3: /opt/bench/ib_write_bw: No such file or directory",
        ),
    ),
    EventPattern(
        "executable-missing",
        "executable file not found",
        r'exec: "?(?P<executable>[^\s":]{1,200})"?: executable file not found in \$PATH',
        (
            'OCI runtime exec failed: exec failed: unable to start container process: exec: "mpirun":'
            " executable file not found in $PATH",
        ),
    ),
    EventPattern(
        "executable-wrong-format",
        "xec format error",
        r"(?P<executable>[^\s:]{1,200}): (?:cannot execute binary file: )?[^:]{0,60}[Ee]xec format error",
        ("bash: ./all_reduce_perf: cannot execute binary file: Exec format error",),
    ),
    EventPattern(
        "executable-not-permitted",
        "Permission denied",
        r"^\s*(?:-?(?:ba|z|da|k)?sh|env|[\w./-]{1,120}\.sh): (?:line \d+: )?(?P<executable>[\w./+-]{1,"
        r"200}): Permission denied\s*$",
        ("bash: ./all_reduce_perf: Permission denied",),
    ),
)


class Loader(MessageParser):
    """Events of libraries that could not be loaded and programs that could not be started."""

    kind: ClassVar[str] = "loader"
    origin: ClassVar[str] = "loader"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = Loader
