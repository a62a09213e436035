"""The manifest of a bundle: what was run, with which variables, and how it ended.

One capture of ``manifest.json``::

    {"schema": "slowlink.bundle/1", "slowlink": "0.1", "created_at": 1795000000.0,
     "captures": [{"name": "all_reduce-1", "kind": "benchmark", "node": null,
                   "argv": ["mpirun", "-np", "16", "./all_reduce_perf", "-b", "8"], "env": {"NCCL_DEBUG": "INFO"},
                   "files": ["all_reduce-1/stdout.txt"],
                   "ended": {"reason": "timeout", "status": null, "signal": 15, "started_at": 1795000001.0,
                             "seconds": 600.0}}]}

Source: ``bundle/manifest.py``; a newer schema is read as far as it is known. An end that is as it should be (status 0)
gives no event: an event is a sign that something went wrong. What has no end is one: slowlink itself was killed.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from slowlink.bundle.manifest import manifest_from, schema_version
from slowlink.model.bundle import MANIFEST_NAME, SCHEMA_VERSION, Manifest
from slowlink.model.job import Command, JobEvent
from slowlink.model.nccl import EnvSetting, LogProcess
from slowlink.model.plan import Capture, Ended
from slowlink.model.source import Line, Ref
from slowlink.model.state import Origin
from slowlink.nodes import fold
from slowlink.parsers.context.commands.reader import Commands
from slowlink.parsers.forms.carried_variables import describes_job, is_carried
from slowlink.parsers.forms.limit import Limit
from slowlink.patterns import regex

RUN_ENDED = "slowlink-run-ended"
COMMAND_EXITED = "command-exited"
"""The user's own program ended badly by itself: nobody but slowlink waited for it and can say so."""
CUT_OFF = "cut-off"
"""Reason of a capture that has no end: slowlink was killed, or was still at it."""
MAX_CAPTURES = Limit(100_000, "captures")
_WELL = ("exited", "written")
_COMMAND, _STATE = "command", "state"
"""Kinds of captures: the user's own program; a node's transcript, which says itself how each question ended, and
whether the node answered."""
_NODE_NAME = regex(r"[\w.:-]{1,255}")


class BundleManifest:
    """Gives the commands, variables, bad or missing ends and origins of files that ``manifest.json`` records."""

    kind: ClassVar[str] = "bundle"

    @staticmethod
    def wants_document(value: object) -> bool:
        return schema_version(value) is not None

    def read(self, value: object, source: str, line: int) -> Iterable[Command | EnvSetting | JobEvent | Origin]:
        """A command, its variables, how it ended and whose its files are, for each capture. A newer schema is read as
        far as it is known."""
        manifest = manifest_from(_as_known(value))
        for capture in MAX_CAPTURES.first(manifest.captures):
            ref = Ref(source, line, shlex.join(capture.argv)[:400])
            if capture.kind != _STATE:  # the way to the node, the same for all
                yield from _commands(capture, ref)
            yield from _settings(capture, ref)
            yield from _end(capture, ref)
            yield from _origins(capture, ref)
        yield from _end_of_all(manifest, source, line)


def _as_known(value: object) -> dict[str, Any]:
    """The manifest as one of this version: what a later one adds is passed over."""
    found = dict(value) if isinstance(value, dict) else {}
    found["schema"] = f"slowlink.bundle/{SCHEMA_VERSION}"
    return found


def _commands(capture: Capture, ref: Ref) -> Iterator[Command | EnvSetting]:
    if not capture.argv:
        return
    lines = Commands()
    lines.feed(Line(ref.source, ref.line, "$ " + shlex.join(capture.argv), host=capture.node))
    found = list(lines.finish())
    yield from found
    if not any(isinstance(record, Command) for record in found):
        program = capture.argv[0].rsplit("/", 1)[-1]
        yield Command(program, capture.argv, None, None, None, (), ref)


def _settings(capture: Capture, ref: Ref) -> Iterator[EnvSetting]:
    process = LogProcess(capture.node, None)
    for name, value in capture.env.items():
        if is_carried(name) or describes_job(name):
            yield EnvSetting(name, value, "dump", process, ref)


def _end(capture: Capture, ref: Ref) -> Iterator[JobEvent]:
    ended = capture.ended
    if capture.kind == _STATE:
        return
    if ended is not None and ended.reason in _WELL and not ended.status and ended.signal is None:
        return
    reason = CUT_OFF if ended is None else ended.reason
    groups = {"capture": capture.name, "kind": capture.kind, "reason": reason}
    if ended is not None:
        groups["seconds"] = f"{ended.seconds:g}"
        groups |= {
            name: str(number)
            for name, number in (("status", ended.status), ("signal", ended.signal))
            if number is not None
        }
        if ended.detail:
            groups["detail"] = ended.detail
        nodes = [name for name in ended.nodes if _NODE_NAME.fullmatch(name)]
        if nodes:
            groups["nodes"] = fold(nodes)
    text = f"{capture.name} {_words(ended)}"
    host = ended.nodes[0] if ended is not None and len(ended.nodes) == 1 else capture.node
    at = Ref(ref.source, ref.line, text[:400])
    yield JobEvent(RUN_ENDED, "slowlink", text, groups, at, host=host)
    if capture.kind == _COMMAND and reason == "exited" and capture.argv:
        program = capture.argv[0].rsplit("/", 1)[-1]
        status = {"code": groups["status"]} if "status" in groups else {}
        signal = {"signal": groups["signal"]} if "signal" in groups else {}
        yield JobEvent(
            COMMAND_EXITED, "slowlink", text, {"form": "end", "program": program, **status, **signal}, at, host=host
        )


def _end_of_all(manifest: Manifest, source: str, line: int) -> Iterator[JobEvent]:
    """The bundle itself has no end, and no capture says so: it was cut off between two, or while nodes were asked."""
    if any(capture.ended is None and capture.kind != _STATE for capture in manifest.captures):
        return
    if manifest.finished is None or any(capture.ended is None for capture in manifest.captures):
        text = "the bundle has no end: slowlink was ended before it"
        yield JobEvent(RUN_ENDED, "slowlink", text, {"reason": CUT_OFF}, Ref(source, line, text))


def _origins(capture: Capture, ref: Ref) -> Iterator[Origin]:
    """Files lie beside the manifest, under the name that inputs give them."""
    top = ref.source.removesuffix(MANIFEST_NAME)
    for path in capture.files:
        yield Origin(f"{top}{path}", capture.node, capture.ended.started_at if capture.ended else None, ref)


def _words(ended: Ended | None) -> str:
    """How it ended, as the second half of a sentence about the capture."""
    if ended is None:
        return "has no end: slowlink was ended before it"
    if ended.signal is not None and ended.reason == "exited":
        words = f"was ended by signal {ended.signal}"
    elif ended.reason == "exited":
        words = f"exited with status {ended.status}"
    else:
        after = f"after {ended.seconds:.0f} s"
        words = {
            "timeout": f"was ended at its time limit {after}",
            "silent": f"was ended by the watchdog {after}: nothing was heard",
            "standing": f"was ended {after} because a rank stood still",
            "interrupted": f"was interrupted {after}",
            "enough": f"was ended {after}, as it was asked for",
            "not-started": "could not be started",
        }.get(ended.reason, f"ended: {ended.reason}")
    return f"{words} ({ended.detail})" if ended.detail else words


DOCUMENT = BundleManifest
