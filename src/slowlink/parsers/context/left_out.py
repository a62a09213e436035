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

What is missing may be what is wrong, so nothing is healthy then.

Source: Linux ``lib/ratelimit.c`` and ``kernel/printk/printk.c``, systemd ``journald-server.c``, ``journald-kmsg.c``
and ``journald-syslog.c``, rsyslog ``runtime/ratelimit.c`` and ``plugins/imuxsock``, BuildKit ``util/progress/logs``,
GitLab Runner ``helpers/trace``, the notebooks of Colab and Databricks, and GNU grep ``src/grep.c``, which shows no
further line of a file once it has met a byte that is no text; of tools that read for somebody and did not come to the
end: gzip ``gzip.c`` and ``util.c``, xz ``src/xz/message.c``, zstd ``programs/fileio.c``, bzip2 ``bzip2.c``, GNU tar
``src/buffer.c``, coreutils (``error reading``), rsync ``sender.c``, systemd ``src/systemctl`` and
``src/libsystemd/sd-journal``. A mark that somebody set counts where a line is nothing else: prose may speak of omitted
lines; ``<snip>`` and ``[...]`` are an author's, who chose what to show.
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
    *("ignoring file", "cannot read: "),
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
    r"|\bjournal file .{1,200} is (?:truncated|corrupted), ignoring file",
    re.IGNORECASE,
)
"""Who reads for somebody did not come to the end."""
_EDGE = r"[\s\[\]<>(){}.…#*=~-]{0,20}"
_SIGN = r"\s{0,8}[\[\]<>{}…*=~]{1,3}[\s\[\]<>(){}.…#*=~-]{0,20}"
"""Begins what stands apart from the text, where the words alone could be somebody's."""
_COUNT = r"(?:(?P<count>\d[\d,.]{0,15}) )?(?:more )?(?:lines?|messages|bytes|[KM]i?B|rows|entries|output|log)"
_VERB = r"(?:omitted|truncated|suppressed|skipped|snipped|clipped|left out|not shown)"
_MARK = regex(
    rf"{_EDGE}{_COUNT}(?: of (?:output|log))? (?:were |was )?{_VERB}(?: for brevity| here)?{_EDGE}"
    rf"|{_SIGN}{_VERB} {_COUNT.replace('count', 'behind')}{_EDGE}"
    rf"|{_SIGN}{_VERB}{_EDGE}"
    rf"|(?:{_SIGN}|\s{{0,8}}\.{{3}}\s{{0,4}})(?P<more>\d[\d,.]{{0,15}}) more lines{_EDGE}",
    re.IGNORECASE,
)


class LeftOut:
    """Notes the first line that says so."""

    kind: ClassVar[str] = "left-out"
    literals: ClassVar[Literals] = Literals(_HINTS, fold=True)

    def __init__(self) -> None:
        self.unfinished = ""

    @staticmethod
    def wants(text: str) -> bool:
        lowered = text.lower()
        return any(hint in lowered for hint in _HINTS) and _says_so(text)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if not _says_so(line.text):
            return Use.NOT_MINE
        mark = _MARK.fullmatch(line.text)
        number = next(filter(None, (mark["count"], mark["behind"], mark["more"])), None) if mark is not None else None
        if number is not None and not number.strip("0.,"):
            return Use.IGNORED  # no line was left out
        what = (
            "that something was not read to its end" if _DAMAGE.search(line.text) else "that lines of it were left out"
        )
        self.unfinished = self.unfinished or f"says in line {line.no:,} {what}"
        return Use.IGNORED

    def finish(self) -> Iterable[Record]:
        return ()


def _says_so(text: str) -> bool:
    if len(text) > _LONGEST:
        return False
    return _SAID.search(text) is not None or _DAMAGE.search(text) is not None or _MARK.fullmatch(text) is not None


PARSER = LeftOut
