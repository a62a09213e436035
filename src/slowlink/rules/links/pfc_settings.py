"""Flow control of RoCE is not the same on all interfaces, or is off where packets are marked for it.

RoCE loses nothing as long as every interface and switch on the way pauses the same priority (PFC), and finds that
priority in the same field of a packet: the DSCP of its IP header, or the VLAN tag (pcp). One interface that differs
drops what the others would have paused. The same holds where all are alike and wrong: NCCL_IB_TC marks packets, and no
priority is paused, or the mark is not looked at; or an interface that pauses nothing discards packets that it received,
more of them between two readings.

Of two interfaces nobody knows by their number which one is wrong. Their counters tell it: one that discarded packets on
receive, or whose node got packets out of sequence, a thousand times as many as the others, has lost what these settings
should have kept. One that pauses a priority where the other pauses none is never the wrong one; and where NCCL_IB_TC
marks packets for a priority that only some interfaces pause, the others are wrong.

Why it matters: a lost packet costs RoCE a time-out or a whole window; under incast bandwidth collapses.
How to confirm: ``mlnx_qos -i IF`` on both nodes; discards and packets out of sequence grow with load.
What to do: set all interfaces alike (``mlnx_qos -i IF --trust dscp --pfc 0,0,0,1,0,0,0,0``), and make it last a boot.
When it is wrong: the fabric does without PFC on purpose (its switches and adapters handle loss), or the interface that
differs carries no RoCE.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import Growth, by_attribute, growth, latest
from slowlink.model.facts import Environment, Of, Readings
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.counters import growth_evidence
from slowlink.rules.evidence.findings import Step, finding, line_evidence
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.packets_by_node import LOSSES, Loss, worst_of

CAUSES = ("pfc-ecn-settings",)

_PFC, _TRUST, _NETDEV = "interface-pfc", "interface-trust", "port-netdev"
_DISCARDS, _FEWEST_DROPPED = "interface-rx-discards", 1000
"""Between two readings; a peer that restarts makes fewer."""
_TITLES = {_PFC: "paused priorities", _TRUST: "trust"}
_STEPS = (
    Step("Read the settings of this interface and of one that is right.", "mlnx_qos -i IF"),
    Step("Set what differs.", "mlnx_qos -i IF --trust dscp --pfc 0,0,0,1,0,0,0,0"),
    Step("See whether packets were lost.", "ethtool -S IF | grep -E 'discard|out_of_buffer'"),
)


def check(
    readings: Annotated[Readings, Of(_PFC, _TRUST)],
    ports: Annotated[Readings, Of(_NETDEV)] | None,
    losses: Annotated[Readings, Of(*LOSSES)] | None,
    environment: Environment | None,
) -> Iterator[Finding]:
    """A finding for each setting in which few interfaces differ from the rest, else for marks that nobody heeds."""
    rdma = {(r.host, str(r.value)) for r in by_attribute(ports, _NETDEV)} if ports is not None else set()
    differs = False
    for attribute in (_PFC, _TRUST):
        known = _of_rdma(list(latest(by_attribute(readings, attribute)).values()), rdma)
        odd, usual = _odd_ones(known)
        loss = worst_of(losses, known)
        if not odd and loss is not None:
            odd, usual = _those_of(loss.node, known)
        if odd:
            differs = True
            yield _different(attribute, odd, usual, loss if loss and {loss.node} == {r.host for r in odd} else None)
    pfc = _of_rdma(list(latest(by_attribute(readings, _PFC)).values()), rdma)
    marks = _marks(environment)
    dropping = _dropping(pfc, losses)
    if dropping and not differs:
        yield _lossy([r for r in pfc if _place(r) in {_place(g.last) for g in dropping}], dropping)
    if differs or dropping or not marks or not pfc:
        return
    priority = _priority(marks[0])
    deaf = [reading for reading in pfc if str(priority) not in str(reading.value).split()]
    if len(deaf) == len(pfc):
        yield _unheeded(pfc, marks[0], priority)
    elif deaf:
        yield _unheeded_by_some(deaf, marks[0], priority)


def _place(reading: Reading) -> tuple[str | None, str]:
    return reading.host, reading.part.name


def _dropping(pfc: Sequence[Reading], losses: Readings | None) -> list[Growth]:
    """Discards on receive that grew at interfaces that pause no priority."""
    without = {_place(reading) for reading in pfc if reading.value == "off"}
    discards = by_attribute(losses, _DISCARDS) if losses is not None and without else []
    return [grown for grown in growth(discards) if _place(grown.last) in without and grown.by >= _FEWEST_DROPPED]


def _of_rdma(readings: Sequence[Reading], rdma: set[tuple[str | None, str]]) -> list[Reading]:
    """Those of interfaces that carry RDMA, where it is known which ones do."""
    named = [reading for reading in readings if (reading.host, reading.part.name) in rdma]
    return named or list(readings)


def _odd_ones(readings: Sequence[Reading]) -> tuple[list[Reading], str]:
    """The interfaces that differ from at least two thirds of all, and what those say."""
    counts = Counter(str(reading.value) for reading in readings)
    usual, most = counts.most_common(1)[0] if counts else ("", 0)
    if len(counts) < 2 or most < 2 or most * 3 < len(readings) * 2:
        return [], ""
    return [reading for reading in readings if str(reading.value) != usual], usual


def _those_of(node: str, readings: Sequence[Reading]) -> tuple[list[Reading], str]:
    """The interfaces of ``node`` that differ from what all other nodes agree on, and what those say; those that pause a
    priority have done their part."""
    others = {str(reading.value) for reading in readings if reading.host != node}
    usual = next(iter(others)) if len(others) == 1 else ""
    mine = [r for r in readings if r.host == node and (r.attribute != _PFC or r.value == "off")]
    return [r for r in mine if usual and str(r.value) != usual], usual


def _marks(environment: Environment | None) -> list[EnvSetting]:
    """Settings that mark packets with a traffic class other than the default."""
    settings = environment.settings if environment is not None else ()
    return [
        s for s in settings if s.name in ("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS") and s.value.isdecimal() and int(s.value)
    ]


def _priority(mark: EnvSetting) -> int:
    """Where nothing else is set, eight DSCPs share a priority; the DSCP is the upper six bits of the traffic class."""
    return int(mark.value) >> 5


def _different(attribute: str, odd: list[Reading], usual: str, loss: Loss | None) -> Finding:
    """``loss``: what the node of these interfaces lost, where it is far more than others did."""
    names = ", ".join(dict.fromkeys(f"{r.part.name} {r.value}" for r in odd[:4]))
    return finding(
        "pfc-ecn-settings",
        f"{on_nodes(odd)}{_TITLES[attribute]}: {names}, the other interfaces {usual}"
        + (f"; it counted {loss.worst.value} {loss.title}" if loss else ""),
        severity="error" if loss else "warning",
        confidence="likely",
        evidence=[*reading_evidence(odd, expected=usual), *(loss.evidence if loss else ())],
        suspects=(*node_suspects(odd), *part_suspects("interface", odd[:8])),
        explains=("node-differs", "fabric-congestion", "slow-path"),
        remedy=_STEPS,
    )


def _lossy(pfc: list[Reading], dropping: list[Growth]) -> Finding:
    worst = max(dropping, key=lambda grown: grown.by)
    return finding(
        "pfc-ecn-settings",
        f"{on_nodes(pfc)}{worst.last.part.name} pauses no priority, and discarded {worst.by:,} packets that it "
        "received between two readings",
        severity="error",
        confidence="likely",
        evidence=[*reading_evidence(pfc, expected="the priority of RoCE"), *growth_evidence(dropping, 2)],
        suspects=(*node_suspects(pfc), *part_suspects("interface", pfc[:8])),
        explains=("fabric-congestion", "link-errors", "slow-path", "busbw-below-expected"),
        remedy=_STEPS,
    )


def _unheeded_by_some(deaf: list[Reading], mark: EnvSetting, priority: int) -> Finding:
    """Of two settings the packets' own mark tells which one is right."""
    names = list(dict.fromkeys(r.part.name for r in deaf))
    return finding(
        "pfc-ecn-settings",
        f"{on_nodes(deaf)}{mark.name}={mark.value} marks packets for priority {priority}, which {listed(names)} "
        f"{'does' if len(names) == 1 else 'do'} not pause, while others do",
        severity="error",
        confidence="likely",
        evidence=[*reading_evidence(deaf, expected=str(priority)), line_evidence(mark.ref)],
        suspects=(*node_suspects(deaf), *part_suspects("interface", deaf[:8])),
        explains=("node-differs", "fabric-congestion", "slow-path", "busbw-below-expected"),
        remedy=_STEPS,
    )


def _unheeded(pfc: list[Reading], mark: EnvSetting, priority: int) -> Finding:
    return finding(
        "pfc-ecn-settings",
        f"{mark.name}={mark.value} marks packets for priority {priority}, and no interface pauses it",
        severity="warning",
        confidence="possible",
        evidence=[*reading_evidence(pfc, most=2), line_evidence(mark.ref)],
        suspects=node_suspects(pfc),
        remedy=_STEPS,
    )
