"""TCP or UDP between two hosts carries nothing, loses packets, or runs over a slow port.

iperf measured it. A connection that is made and then carries nothing passes small packets and no long ones: the MTU of
one interface, or of a switch between them, is smaller than that of the others. Retransmits are segments that were lost
on the way and sent again; datagrams of UDP that are lost stay lost. 0.94 Gb/s is what a port of 1 Gb/s carries: the
traffic took the management network.

Why it matters: NCCL begins over TCP on that network; over sockets it sends its data there, too. RDMA takes another way.
How to confirm: ``ping -M do -s 8972 PEER`` for the MTU; ``ip -s link`` and ``ethtool -S`` at both ends before and after
another run; ``ip route get PEER`` for the interface in use.
What to do: one MTU on the whole way; a better cable, or less traffic at once; the address of the fast interface.
When it is wrong: TCP finds out what a path carries by losing packets, so a few belong to it, and more at the rate of a
port; a receiver that is too slow drops datagrams itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.parting import parted
from slowlink.rules.evidence.commands import as_address, command, one_after_another
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, groups_of, happened, hosts_of, listed, refs_of

CAUSES = ("mtu-mismatch", "link-errors", "socket-interface-wrong")

_SEGMENT = 1448
"""Bytes of a segment on Ethernet with its usual MTU; longer ones make the share only larger."""


class Params(Struct, frozen=True):
    """What is bad."""

    retransmitted: float = 0.002
    """Share of segments that were sent again: probing for bandwidth costs less."""
    lost: float = 0.01
    """Share of datagrams."""
    slow_port: tuple[float, float] = (0.85, 0.96)
    """Gb/s that a port of 1 Gb/s carries."""


def check(events: Events, params: Params) -> Iterator[Finding]:
    """One finding each for tests that carried nothing, that lost packets, and over a slow port."""
    tests = happened(events, "iperf-result")
    if nothing := [t for t in tests if _rate(t) == 0]:
        yield _finding("mtu-mismatch", nothing, "connects and then carries nothing: long packets do not pass", "error")
    low, high = params.slow_port
    slow, others = parted(tests, lambda test: low <= _rate(test) <= high)
    lossy = [t for t in others if _rate(t) > 0 and _lost_share(t) > _least(t, params)]
    if lossy:
        worst = max(lossy, key=_lost_share)
        words = f"{_lost_share(worst):.1%} of the packets were lost at {_rate(worst):.3g} Gb/s"
        yield _finding("link-errors", lossy, words, "warning")
    if slow:
        words = f"{_rate(slow[0]):.2f} Gb/s is what a port of 1 Gb/s carries: this is not the fast network"
        yield _finding("socket-interface-wrong", slow, words, "warning")


def _rate(test: JobEvent) -> float:
    return float(test.groups["rate_gbit"])


def _least(test: JobEvent, params: Params) -> float:
    return params.lost if "lost" in test.groups else params.retransmitted


def _lost_share(test: JobEvent) -> float:
    """Of datagrams, or of the segments that the amount takes."""
    groups = test.groups
    if "lost" in groups:
        return int(groups["lost"]) / max(int(groups.get("datagrams", "0")), 1)
    return int(groups.get("retransmits", "0")) / max(float(groups["bytes"]) / _SEGMENT, 1)


def _finding(cause: str, found: Sequence[JobEvent], words: str, severity: Severity) -> Finding:
    peers, hosts = groups_of(found, "peer"), hosts_of(found)
    to = f"to {listed(peers)}: " if peers else ""
    peer = as_address(next(iter(peers), None))
    return finding(
        cause,
        f"{at_hosts(hosts)}{to}{words}",
        severity=severity,
        confidence="possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", (*hosts, *peers)),
        remedy=[
            (
                "See which interface the traffic takes, and its MTU and errors.",
                one_after_another(command("ip", "route", "get", peer), command("ip", "-s", "link")),
            ),
            ("See whether long packets pass uncut.", command("ping", "-M", "do", "-s", "8972", "-c", "3", "--", peer)),
        ],
    )
