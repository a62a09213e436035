"""What a text says of itself: that lines of it were left out, by a logger under load or by whoever passed it on::

    mlx5_core_ratelimit: 48 callbacks suppressed
    ** 127 printk messages dropped **
    Suppressed 917 messages from train.service
    Missed 31 kernel messages
    imjournal: 236 messages lost due to rate-limiting
    [... 51234 lines omitted ...]
    <output truncated>
    Binary file train.log matches
    gzip: train.log.gz: unexpected end of file
    tail: error reading 'train.log': Input/output error
    lines 12-34/900 4%

What is missing may be what is wrong, so nothing is healthy then.

Source: Linux ``lib/ratelimit.c`` and ``kernel/printk/printk.c``, systemd ``journald-server.c``, ``journald-kmsg.c``
and ``journald-syslog.c``, rsyslog ``runtime/ratelimit.c`` and ``plugins/imuxsock``, BuildKit ``util/progress/logs``,
GitLab Runner ``helpers/trace``, the notebooks of Colab and Databricks, and GNU grep ``src/grep.c``, which shows no
further line of a file once it has met a byte that is no text; of tools that read for somebody and did not come to the
end: gzip ``gzip.c`` and ``util.c``, xz ``src/xz/message.c``, zstd ``programs/fileio.c``, bzip2 ``bzip2.c``, GNU tar
``src/buffer.c``, coreutils (``error reading``), rsync ``sender.c``, systemd ``src/systemctl`` and
``src/libsystemd/sd-journal``, curl ``lib/transfer.c``, openssh ``clientloop.c`` and ``packet.c``, kubelet
``pkg/kubelet``, kubectl ``logs``, Docker ``daemon/logger``, systemd ``journalctl``, util-linux ``dmesg.c``;
less ``prompt.c``, which shows below each screen where the text goes on. A mark that somebody set counts where a line is
nothing else: prose may speak of omitted lines; ``<snip>`` and ``[...]`` are an author's, who chose what to show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

_HINTS = (
    *("uppressed", "dropped", "missed ", "lost ", "mitted", "runcated", "kipped", "snip", "left out", "clipped"),
    *("drop messages", "exceeded", "more lines", "not shown", "inary file "),
    *("unexpected e", "error reading", "put/output error", "premature end", "decoding error", "ends unexpectedly"),
    *("integrity error", "crc error", "length error", "compressed data", "read errors mapping", "e incomplete"),
    *("ignoring file", "cannot read: ", "elided", "hidden", "exceeds the", "too long", "too large", "log limit"),
    *("suppressed due", "file truncated", "transfer closed", "recv failure", "closed cleanly", "send disconnect"),
    *(
        "closed by remote host",
        "packet_write_wait",
        "unexpectedly closed",
        "rsync error",
        "container logs",
        "containerlogs",
    ),
    *("failed to watch file", "fsnotify watcher", "unexpected eof", "try to find container", "open log file"),
    *("driver does not support reading", "insufficient permissions", "not seeing messages", "kernel buffer failed"),
    *("klogctl", "skipping", "lines 0", "(end)"),
)
_LONGEST = 300
_SAID = regex(
    r"\b[\w.]{1,60}: \d{1,12} callbacks suppressed\s{0,8}$"
    r"|\*\* \d{1,12} printk messages dropped \*\*"
    r"|\bSuppressed \d{1,12} messages from "
    r"|\bMissed \d{1,12} kernel messages\b"
    r"|\bForwarding to syslog missed \d{1,12} messages\b"
    r"|\b\d{1,12} messages lost due to rate-limiting\b"
    r"|\bim\w{2,12}:? lost \d{1,12} messages from pid |\bbegin to drop messages due to rate-limiting\b"
    r"|\bJob's log exceeded limit of \d{1,15} bytes\b"
    r"|\[output clipped, log limit \S{1,12} reached\]"
    r"|\bmax output size exceeded, skipping output\b"
    r"|^\s{0,8}Streaming output truncated to the last \d{1,12} lines\b"
    r"|\bprintk: (?:.{1,40}: )?\d{1,12} messages? dropped\b"
    r"|\b\d{1,12} output lines suppressed due to ratelimiting\b"
    r"|\bOutput exceeds the \[?size limit\b|^\s{0,8}Output is truncated\. View as a "
    r"|(?i:\blog limit (?:was )?(?:exceeded|reached), |\bexceeded the maximum log length\b)"
    r"|(?i:\b(?:log|output) (?:was|is) too (?:long|large)\b.{0,60}\btruncated\b)"
    r"|^\s{0,8}Skipp(?:ing|ed) {1,4}[\d,.]{1,15} (?:[KMG]i?B|bytes|lines)(?:\.{2,3})?\s{0,8}(?:Full Log)?$"
    r"|^Binary file .{1,200} matches$"
    r"|^\s?(?:.{1,200}: )?binary file matches(?: \(found .{1,60} around offset \d{1,19}\))?$"
)
_UNPACKERS = (
    r"(?:un)?(?:gzip|zstd|xz|lzma|bzip2|pigz|pixz|pbzip2)|[gx]?zcat|(?:xz|zstd|bz)cat|zgrep|xzgrep|zstdgrep|zless"
)
_READERS = (
    r"cat|tac|head|tail|cut|sort|uniq|tr|wc|tee|dd|cp|mv|od|nl|split|sed|[ef]?grep|awk|gawk|mawk|less|rsync|scp|diff"
)
_DAMAGE = regex(
    rf"(?:^|\s|/)(?:{_UNPACKERS}): (?:.{{0,200}}[: ])?(?:(?:unexpected end of (?:file|input))\b"
    r"|invalid compressed data\b|compressed data is corrupt\b|read error \(39\)|premature end\b|decoding error \(36\)"
    r"|compressed file ends unexpectedly|data integrity error|crc error|length error|input/output error)"
    r"|(?:^|\s|/)tar: (?:unexpected eof in archive|.{1,200}: cannot read: )"
    rf"|(?:^|\s|/)(?:{_READERS}): (?:error reading\b|read error\b|.{{1,200}}: input/output error\b)"
    r"|\brsync: (?:\[\w{1,12}\] )?read errors mapping "
    r"|\bjournal has been rotated since unit was started[,.] (?:log )?output (?:may be|is) incomplete"
    r"|\bjournal file .{1,200} is (?:truncated|corrupted), ignoring file"
    r"|\b(?:tail|scp|sftp): .{1,200}: (?:file )?truncated$"
    r"|\bcurl: \(\d{1,3}\) (?:transfer closed with|recv failure|http/\d stream \d{1,9} was not closed cleanly)"
    r"|\bclient_loop: send disconnect\b|\bpacket_write_wait: connection to "
    r"|^connection to \S{1,200} closed by remote host\.$"
    r"|\brsync: (?:\[\w{1,12}\] )?connection unexpectedly closed\b|\brsync error: .{1,200}\(code \d{1,3}\)"
    r"|\bunable to retrieve container logs for |/containerlogs/.{1,200}: "
    r"|\ban error occurred when try to find container\b"
    r"|\bfailed to (?:watch file|create fsnotify watcher|open log file)\b|^error: unexpected eof$"
    r"|\bconfigured logging driver does not support reading\b"
    r"|\bno journal files were opened due to insufficient permissions\b|\bnot seeing messages from other users\b"
    r"|(?:^|\s|/)dmesg: (?:read kernel buffer failed|klogctl failed|klogctl: )",
    re.IGNORECASE,
)
"""Who reads for somebody did not come to the end."""
_EDGE = r"[\s\[\]<>(){}.…#*=~-]{0,20}"
_SIGN = r"\s{0,8}[\[\]<>{}…*=~]{1,3}[\s\[\]<>(){}.…#*=~-]{0,20}"
"""Begins what stands apart from the text, where the words alone could be somebody's."""
_COUNT = r"(?:(?P<count>\d[\d,.]{0,15}) )?(?:more )?(?:lines?|messages|bytes|[KM]i?B|rows|entries|output|log)"
_VERB = r"(?:omitted|truncated|suppressed|skipped|snipped|clipped|elided|hidden|left out|not shown)"
_STREAM = r"(?:stdout|stderr|output|log)"
_MARK = regex(
    rf"{_EDGE}{_COUNT}(?: of (?:output|log))? (?:were |was )?{_VERB}(?: for brevity| here)?{_EDGE}"
    rf"|{_SIGN}{_VERB} {_COUNT.replace('count', 'behind')}{_EDGE}"
    rf"|{_SIGN}{_VERB}{_EDGE}"
    rf"|{_SIGN}{_STREAM} {_VERB}(?:[:,( ].{{0,60}})?{_EDGE}"
    rf"|{_EDGE}(?P<more>\d[\d,.]{{0,15}}) more lines{_EDGE}",
    re.IGNORECASE,
)
_SCREEN = regex(
    r"^lines \d{1,9}-\d{1,9}(?:/\d{1,9})?(?: \d{1,3}%)?(?:\s{0,8}\.{3}skipping\.{3})?\s{0,8}$|^\.{3}skipping\.{3}$"
)
"""What a pager shows below a screen, where the text goes on."""
_WHOLE = regex(r"^(?:lines \d{1,9}-\d{1,9}(?:/\d{1,9})? )?\(END\)\s{0,8}$")


class LeftOut:
    """Notes the first line that says so."""

    kind: ClassVar[str] = "left-out"
    literals: ClassVar[Literals] = Literals(_HINTS, fold=True)

    def __init__(self) -> None:
        self._said = ""
        self._screen = ""

    @property
    def unfinished(self) -> str:
        """What the text says; the screens of a pager only where its end was not seen behind them."""
        return self._said or self._screen

    @staticmethod
    def wants(text: str) -> bool:
        return _says_so(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if not _says_so(line.text):
            return Use.NOT_MINE
        if _WHOLE.match(line.text):
            self._screen = ""
            return Use.IGNORED
        if _SCREEN.match(line.text):
            self._screen = self._screen or f"shows screens of a pager and not the end of its text (line {line.no:,})"
            return Use.IGNORED
        mark = _MARK.fullmatch(line.text)
        number = next(filter(None, (mark["count"], mark["behind"], mark["more"])), None) if mark is not None else None
        if number is not None and not number.strip("0.,"):
            return Use.IGNORED  # no line was left out
        what = (
            "that something was not read to its end" if _DAMAGE.search(line.text) else "that lines of it were left out"
        )
        self._said = self._said or f"says in line {line.no:,} {what}"
        return Use.IGNORED

    def finish(self) -> Iterable[Record]:
        return ()


def _says_so(text: str) -> bool:
    if len(text) > _LONGEST:
        return False
    return any(each.search(text) for each in (_SAID, _DAMAGE, _SCREEN, _WHOLE)) or _MARK.fullmatch(text) is not None


PARSER = LeftOut
