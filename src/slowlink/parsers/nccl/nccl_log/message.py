"""What one NCCL message is: a pattern, literal samples of it, and how its values are read.

A family is a module of this package with a tuple ``MESSAGES``. The samples are at the same time the tests of the
message and its address: the scan looks only at messages one of whose samples begins like the line (`head_of`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cached_property

from msgspec import Struct

from slowlink.model.nccl import (
    AlgorithmChoice,
    Bootstrap,
    ChannelCounts,
    ComponentVersion,
    EnvSetting,
    GdrDecision,
    GraphSearch,
    LibraryVersion,
    LogProcess,
    LogWarning,
    NetDevice,
    NetworkChoice,
    NvlsSupport,
    PluginEvent,
    ProxyCore,
    RingOrder,
    TopologyLink,
    TopologySummary,
)
from slowlink.model.source import Ref
from slowlink.patterns import regex

_END_IN_STRING = regex(r"""\\[nr]|["'](?:\]?, ?\[?["']|[\]}])""")
"""Where a line of a log ends that stands in a string of JSON or Python: an escaped line end, or the string's end."""


class Keep(Enum):
    """What the fold keeps of a message."""

    NOTHING = "nothing"
    """Known and without a value for us."""
    ONCE = "once"
    """Equal text of one thread is kept once, with a count."""
    EACH = "each"
    """Every occurrence, in order: its meaning depends on what comes before it."""


class At(Struct, frozen=True):
    """Where and how often a message was seen."""

    process: LogProcess
    ref: Ref
    level: str
    location: str | None
    body: str
    """The message without its level."""
    count: int
    thread: str
    """The prefix of the lines: messages that hang together come from one thread."""


class Marker(Struct, frozen=True):
    """A message whose only value is that it was printed."""

    field: str
    """Field of ``NcclLog`` that collects it."""
    process: LogProcess
    ref: Ref


class CommEvent(Struct, frozen=True):
    """One line in the life of a communicator; ``comms.join`` makes a ``CommInit`` of them."""

    what: str
    """``start nodes complete timings destroyed aborted``."""
    values: dict[str, str]
    process: LogProcess
    ref: Ref


class TreeLine(Struct, frozen=True):
    """One line of a ``=== System`` tree; ``topology.join`` finds its parent by the indentation."""

    thread: str
    indent: int
    kind: str | None
    """None for the root of a tree and for its header line."""
    bandwidth_gbs: float
    node: str
    process: LogProcess
    ref: Ref


Value = (
    LibraryVersion
    | ComponentVersion
    | EnvSetting
    | NetworkChoice
    | NetDevice
    | Bootstrap
    | PluginEvent
    | GdrDecision
    | ChannelCounts
    | NvlsSupport
    | RingOrder
    | GraphSearch
    | TopologyLink
    | TopologySummary
    | AlgorithmChoice
    | ProxyCore
    | LogWarning
    | Marker
    | CommEvent
    | TreeLine
)
Read = Callable[[re.Match[str], At], Iterable[Value]]


class Sample(Struct, frozen=True):
    """A literal message as a version prints it."""

    versions: str
    """NCCL versions that print it so: ``2.18-2.20``, ``2.24+``, ``RCCL 2.21``, ``all``."""
    text: str


class NcclMessage(Struct, frozen=True, dict=True):
    """One message of the library in all its versions."""

    pattern: str
    """Regular expression, matched at the start of the text after the level."""
    samples: tuple[Sample, ...]
    read: Read | None = None
    """Makes values of a match; None when the message is known and says nothing."""
    keep: Keep = Keep.ONCE
    subsystem: str | None = None
    """The one subsystem that prints it; None where several do, for then its absence proves nothing."""
    bare: bool = False
    """Distinctive enough to be believed without ``host:pid:tid [dev] NCCL INFO`` before it."""
    id: str = ""
    """Id in the catalogue of warnings."""
    meaning: str = ""
    secondary: bool = False
    """Caused by another rank's failure."""
    levels: tuple[str, ...] = ("INFO",)
    continues: str | None = None
    """Pattern of a following line without a prefix that belongs to this message."""

    def match(self, body: str) -> re.Match[str] | None:
        """Match the text after the level; None when it is another message.

        Only up to where its line ended, of a line that holds a whole log as one string (JSON, a list of Python)."""
        end = _END_IN_STRING.search(body)
        return self._compiled.match(body if end is None else body[: end.start()])

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        """Made on first need: a log needs few of all patterns."""
        return re.compile(self.pattern)

    @property
    def quiet(self) -> bool:
        return self.read is None


def sample(versions: str, *texts: str) -> tuple[Sample, ...]:
    """Samples of one span of versions."""
    return tuple(Sample(versions, text) for text in texts)


def harmless(pattern: str, *samples: Sample, subsystem: str | None = None) -> NcclMessage:
    """A message that is known and says nothing to us."""
    return NcclMessage(pattern, samples, None, Keep.NOTHING, subsystem)


def head_of(body: str) -> str:
    """The part of a message by which the families are found: its first word without what varies in it."""
    first = body[:1]
    if first.isdecimal():
        return "0"
    if first in " +=|":
        return " "
    word = body.split(" ", 1)[0]
    if ".c" in word and ":" in word:
        return ".cc"
    slash = word.find("/")
    if slash > 0:
        return word[: slash + 1]
    for start in ("NCCL_", "RCCL_", "MCCL_", "nccl"):
        if word.startswith(start):
            return start[-5:]
    return word.partition(":")[0]
