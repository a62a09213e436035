"""What stands around a line and is not its own: colours, prefixes of launchers, collectors and loggers, quoting.

A prefix is found by the *shape* of the line (its text with every digit replaced by 0), so that the scan asks once
for each shape. What only the source as a whole can tell is its ``Dialect``: is ``12: `` a rank, or a line number?
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from os.path import commonprefix

from msgspec import Struct
from msgspec.structs import replace

from slowlink.parsers.forms.fronts.journal import ANY_MONTH, NAMED, TIME, UNIT
from slowlink.parsers.forms.fronts.node_headings import LINES_OF_NODE, has_node_sections, may_head
from slowlink.parsers.forms.identifiers import blind_to_identifiers
from slowlink.patterns import regex

_DIGITS = bytes.maketrans(b"123456789", b"000000000")

_ALIGNED = regex(r" {8,}\S[^:\n]{25,70}(?<=  ): ")
"""A key of a section of ``nvidia-smi -q``: all colons stand in one far column."""
_OUTERMOST = regex(r"\s*(?:GPU [0-9A-Fa-f]{8}:|=+NVSMI)")
"""What ``nvidia-smi -q`` does not indent."""
_LEAST_GUTTER = 4
MAX_PREFIXES = 6
"""Prefixes that are taken off one line, one behind the other."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_STREAM_NAME = "<std(?:out|err|diag)>"
STAMP = regex(
    rf"\[(?P<bracketed>{ISO})\](?: |$)|(?P<stamp>{ISO})(?: std(?:out|err) [FP])?(?:[ \t]|$)"
    rf"|(?P<ompi>(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_MONTH} [ \d]\d \d\d:\d\d:\d\d \d{{4}})"
    rf"(?:{_STREAM_NAME}:|(?=\[))"
)
"""kubectl and docker ``--timestamps``, containerd's CRI, NCCL's own, Open MPI ``--timestamp-output``."""

STRONG = tuple(
    regex(pattern)
    for pattern in (
        # Open MPI and PRRTE --tag-output, horovodrun
        rf"(?P<stream>\[(?:[\w.-]{{1,200}}@)?(?:\d+,)?(?P<rank>\d+)\](?:\[(?P<host>[\w.-]+):\d+\])?{_STREAM_NAME}):",
        r"\[pod/(?P<stream>(?P<host>[\w.-]+)/[\w.-]+)\](?: |$)",  # kubectl logs --prefix
        r"(?P<stream>\[rank(?P<rank>\d+)\]): ?",  # torch.distributed
        r"(?P<stream>\[default\d+\]): ?",  # torchrun --tee: a local rank, so no rank
        # TorchX and NeMo-Run: the role and its replica, before what torchrun tagged or a logger of it began
        r"(?P<stream>[\w.-]{1,80}/\d{1,5}) (?=\[(?:default|rank)\d|[IWEF]\d{4} \d\d:\d\d:)",
        # Ray, vLLM: (RayTrainWorker pid=4711, ip=10.0.0.7), (Worker_TP3 pid=4711), (raylet, ip=10.0.0.7)
        r"(?P<stream>\((?:raylet|(?:[A-Za-z_][\w.:()-]{0,80} )?pid=\d{1,9})(?:, ip=(?P<host>[\w.:-]{3,60}))?\))(?: |$)",
        r" {0,3}(?:> ?){1,8}(?![=>])",  # quoted mail and Markdown
        r"(?P<stream>[\w./@%+-]{1,200}\.(?:log|txt|out|err|[oe]\d+)):(?:\d+:)?",  # grep over several files
        rf"(?P<stamp>{ANY_MONTH} {TIME}) (?P<stream>(?P<host>[\w.-]+)) (?:{UNIT}|(?={NAMED}))",  # syslog, the journal
    )
)
AFTER_STAMP = regex(
    r"(?P<stream>(?P<host>[\w.-]+)) "
    rf"(?:{UNIT}|(?=(?:kernel|systemd|slurm\w*|[\w.-]+\[\d+\])(?:\[\d+\])?: ))"
    r"|(?P<stream2>\{(?:\w{1,100}=\"[^\"\n]{0,400}\",? ?){1,40}\}) "
)
"""``journalctl -o short-iso``: the host stands behind the stamp; Loki's ``logcli``: the labels."""

_ADDRESS = r"(?:\d{1,3}\.){3}\d{1,3}"
WEAK = tuple(
    regex(pattern)
    for pattern in (
        rf"(?P<stream>(?P<host>{_ADDRESS}|(?![\d.]+:)\w[\w.-]{{0,62}})):(?: |$)",  # pdsh, clush
        r"(?P<stream>(?P<host>[\w.-]+[-_]\d+)) {0,40}\|(?: |$)",  # docker compose
        r"(?P<stream>\[(?P<rank>\d+)\])(?: |$)",  # MPICH -prepend-rank
        r"[\w./-]+\[\d+\]:(?: |$)",  # unit[pid]: behind a syslog prefix
    )
)
"""Only where output of a tool follows, in this line or in others of the source that have the same prefix."""

HOST_TAG = regex(
    r"(?!(?:mlx|bnxt|irdma|hfi|efa|rdmap|roce|ib|en[ospx]|eth|bond|br|veth|team|wl|card|cuda|nvme|sd|rank|cpu"
    r"|nvidia-nvswitch|nvidia-nvlink)\w{0,30}:)"
    rf"(?:[A-Za-z][\w.-]{{0,62}}\d[\w.-]{{0,62}}|{_ADDRESS}): "
)
"""A name with a number that is no device's, or an address: where every line has one, it is the host's."""

_REMARK = regex(r" {0,4}(?:# ?[^\W\d]|[$] |-{3,60}$|={3,60}$)")  # a word, a command, a line of somebody's
_GATHERS = regex(r".{0,200}(?:^|[\s;&|/])(?:pdsh|clush|pssh|parallel-ssh|psh|xdsh|dsh|rpdsh)\s+\S")
"""A command that asks many hosts; what it prints has their names before each line."""

NUMBER = re.compile(
    r"(?P<blanks> {0,4})(?P<number>\d+)(?P<mark>[:-])(?!(?:[\dA-Fa-f]{2}:)?[\dA-Fa-f]{2}\.\d(?:[ ,]|$))(?P<blank> ?)"
)
"""Not the bus of a PCI address (``05:00.0``), with which lines of lspci and rows of nvidia-smi begin."""

_GUTTER = regex(r" {0,8}(\d{1,8})(?:\t|$| ?[|│](?: |$))")
"""A line's number in the margin."""

_NUMBERED = regex(
    r" {0,4}(?:[0-9a-f]{4}:){7}[0-9a-f]{4}$"
    r"| {0,4}\d{1,2}:\d\d:\d\d(?![\d:])"
    r"| {0,4}\d{1,6}: (?:(?:DOWN|INIT|ARMED|ACTIVE(?:_DEFER)?|LinkUp|Polling|Disabled|Sleep|LinkErrorRecovery"
    r"|PortConfigurationTraining|Phy Test)$|[A-Za-z][\w.@-]{0,40}: (?:<[A-Z_,-]{0,300}>|node_type |qp \d))"
)
"""The number is the line's own: a GID, a time of day (``23:55:02.7``), a state (``4: ACTIVE``), an index
of ``ip link`` and ``rdma dev``."""

TOOL = regex(
    r"\s*(?:\d{1,6}:\s*)?(?:#|-{20}|\[(?:\d+,)?\d+\]<std"
    r"|[^\s:]+:\d+:\d+ (?:\[|[NMR]CCL )|[NMR]CCL (?:version|INFO|WARN)"
    r"|\d+\s+\d+\s+[a-z]"
    r"|(?:CA|Switch) '|Switch: 0x|\d{1,6} {1,4}\d{1,3}\[[\d ]{0,4}\] ==\("
    r"|hca_id:\s|Infiniband device '|link \w+/\d|DEV\s+PORT\s|[a-z]\w+ port \d+ ==>"
    r"|/(?:sys|proc)/\S+:\S"
    r"|\+-{20}|\| NVIDIA-SMI |<\?xml |(?:index|timestamp|name|gpu_name|uuid|pci\.bus_id), [a-z]"
    r"|(?:Driver Version|Attached GPUs) +: "
    r"|=+NVSMI LOG=|GPU \d+: |\d+: [A-Za-z][\w.@-]{0,40}: (?:<|node_type )|[0-9a-f:]{2,12}:[0-9a-f]{2}\.\d [A-Z])"
)
"""Begins like a table, its rulers or its rows, a line of NCCL, or the first line of what a tool of state prints."""


class Frame(Struct, frozen=True):
    """What a collector, a viewer or a person put around lines."""

    lead: str
    """A pattern of what stands before them, behind what is in a list; "" for nothing."""
    closing: str = ""
    """What stands behind them."""


class Dialect(Struct, frozen=True):
    """What the beginning of a source tells about its prefixes."""

    numbers: str = ""
    """What ``12:`` at the start of a line is: ``rank`` (srun -l), ``line`` (grep -n), or "" for unknown."""
    tags: frozenset[bytes] = frozenset()
    """Shapes of prefixes that are in doubt elsewhere (``gpu00:``, ``[0]``): they recur, before tool output too."""
    indent: str = ""
    """Blanks that stand before every line, as a paste has them."""
    gutter: bool = False
    """Every line begins with its number and a tab or a bar, as ``cat -n`` and viewers print it."""
    frames: tuple[Frame, ...] = ()
    """What stands around lines here and is in no list; no more than one of them stands around a line."""
    after: int = 3
    """Lines kept after each wanted line of a stream, for greedy parsers: more where headings of nodes stand."""


class Prefix(Struct, frozen=True):
    """Where the parts of a prefix stand in its line; the same for every line of one shape."""

    cut: int = 0
    """Length of the prefix."""
    rank: slice | None = None
    host: slice | None = None
    stamp: slice | None = None
    streams: tuple[slice, ...] = ()

    def stream_of(self, text: str) -> str:
        """Identity of the stream that ``text`` belongs to."""
        return " ".join(text[part] for part in self.streams)


NO_PREFIX = Prefix()
_MOST_TELLING = 300
"""Characters at the front of a line that say what it is."""
_MAX_SHAPES = 20_000
_MAY_TELL: dict[bytes, bool] = {}
"""By shape, of all sources: may such a line say something of a dialect?"""


def shape_of(text: str) -> bytes:
    """``text`` in UTF-8 with every digit replaced by 0. Bytes, because they translate ten times as fast as a str."""
    return text.encode("utf-8", "replace").translate(_DIGITS)


def form_of(text: str) -> bytes:
    """Its shape with every number (``12``, ``0.034``, ``1e-05``, ``-3`` behind a blank) as one 0: the same for numbers
    of any size."""
    form = shape_of(text)
    while b"00" in form:
        form = form.replace(b"00", b"0")
    while b"0.0" in form:
        form = form.replace(b"0.0", b"0")
    return form.replace(b"0e-0", b"0").replace(b"0e+0", b"0").replace(b" -0", b" 0")


def looks_like_tool(text: str) -> bool:
    """Would a reader take this for the start of a tool's line, whatever stands before it?"""
    return TOOL.match(text) is not None


def find_prefix(text: str, dialect: Dialect) -> Prefix:
    """Everything at the start of ``text`` that a launcher, collector or quoting put there."""
    at = _behind_paste(text, dialect)
    ranks: list[slice] = []
    hosts: list[slice] = []
    stamps: list[slice] = []
    streams: list[slice] = []
    frames = dialect.frames
    for _ in range(MAX_PREFIXES):
        found = _next_prefix(text, at, dialect, stamped=bool(stamps))
        if found is None:
            found, frames = _lead_in(text, at, frames), ()
        if found is None:
            break
        parts = found.re.groupindex
        for name, spans in (
            ("rank", ranks),
            ("host", hosts),
            ("stream", streams),
            ("stream2", streams),
            ("stamp", stamps),
            ("bracketed", stamps),
            ("ompi", stamps),
        ):
            if name in parts and found.start(name) >= 0:
                spans.append(slice(*found.span(name)))
        if found.re is NUMBER and _is_rank(found, dialect):
            ranks.append(slice(*found.span("number")))
            streams.append(slice(*found.span("number")))
        at = found.end()
    if not at:
        return NO_PREFIX
    return Prefix(
        cut=at,
        rank=ranks[-1] if ranks else None,
        host=hosts[-1] if hosts else None,
        stamp=stamps[-1] if stamps else None,
        streams=tuple(streams),
    )


def _behind_paste(text: str, dialect: Dialect) -> int:
    """Behind what somebody put before each line of the whole source: blanks, a number."""
    if dialect.indent and text.startswith(dialect.indent):
        return len(dialect.indent)
    found = _GUTTER.match(text) if dialect.gutter else None
    return found.end() if found else 0


def _next_prefix(text: str, at: int, dialect: Dialect, stamped: bool) -> re.Match[str] | None:
    found = STAMP.match(text, at)
    if found:
        return found
    for pattern in STRONG:
        found = pattern.match(text, at)
        if found and found.end() > at:
            return found
    if stamped:
        found = AFTER_STAMP.match(text, at)
        if found:
            return found
    return _number(text, at, dialect) or _weak(text, at, dialect)


def _lead_in(text: str, at: int, frames: tuple[Frame, ...]) -> re.Match[str] | None:
    return next((found for frame in frames if frame.lead and (found := compiled(frame.lead).match(text, at))), None)


@lru_cache(maxsize=256)
def compiled(lead: str) -> re.Pattern[str]:
    """The pattern of a frame's lead."""
    return re.compile(lead)


def _number(text: str, at: int, dialect: Dialect) -> re.Match[str] | None:
    found = NUMBER.match(text, at)
    if found is None or _NUMBERED.match(text, at):
        return None
    if found["mark"] == "-":
        return found if dialect.numbers == "line" and not found["blanks"] and not found["blank"] else None
    if dialect.numbers:
        return found if dialect.numbers == "line" or found["blank"] or found.end() == len(text) else None
    return found if looks_like_tool(text[found.end() :]) else None


def _is_rank(found: re.Match[str], dialect: Dialect) -> bool:
    return dialect.numbers == "rank" or (not dialect.numbers and bool(found["blank"]))


def _weak(text: str, at: int, dialect: Dialect) -> re.Match[str] | None:
    for pattern in WEAK:
        found = pattern.match(text, at)
        if found and (_tag_of(found) in dialect.tags or looks_like_tool(text[found.end() :])):
            return found
    return None


def _tag_of(found: re.Match[str]) -> bytes:
    return shape_of(found[0].rstrip())


def learn_dialect(lines: Iterable[str]) -> Dialect:
    """The dialect of a source from its first lines."""
    lines = [line for line in lines if line]
    gutter = _is_gutter(lines)
    pasted = Dialect(indent="" if gutter else _common_indent(lines), gutter=gutter)
    telling = lines if pasted.indent or gutter else list(compress(lines, map(_TELLING.__getitem__, lines)))
    numbers: list[tuple[int, bool]] = []
    tags: Counter[bytes] = Counter()
    hosts: Counter[bytes] = Counter()
    followed_by_tool: set[bytes] = set()
    for line in telling:
        at = _behind_strong(line, _behind_paste(line, pasted))
        number = None if _NUMBERED.match(line, at) else NUMBER.match(line, at)
        if number and number["mark"] == ":" and len(number["number"]) < 10 and number.end() < len(line):
            numbers.append((int(number["number"]), bool(number["blank"])))
            continue
        for pattern in WEAK:
            found = pattern.match(line, at)
            if found:
                tag = _tag_of(found)
                tags[tag] += 1
                if HOST_TAG.match(line, at):
                    hosts[tag] += 1
                if looks_like_tool(line[found.end() :]):
                    followed_by_tool.add(tag)
    recurring = {tag for tag in followed_by_tool if tags[tag] >= 3}
    remarks = sum(map(bool, map(_REMARK.match, lines))) if hosts else 0  # few, between what the hosts say
    if hosts.total() + remarks == len(lines) and hosts.total() >= 4 * remarks:
        recurring |= {tag for tag, count in hosts.items() if count >= 3}
    elif hosts and any(_GATHERS.match(line) for line in lines):
        recurring |= {tag for tag, count in hosts.items() if count >= 2}
    after = LINES_OF_NODE if has_node_sections(telling) else pasted.after
    return replace(pasted, numbers=_meaning_of(numbers), tags=frozenset(recurring), after=after)


class _Telling(dict[str, bool]):
    """May a line say something of its source's dialect? Of a thousand nodes most lines are those of another one, and
    most of the others have known shapes."""

    def __missing__(self, line: str) -> bool:
        shape = blind_to_identifiers(shape_of(line[:_MOST_TELLING]))
        if max(len(self), len(_MAY_TELL)) >= _MAX_SHAPES:
            self.clear()
            _MAY_TELL.clear()
        known = _MAY_TELL.get(shape)
        if known is None:
            of_a_front = any(pattern.match(line) for pattern in (NUMBER, *WEAK))
            known = _MAY_TELL[shape] = of_a_front or _behind_strong(line) > 0 or may_head(line)
        if len(line) <= _MOST_TELLING:
            self[line] = known
        return known


_TELLING = _Telling()


def _common_indent(lines: Sequence[str]) -> str:
    """The blanks before every line; "" where some line has none, and in an excerpt of a list whose indentation says
    what belongs to what (``nvidia-smi -q`` without its head)."""
    common = commonprefix((min(lines, default=""), max(lines, default="")))  # noqa: RUF071  (of characters, no paths)
    indent = common[: len(common) - len(common.lstrip(" \t"))]
    if indent and any(map(_ALIGNED.match, lines)) and not any(map(_OUTERMOST.match, lines)):
        return ""
    return indent


def _is_gutter(lines: Sequence[str]) -> bool:
    """Do all lines, four at least, begin with numbers that count up from one or more?"""
    numbers: list[int] = []
    for line in lines:
        found = _GUTTER.match(line)
        if found is None:
            return False
        numbers.append(int(found[1]))
    if len(numbers) < _LEAST_GUTTER or numbers[0] < 1:
        return False
    return all(after == before + 1 for before, after in pairwise(numbers))


def _behind_strong(line: str, at: int = 0) -> int:
    for _ in range(MAX_PREFIXES):
        found = next((found for pattern in (STAMP, *STRONG) if (found := pattern.match(line, at))), None)
        if found is None or found.end() == at:
            break
        at = found.end()
    return at


def _meaning_of(numbers: list[tuple[int, bool]]) -> str:
    """grep counts up from 1 and puts no blank behind its colon; srun repeats ranks, has a 0, and puts one."""
    if not numbers:
        return ""
    tight = sum(not blank for _, blank in numbers)
    if tight * 5 > len(numbers):
        return "line"
    values = [value for value, _ in numbers]
    rises = all(first < second for first, second in pairwise(values))
    return "line" if rises and values[0] > 0 and len(values) > 1 else "rank"
