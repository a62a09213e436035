"""Asks all nodes at once, and keeps what each found until all have answered."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.inputs import open_bytes
from slowlink.launch.fanout.ask import Answer, answers
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Allocation
from slowlink.parsers.reading.redacted import read_redacted
from slowlink.parsers.reading.sent import Sent
from slowlink.parsers.reading.sent_back import SpeltOut, alone
from slowlink.patterns import regex
from slowlink.workflows.read_there.frames import LAST_BYTES, MOST_FILE_BYTES, Brought, Heard, heard, whole_text
from slowlink.workflows.read_there.paths import ABSENT, DENIED
from slowlink.workflows.read_there.shell import script_for

LOGIN_S = 15.0
"""What the way to a node may take besides the reading."""
_GIVE_S = 10.0
"""For giving what was read when the time is over."""
_DENIED = regex(r"(?m)^find: .(.{1,4096}).: Permission denied$")
INTERRUPTED = "interrupted before it answered"
_GAP = (
    f"only its first {MOST_FILE_BYTES - LAST_BYTES >> 20} MiB and its last {LAST_BYTES >> 20} MiB were brought here: "
    "with slowlink installed on the node all of it is read there"
)
_NO_ROOM = "not all of its files had room in one answer: install slowlink there, or name fewer"
MOST_AT_ONCE = 3 << 30
"""Of the answers that come at the same time, all together: nodes may say anything."""
MOST_ROOM, LEAST_ROOM = 48 << 20, 4 << 20
"""Of one answer."""
_END = 1 << 16


class Question(Struct, frozen=True):
    """What is read, where, and how the nodes are reached."""

    allocation: Allocation
    way: Way
    paths: tuple[str, ...]
    programs: tuple[tuple[str, ...], ...] = (("slowlink",),)
    """How slowlink may be started there; the first that can reads."""
    limit_s: float = 300.0
    """For reading on one node; logging in comes on top."""
    fanout: int = 64

    @property
    def room(self) -> int:
        """Bytes that one node may print."""
        at_once = max(1, min(self.fanout, len(self.allocation.nodes)))
        return max(LEAST_ROOM, min(MOST_ROOM, MOST_AT_ONCE // at_once))


class Node(Struct):
    """What came of one node."""

    name: str
    sent: list[Sent] = field(default_factory=list)
    brought: list[SpeltOut] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    """A path there, and why nothing of it was read."""
    lost: str = INTERRUPTED
    """Why it did not answer, or not to the end; "" where it did."""
    reader: str = ""
    """What read: ``there``, or why the files were brought here."""


def ask_nodes(question: Question, on_answer: Callable[[Answer], None]) -> tuple[list[Node], bool]:
    """What each node found, in their order, and whether somebody interrupted the asking. Everything that was started on
    nodes is ended then, too."""
    nodes = [Node(node.name) for node in question.allocation.nodes]
    mark = os.urandom(8).hex()
    asked = answers(
        question.allocation.nodes,
        script_for(question.paths, mark, question.programs, limit_s=question.limit_s, room=question.room - _END),
        question.way,
        timeout_s=question.limit_s + _GIVE_S + LOGIN_S,
        fanout=question.fanout,
        most_output=question.room,
    )
    try:
        for number, answer in asked:
            take(nodes[number], answer, heard(answer.stdout, mark), question.paths)
            on_answer(answer)
    except KeyboardInterrupt:
        return nodes, True
    return nodes, False


def take(node: Node, answer: Answer, said: Heard, paths: Sequence[str]) -> None:
    """Keep what one node said."""
    node.sent = said.sent
    files = {file.path: file for file in said.files}
    node.brought = [found for path in sorted(files) for found in _read(node.name, files[path])]
    denied = [(path, DENIED) for path in _DENIED.findall(answer.stderr)] if said.brings else []
    absent = [(path, ABSENT) for at, path in enumerate(paths) if at in said.empty and said.done and not denied]
    node.missing = [*said.missing, *denied, *absent]
    node.lost = _why_lost(answer, said)
    if said.brings:
        node.reader = f"slowlink {said.version} is there" if said.version else "slowlink is not there"
    elif said.reads:
        node.reader = "there"


def _why_lost(answer: Answer, said: Heard) -> str:
    """ "" where the node said all that it had to say."""
    last = (answer.stderr.strip().splitlines() or [""])[-1][:200]
    if answer.trouble:
        return answer.trouble
    if said.status:
        return f"slowlink there ended with status {said.status}" + (f": {last}" if last else "")
    if said.unbelieved:
        return "what it sent is not what slowlink sends, and is not believed"
    if said.cut:
        return _NO_ROOM
    if said.done:
        return ""
    return last or "its answer was cut"


def _read(node: str, file: Brought) -> list[SpeltOut]:
    """Read a file that was brought: here as there, without its secrets."""
    found = []
    for item in open_bytes(f"{node}:{file.path}", file.size_bytes, whole_text(file)):
        records, stats, digest = alone(read_redacted(item, 1))
        if not file.is_whole:
            stats = replace(stats, problem=stats.problem or _why_cut(file), partial=True)
        found.append((records, replace(stats, size_bytes=max(stats.size_bytes, 0), node=node), digest))
    return found


def _why_cut(file: Brought) -> str:
    return _GAP if file.size_bytes > MOST_FILE_BYTES else f"only a part of its {file.size_bytes:,} bytes came"
