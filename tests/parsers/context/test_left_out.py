"""Texts that say of themselves that lines were left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.source import SourceStats
from slowlink.parsers.context.left_out import PARSER
from slowlink.parsers.reading.read import read


def source_of(*lines: str) -> SourceStats:
    (source,) = read([Input("t", None, ["\n".join(lines).encode()])], workers=1).sources
    return source


@pytest.mark.parametrize(
    "line",
    [
        "[ 4711.120001] net_ratelimit: 48 callbacks suppressed",
        "Nov 22 10:00:00 gpu07 kernel: __ratelimit: 7 callbacks suppressed",
        "** 127 printk messages dropped **",
        "Nov 22 10:00:00 gpu07 systemd-journald[612]: Suppressed 917 messages from train.service",
        "systemd-journald[612]: Missed 31 kernel messages",
        "rsyslogd: imuxsock[pid: 51]: 236 messages lost due to rate-limiting (20000 allowed within 300 seconds)",
        "[... 51234 lines omitted ...]",
        "Binary file (standard input) matches",
        "grep: logs/train rank0.log: binary file matches",
        "train.log: binary file matches",
        'train.log: binary file matches (found "\\0" byte around offset 8192)',
        "... 12 more lines omitted",
        "--- 1,204 lines skipped ---",
        "<output truncated>",
        "[...] 12 KB of log were left out [...]",
        "Streaming output truncated to the last 4000 lines.",
        "[...truncated 815 KB...]",
        "[output clipped, log limit 2MiB reached]",
        "*** WARNING: max output size exceeded, skipping output. ***",
        "rsyslogd: imuxsock lost 77 messages from pid 4711 due to rate-limiting",
        "systemd-journald[612]: Forwarding to syslog missed 9 messages.",
        "[OUTPUT TRUNCATED]",
        "... 815 more lines ...",
        "[815 lines not shown]",
        "... (815 more lines)",
        "[815 lines elided]",
        "815 more lines",
        "[stdout truncated: 7 MB]",
        "[ 4711.120001] printk: 77 messages dropped",
        "printk: systemd: 77 output lines suppressed due to ratelimiting",
        "Output exceeds the size limit. Open the full output data in a text editor",
        "Output is truncated. View as a scrollable element or open in a text editor.",
        "The log was too long and has been truncated",
        "Skipping 1,024 KB.. Full Log",
    ],
)
def test_what_was_left_out_makes_the_source_partial(line: str) -> None:
    source = source_of("words", line, line)
    assert (source.partial, source.problem) == (True, "says in line 2 that lines of it were left out")
    assert (source.kinds, source.unread) == ((), 1)


@pytest.mark.parametrize(
    "line",
    [
        "gzip: train.log.gz: unexpected end of file",
        "/usr/bin/zcat: logs/rank 7.gz: unexpected end of file",
        "gzip: stdin: invalid compressed data--crc error",
        "xz: train.log.xz: Unexpected end of input",
        "xzcat: (stdin): Compressed data is corrupt",
        "zstd: train.log.zst : Read error (39) : premature end",
        "bzip2: Compressed file ends unexpectedly;",
        "tar: Unexpected EOF in archive",
        "tail: error reading 'train.log': Input/output error",
        "dd: error reading '/mnt/train.log': Input/output error",
        "cat: train.log: Input/output error",
        "grep: train.log: Input/output error",
        'rsync: [sender] read errors mapping "/logs/train.log": Input/output error (5)',
        "Journal has been rotated since unit was started, output may be incomplete.",
        "Journal file /var/log/journal/a/system.journal is truncated, ignoring file.",
        "tail: train.log: file truncated",
        "curl: (18) transfer closed with 77 bytes remaining to read",
        "curl: (56) Recv failure: Connection reset by peer",
        "client_loop: send disconnect: Broken pipe",
        "Connection to gpu07 closed by remote host.",
        "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338)",
        "unable to retrieve container logs for containerd://7c0b",
        'Error from server: Get "https://10.0.0.7:10250/containerLogs/a/b/c": dial tcp 10.0.0.7:10250: i/o timeout',
        "failed to create fsnotify watcher: too many open files",
        "error: unexpected EOF",
        "No journal files were opened due to insufficient permissions.",
        "Hint: You are currently not seeing messages from other users and the system.",
        "dmesg: read kernel buffer failed: Operation not permitted",
    ],
)
def test_a_tool_that_did_not_come_to_the_end_makes_the_source_partial(line: str) -> None:
    source = source_of("words", line, line)
    assert (source.partial, source.problem) == (True, "says in line 2 that something was not read to its end")


@pytest.mark.parametrize(
    "line",
    [
        "gzip: train.log.gz: decompression OK, trailing garbage ignored",
        "the job died with an unexpected end of file in the configuration",
        "train: data.log: file truncated at the end of the epoch",
        "json.decoder: unexpected end of input",
        "INFO tar: 12 files, read without an error",
    ],
)
def test_other_tools_and_other_words_are_no_cut(line: str) -> None:
    assert not source_of("words", line).partial


@pytest.mark.parametrize(
    "line",
    [
        "Note that lines omitted from this excerpt are not important.",
        "gradient accumulation: skipped 3 steps",
        "loading binary file weights.bin, its checksum matches",
        "a line saying Binary file x matches means that grep stopped",
        "[ 0 lines omitted ]",
        "3 packets dropped",
        "eth0: 12 messages from the peer",
        "log truncated at rotation by logrotate on Monday",
        "[...]",
        "<snip>",
        "skipped 3 rows",
        "truncated",
        "815 more lines to go",
        "(END)",
        "lines 4-8 of the configuration are wrong",
        "[... 0 more lines ...]",
    ],
)
def test_prose_and_other_counts_say_nothing_of_the_kind(line: str) -> None:
    assert source_of("words", line).problem is None


@pytest.mark.parametrize("line", ["lines 12-34/900 4%", "lines 1-23", "lines 1-23...skipping...", "...skipping..."])
def test_screens_of_a_pager_are_a_part_of_a_text(line: str) -> None:
    problem = "shows screens of a pager and not the end of its text (line 2)"
    assert source_of("words", line).problem == problem
    assert source_of("words", line, "more", "lines 35-57/57 (END)").problem is None


@given(st.text(max_size=80))
def test_the_scan_may_ask_once_for_each_shape(text: str) -> None:
    zeros = "".join("0" if each in "0123456789" else each for each in text)
    assert PARSER.wants(text) == PARSER.wants(zeros)
