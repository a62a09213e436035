"""Switching the profiler of a running job on for a while, by NCCL's RAS. It is off again whatever ends us."""

from __future__ import annotations

import time
from importlib.resources import files
from shlex import quote

from msgspec import Struct

from slowlink.bundle import BundleWriter
from slowlink.errors import SlowlinkError
from slowlink.launch.fanout.held import Held, HeldEnd
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Ended, Node
from slowlink.patterns import regex
from slowlink.workflows.attach.question import how_addresses_are_found

READY = "slowlink-profiler ready"
_MASK = regex(r"none|all|0x[0-9A-Fa-f]{1,8}|\d{1,10}|[a-z0-9]{1,20}(?:,[a-z0-9]{1,20}){0,30}")
_PATIENCE_S = 25.0
_GRACE_S = 25.0
"""For the last command: three tries of five seconds."""
_LONGER_S = 30.0
"""The node switches off by itself so long after we should have told it."""
_TICK_S = 0.2
_MOST_TRIED = 8


class Profiling(Struct, frozen=True):
    """What is switched on, for how long, and what is there afterwards: the mask before cannot be asked."""

    seconds: float
    mask: str
    afterwards: str
    addresses: tuple[str, ...] = ()
    """Where RAS listens; none: where processes and the configuration of the node say, as for the question to RAS."""
    root: str = ""
    """Where the host's file system lies."""


def check(wanted: Profiling) -> None:
    """Raises SlowlinkError (``usage``) for a mask that is none."""
    for mask in (wanted.mask, wanted.afterwards):
        if _MASK.fullmatch(mask) is None:
            raise SlowlinkError(
                f"{mask[:80]!r} is no mask of NCCL's profiler", hint="all, none, coll,kernelch or 0x42", slug="usage"
            )


def script_of(wanted: Profiling) -> str:
    """What runs on the node that is asked."""
    given = {
        "ADDRESSES": " ".join(wanted.addresses),
        "ROOT": wanted.root,
        "ON": wanted.mask,
        "OFF": wanted.afterwards,
        "LONGEST": str(round(wanted.seconds + _LONGER_S)),
    }
    text = (files("slowlink.samplers") / "nccl-profiler.sh").read_text(encoding="utf-8")
    # As one command, so that the shell has read all of it before it waits for the end of its input.
    settings = "".join(f"{name}={quote(value)}\n" for name, value in given.items())
    return f"{settings}{{\n{how_addresses_are_found()}{text}exit\n}}\n"


def profile(wanted: Profiling, nodes: tuple[Node, ...], way: Way, bundle: BundleWriter) -> tuple[str, str]:
    """Switch it on by the first of these nodes whose job takes it, and off after its time: the node ("" for none), and
    why nobody took it. What was said is in the bundle. Raises KeyboardInterrupt after it was switched off."""
    why = "no node was asked"
    for node in nodes[:_MOST_TRIED]:
        held = Held([node], lambda _: script_of(wanted), way, READY)
        works = False
        try:
            works = not held.start(_PATIENCE_S)
            until = time.monotonic() + wanted.seconds
            while works and time.monotonic() < until and not held.ended_early():
                time.sleep(_TICK_S)
        finally:
            ends = held.stop(_GRACE_S)
            _store(bundle, way, node, ends)
        if works:
            return node.name, ""
        why = _refused(ends)
    return "", why


def _refused(ends: list[HeldEnd]) -> str:
    lines = [line for end in ends for line in (end.stdout + end.stderr).splitlines()]
    refused = [" ".join(line.split()[2:]) for line in lines if line.startswith("slowlink-profiler refused ")]
    unsure = [line.split()[2] for line in lines if line.startswith("slowlink-profiler off ")]
    if refused or unsure:
        return "; ".join([*refused, *(f"{address} gave no answer" for address in unsure)])[:300]
    said = [line.strip() for end in ends for line in end.stderr.splitlines() if line.strip()]
    return f"its node did not answer{f': {said[-1]}' if said else ''}"[:300]


def _store(bundle: BundleWriter, way: Way, node: Node, ends: list[HeldEnd]) -> None:
    for end in ends:
        with bundle.capture(f"profiler/{node.name}", "state", way.argv(node), node=node.name) as capture:
            capture.write_stdout(end.stdout)
            capture.end(Ended(end.status, None, "exited", end.started_at, end.seconds, "", ()))
