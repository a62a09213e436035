"""Packets of ping did not come back.

None came back: the node is off, cannot be reached on that network, or something on the way drops pings. Where the
network itself answered that the destination cannot be reached, it is no filter. Some came back: the way between the two
nodes loses packets, or the node limits its answers. Long packets that may not be cut (``-M do -s 8972``) and do not
pass show an interface on the way whose MTU is smaller; so do long ones without an answer where short ones have one.

Why it matters: NCCL starts over TCP on that network; over sockets it also sends its data there, and each lost packet
stalls the ring.
How to confirm: ping the node from a third one, and another node from here; try TCP: ``nc -vz NODE 22``.
What to do: for a node that is away, its power, its interface and the route; for packets that are lost, the counters of
both interfaces (``ip -s link``, ``ethtool -S``).
When it is wrong: firewalls drop pings and let TCP through; kernels and switches answer only so many of a flood
(``-f``). InfiniBand and RoCE take another way. ibping is answered by ``ibping -S`` alone, which has to be started.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_address, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("tcp-unreachable", "fabric-path-blocked", "link-errors", "mtu-mismatch")

_ALONE = 2
"""Packets that may be lost before anything is said: the first of a ping waits for the address of its peer."""


def check(events: Events) -> Iterator[Finding]:
    """One finding for nodes that answer nothing, one for ways that lose some packets, one for packets too long."""
    every = happened(events, "ping-lost")
    if too_long := [e for e in every if "mtu" in e.groups]:
        yield _too_long(too_long)
    lost = [e for e in every if "mtu" not in e.groups]
    answers = _last_answers(events)
    silent = [e for e in lost if int(e.groups["received"]) == 0 and not _answered_later(e, answers)]
    if by_lid := [e for e in silent if _is_lid(e)]:
        yield _no_answer_in_the_fabric(by_lid)
    if long := [e for e in silent if "bytes" in e.groups]:
        yield _no_answer_to_long_ones(long, {peer for _, peer in answers})
    if others := [e for e in silent if not _is_lid(e) and "bytes" not in e.groups]:
        yield _unreachable(others)
    lossy = [e for e in lost if int(e.groups["received"]) > 0 and _missing(e) >= _ALONE]
    if lossy:
        yield _lossy(lossy)


def _last_answers(events: Events) -> dict[tuple[str, str], int]:
    """By place and node, the line of the last ping that this node answered there."""
    return {
        (event.ref.source, event.groups.get("peer", "")): event.ref.line
        for event in sorted(events.all, key=lambda event: event.ref.line)
        if event.kind in ("ping-lost", "ping-answered") and int(event.groups["received"]) > 0
    }


def _answered_later(event: JobEvent, answers: dict[tuple[str, str], int]) -> bool:
    """Did the same node answer a later ping from the same place?"""
    peer = event.groups.get("peer", "")
    return bool(peer) and answers.get((event.ref.source, peer), 0) > event.ref.line


def _is_lid(event: JobEvent) -> bool:
    """Did ibping ask, over InfiniBand?"""
    return event.groups.get("peer", "").startswith("Lid ")


def _no_answer_in_the_fabric(found: Sequence[JobEvent]) -> Finding:
    """ibping needs a server of its own at the other end."""
    hosts = hosts_of(found)
    return finding(
        "fabric-path-blocked",
        f"{at_hosts(hosts)}{listed(groups_of(found, 'peer'))} answers no ibping: no ibping -S runs there, or the "
        "fabric carries nothing to it",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        remedy=[
            ("Start the server at the other end, and ask again.", "ibping -S"),
            (
                "See the way through the fabric, and whether each hop answers.",
                "ibtracert SOURCE_LID LID; smpquery portinfo LID",
            ),
        ],
    )


def _missing(event: JobEvent) -> int:
    return int(event.groups["sent"]) - int(event.groups["received"])


def _unreachable(found: Sequence[JobEvent]) -> Finding:
    peers, hosts = groups_of(found, "peer"), hosts_of(found)
    told = any(int(event.groups.get("errors", "0")) for event in found)
    why = "the network answers that it cannot be reached" if told else "it is away, or pings are dropped on the way"
    return finding(
        "tcp-unreachable",
        f"{at_hosts(hosts)}{listed(peers) or 'a node'} answers no ping: {why}",
        severity="error" if told else "warning",
        confidence="likely" if told else "possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", peers),
        remedy=[
            (
                "Try TCP instead, which a firewall for pings lets through.",
                command("nc", "-vz", "--", as_address(next(iter(peers), None)), "22"),
            ),
            ("Ping the node from a third one; look whether it is up, and at its route.", "ip route; ip -br link"),
        ],
    )


def _lossy(found: Sequence[JobEvent]) -> Finding:
    peers, hosts = groups_of(found, "peer"), hosts_of(found)
    worst = max(found, key=lambda event: _missing(event) / int(event.groups["sent"]))
    return finding(
        "link-errors",
        f"{at_hosts(hosts)}{_missing(worst)} of {worst.groups['sent']} pings to "
        f"{worst.groups.get('peer', 'a node')} did not come back: packets are lost on the way",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", peers),
        remedy=[
            ("See where packets are dropped, on both ends.", "ip -s link; ethtool -S IF | grep -E 'drop|err|discard'")
        ],
    )


def _no_answer_to_long_ones(found: Sequence[JobEvent], answering: Collection[str]) -> Finding:
    """``answering``: nodes that answered another ping."""
    peers, hosts = groups_of(found, "peer"), hosts_of(found)
    known = bool(peers) and set(peers) <= set(answering)
    return finding(
        "mtu-mismatch",
        f"{at_hosts(hosts)}{listed(peers) or 'a node'} answers no ping of {listed(groups_of(found, 'bytes'))} bytes"
        + (", and answers shorter ones" if known else "; whether it answers shorter ones was not tried"),
        severity="error" if known else "warning",
        confidence="likely" if known else "possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", peers),
        remedy=[
            (
                "Ping it with short packets: if it answers these, an MTU on the way is too small for the long ones.",
                command("ping", "-c", "3", "--", as_address(next(iter(peers), None))),
            ),
            ("Compare the MTU of both interfaces and of the switch ports between them.", "ip -br link; ip -d link"),
        ],
    )


def _too_long(found: Sequence[JobEvent]) -> Finding:
    peers, hosts = groups_of(found, "peer"), hosts_of(found)
    sizes = [mtu for mtu in groups_of(found, "mtu") if mtu.isdecimal()]
    return finding(
        "mtu-mismatch",
        f"{at_hosts(hosts)}pings of the size that was asked for do not pass to {listed(peers) or 'a node'}"
        + (f": the MTU is {listed(sizes)} there or on the way" if sizes else ": an MTU on the way is smaller"),
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", peers),
        remedy=[
            ("Compare the MTU of both interfaces and of the switch ports between them.", "ip -br link; ip -d link")
        ],
    )
