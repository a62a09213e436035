"""Programs that run side by side, each started by a shell of its own: here, or on a node. What one prints is kept when
it is done, in a capture of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from slowlink.launch.alone import alone_end, alone_script
from slowlink.launch.fanout.ask import Answer, answers
from slowlink.model.plan import Ended, Node

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.fanout.ways import Way

_SIGNALLED = 128
"""A shell's status above it is a signal."""


class Program(Struct, frozen=True):
    """One of them."""

    name: str
    """Of its capture."""
    kind: str
    node: Node
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    """Of the program itself."""
    told_argv: tuple[str, ...] = ()
    """What the capture says of it, without directories that change from run to run; () for ``argv``."""
    told_env: Mapping[str, str] = field(default_factory=dict)
    """What the capture says of the variables of the ranks."""


def side_by_side(
    programs: Sequence[Program], way: Way, bundle: BundleWriter, *, timeout_s: float, at_once: int
) -> Iterator[tuple[Program, Ended, str]]:
    """Each as it ends, with how it ended and what it printed; it is in the bundle then. Those that an interrupt ended
    leave nothing in the bundle. Raises KeyboardInterrupt after everything was ended, and SlowlinkError when the bundle
    cannot be written."""
    mark = f"#slowlink-{os.urandom(8).hex()}"
    stop = threading.Event()

    def script(place: int) -> str:
        return alone_script(programs[place].argv, programs[place].env, mark)

    nodes = [program.node for program in programs]
    with bundle.many():
        for place, answer in answers(nodes, script, way, timeout_s=timeout_s, fanout=at_once, stop=stop, held=True):
            program, end = programs[place], alone_end(answer.stderr, mark)
            if stop.is_set() and (end.status is None or end.status > _SIGNALLED):
                continue
            ended = _ended(answer, end.status)
            node = None if way.name == "local" else program.node.name
            argv = program.told_argv or program.argv
            with bundle.capture(program.name, program.kind, argv, node=node, env=program.told_env) as capture:
                capture.write_stdout(answer.stdout)
                if end.stderr:
                    capture.write_stderr(end.stderr)
                capture.end(ended)
            yield program, ended, answer.stdout
    if stop.is_set():
        raise KeyboardInterrupt


def _ended(answer: Answer, status: int | None) -> Ended:
    if status is None:
        late = answer.trouble.startswith(("not finished", "no answer within"))
        why = answer.trouble or "its end was not heard"
        return Ended(
            None, None, "timeout" if late else "silent", answer.started_at, answer.seconds, "" if late else why
        )
    signal = status - _SIGNALLED if status > _SIGNALLED else None
    return Ended(None if signal else status, signal, "exited", answer.started_at, answer.seconds, answer.trouble)
