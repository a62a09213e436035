"""A queue of the kernel holds an interface's packets back.

``tc`` can let no more than a rate through an interface (tbf, htb, cake), or delay and lose packets on purpose (netem).
Container networks set such limits for the bandwidth of a pod, people for a test that they forgot. What such a queue
counts as over its limit are packets that waited for it.

Why it matters: all that goes through the kernel, NCCL's sockets and its start among it, goes at that rate. RDMA takes
another way and is not held back.
How to confirm: ``tc -s qdisc show dev IF`` again under load: overlimits and drops that grow; ``iperf3`` between nodes.
What to do: ``tc qdisc del dev IF root``, or ask who limits this node or this pod, and why.
When it is wrong: the queue belongs to an interface that the job does not use, or to virtual machines beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest, value_of
from slowlink.model.facts import Of, Readings, State
from slowlink.model.report import Confidence, Finding
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.findings import Step, finding
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("traffic-shaped",)

_REMEDY = (
    Step("Read it again under load: overlimits and drops that grow.", "tc -s qdisc show dev IF"),
    Step("If nobody wants it, take it off.", "tc qdisc del dev IF root"),
)


def check(
    queues: Annotated[Readings, Of("queue-rate", "queue-delay", "queue-loss")],
    waited: Annotated[Readings, Of("queue-overlimits")] | None,
    state: State | None,
) -> Iterator[Finding]:
    """One finding for what netem spoils, one for limits. Warnings: nobody says that the job goes through them."""
    spoilt = _last(queues, "queue-delay") + _last(queues, "queue-loss")
    spoilt = [reading for reading in spoilt if float(reading.value) > 0]
    if spoilt:
        yield _finding(f"netem spoils packets on purpose: {_named(spoilt)}", spoilt, [], "likely")
    over = {(r.host, r.part): r for r in latest(waited.all).values()} if waited is not None else {}
    below = [r for r in _last(queues, "queue-rate") if float(r.value) < _speed(state, r)]
    held = [r for r in below if (r.host, r.part) in over and int(over[r.host, r.part].value) > 0]
    if held:
        counts = [over[r.host, r.part] for r in held]
        yield _finding(f"packets wait for the limit of a queue: {_named(held)}", held, counts, "likely")
    unseen = [r for r in below if (r.host, r.part) not in over]
    if unseen and not held:
        yield _finding(f"a queue limits an interface: {_named(unseen)}", unseen, [], "possible")


def _last(queues: Readings, name: str) -> list[Reading]:
    return list(latest(by_attribute(queues, name)).values())


def _speed(state: State | None, limit: Reading) -> float:
    """Gb/s of the queue's interface: a limit above it limits nothing. Endless where it is not known."""
    interface = Part("interface", limit.part.name.partition(" ")[0])
    speed = value_of(state, "interface-speed", limit.host or "", interface) if state is not None else None
    return float(speed.value) if speed is not None else float("inf")


def _named(queues: Sequence[Reading]) -> str:
    units = {"queue-rate": "Gb/s", "queue-delay": "ms more", "queue-loss": "% lost"}
    return listed([f"{float(r.value):g} {units[r.attribute]} at {r.part.name}" for r in queues])


def _finding(words: str, queues: Sequence[Reading], counts: Sequence[Reading], confidence: Confidence) -> Finding:
    return finding(
        CAUSES[0],
        f"{on_nodes(queues)}{words}",
        severity="warning",
        confidence=confidence,
        evidence=(*reading_evidence(queues, most=3), *reading_evidence(counts, most=3)),
        suspects=node_suspects(queues),
        explains=("link-bandwidth-low", "latency-high"),
        remedy=_REMEDY,
        references=["https://man7.org/linux/man-pages/man8/tc.8.html"],
    )
