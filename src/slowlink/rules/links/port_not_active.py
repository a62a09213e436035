"""An HCA port of the compute fabric is not up.

Tools show a port as Down while most other nodes have theirs Active (two at least), while NCCL uses the HCA on another
node and not on this one, while ports of the same kind on the node are Active, or while no port of the node is and the
list has no gap. Other ports may be unused, storage or
management: the second port of a card is only noted (not even that on Ethernet, where its first is Active and no other
node has it Active), a card of another kind is a warning, an Ethernet port beside Active InfiniBand is left out. Ports
that are Active are a proof while none is noted to be down; one alone without its rate is none.

Why it matters: the HCA carries nothing; its GPUs share another one, or the job fails if it names this one.
How to confirm: ``ibstat HCA`` or ``rdma link`` on the node: "Polling" lacks a cable or the other end; "Disabled" was
switched off on InfiniBand, while on Ethernet it only means that the link is down.
What to do: check cable, transceiver and switch port; ``mlxlink -d HCA --port_state UP`` or ``ip link set IF up``
where it was switched off. Until it is fixed, leave the port out with NCCL_IB_HCA.
When it is wrong: some ports are not cabled by design.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from slowlink.facts.network import devices_by_host
from slowlink.model.facts import Network
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.ordering import by_numbers
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.links_to_docs import IBV_ASYNC, NCCL_ENV
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence
from slowlink.rules.links.leave_out import leave_out, leave_out_hcas
from slowlink.rules.links.port_kinds import CountsByKind, Kind, kinds_of
from slowlink.rules.links.port_readings import (
    Port,
    PortReadings,
    evidence_of,
    names_of,
    nodes_with_ports,
    ports_of,
)

CAUSES = ("port-down",)
DENIES = ("port-down", "port-rate-low", "link-flapping", "subnet-manager-missing", "hca-missing")

_BOARD = 8
"""Ports of the usual board. Of ports that were only counted nobody knows which belong to it."""
_NUMBERED = regex(r"[a-z]\w*_(\d{1,3})")
"""``mlx5_8``: HCAs of one driver are numbered from 0 on."""
_FEW_PEERS = 2
"""Ports that must be up before they show how this one should be: the same one of other nodes, or siblings."""


class Judged(NamedTuple):
    """What it means that a port is down."""

    severity: Severity
    confidence: Confidence
    against: str
    """In words: what else is up or down."""


class _States:
    """How many nodes have a port of a name, on how many it is Active, and on how many NCCL uses its HCA."""

    def __init__(self, ports: Sequence[Port], network: Network | None) -> None:
        self.ports = Counter(port.name for port in ports)
        self.active = Counter(port.name for port in ports if port.state == "Active")
        lists = devices_by_host(network) if network is not None else {}
        self._listed = {host: {device.name for device in devices} for host, devices in lists.items()}
        self._using = Counter(name for names in self._listed.values() for name in names)

    def using(self, port: Port) -> int:
        """Nodes on which NCCL uses the HCA of this port, where it is known that it does not on the port's own."""
        own = self._listed.get(port.node)
        return self._using[port.hca] if own is not None and port.hca not in own else 0


class _Node:
    """What is counted of the ports of one node."""

    def __init__(self, ports: Sequence[Port]) -> None:
        active = [port for port in ports if port.state == "Active"]
        self.kinds = list(kinds_of(ports))
        self.states = CountsByKind((kind, port.state) for port, kind in self.kinds)
        self.layers = Counter(port.layer for port in ports)
        self.active_layers = {port.layer for port in active}
        self.active_cards = {port.card for port in active}
        self.is_whole = not all(port.by_interface for port in ports) or _counts_from_0({port.hca for port in ports})
        """Are these all ports of the node? ``ibdev2netdev | grep Down`` shows some, and no Active one."""
        self._first_active: dict[str, list[tuple[int, str]]] = {}
        for port in sorted(active, key=lambda port: by_numbers(port.name), reverse=True):
            self._first_active[port.card] = by_numbers(port.name)

    def is_second(self, port: Port) -> bool:
        """Is a port before it on the same card Active? Cards are cabled from their first port on."""
        return self._first_active[port.card] < by_numbers(port.name)


def check(ports: PortReadings, network: Network | None) -> Iterator[Finding | Proof]:
    """One finding for all ports that are judged alike."""
    found = ports_of(ports)
    everywhere = _States(found, network)
    groups: dict[Judged, list[Port]] = {}
    for mine in nodes_with_ports(found).values():
        node = _Node(mine)
        for port, kind in node.kinds:
            judged = _judge(port, kind, node, everywhere) if port.state == "Down" else None
            if judged is not None:
                groups.setdefault(judged, []).append(port)
    proven = [port for judged, down in groups.items() if judged.severity == "error" for port in down]
    for judged, down in groups.items():
        nodes = {port.node for port in down}
        yield _finding(judged, down, [port for port in proven if port.node in nodes])
    active = [port for port in found if port.state == "Active"]
    unsteady = [port for port in active if port.text("port-physical-state") not in ("", "LinkUp")]
    if unsteady:
        yield _unsteady(unsteady)
    if active:
        yield _proof(active)


def _counts_from_0(hcas: Collection[str]) -> bool:
    """Do their numbers leave none out: ``mlx5_0 mlx5_1``? Names without numbers tell nothing of others."""
    numbers = {int(found[1]) for hca in hcas if (found := _NUMBERED.fullmatch(hca)) is not None}
    return not numbers or len(numbers) == max(numbers) + 1


def _judge(port: Port, kind: Kind, node: _Node, everywhere: _States) -> Judged | None:
    """What it means that ``port``, which is down, is; None for ports that say nothing about the fabric."""
    up, peers = everywhere.active[port.name], everywhere.ports[port.name] - 1  # each node has one of a name
    if up >= _FEW_PEERS and 2 * up > peers:
        return Judged("error", "likely", f"while it is Active on {counted(up, 'other node')}")
    if using := everywhere.using(port):
        return Judged("error", "likely", f"while NCCL uses this HCA on {counted(using, 'other node')} and not here")
    if not node.active_layers:
        if node.is_whole:
            return Judged("error", "likely", "and no port of the node is Active")
        return Judged("warning", "possible", "and Active ports of the node are not shown: the list has gaps")
    if port.layer == "InfiniBand" and node.layers[port.layer] > 1 and port.layer not in node.active_layers:
        return Judged("error", "likely", "and no InfiniBand port of the node is Active")
    if port.layer == "Ethernet" and "InfiniBand" in node.active_layers:
        return None  # the fabric is InfiniBand
    switched_off = port.layer == "InfiniBand" and port.text("port-physical-state") == "Disabled"
    why = "as somebody switched it off, " if switched_off else ""
    if port.card in node.active_cards:
        if switched_off:
            return Judged("warning", "likely", f"{why}while another port of the same card is Active")
        if port.layer != "InfiniBand" and not up and node.is_second(port):
            return None  # nothing shows that it was ever meant to have a cable
        return Judged("info", "possible", "while another port of the same card is Active: perhaps not cabled by design")
    alike = node.states.alike(kind)["Active"]
    if port.name.startswith("#") and alike >= _BOARD:
        return Judged(
            "warning", "possible", f"{why}beside {counted(alike, 'port')} that are Active; it may be a spare one"
        )
    enough = 1 if port.text("hca-model") else _FEW_PEERS  # without a model "the same kind" is a guess
    if alike >= enough and not _ipoib(port):
        ports = counted(alike, "port")
        return Judged("error", "likely", f"{why}while {ports} of the same kind on the node are Active")
    return _only_by_interface(alike, up, peers) or Judged("warning", "possible", f"{why}beside Active ones")


def _only_by_interface(alike: int, up: int, peers: int) -> Judged | None:
    """IPoIB is down on this port alone: somebody set it up on all others."""
    if alike <= _FEW_PEERS or up != peers or not up:
        return None
    others = f"{counted(alike, 'other')} of the node, and that on {counted(up, 'other node')}"
    return Judged("error", "possible", f"by its interface, while those of {others} are up")


def _unsteady(ports: Sequence[Port]) -> Finding:
    """The link layer says Active, while the physical layer has lost the link or seeks it."""
    readings = [port.readings["port-physical-state"] for port in ports]
    states = listed(list(dict.fromkeys(str(reading.value) for reading in readings)))
    return finding(
        "port-down",
        f"{on_nodes(readings)}{listed(names_of(ports))}: Active, while the physical state of the link is {states}",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(readings, expected="LinkUp"),
        suspects=(*part_suspects("port", readings), *node_suspects(readings)),
        remedy=[("Look again, and read the link's errors.", "ibstat; mlxlink -d HCA -c -e")],
        references=[IBV_ASYNC],
    )


def _ipoib(port: Port) -> bool:
    """Only IPoIB on it is known to be down, which RDMA does not need."""
    return port.by_interface and port.text("port-netdev").startswith("ib")


def _finding(judged: Judged, down: Sequence[Port], proven_there: Sequence[Port]) -> Finding:
    """``proven_there``: all ports of the same nodes that should not be down, for other reasons, too."""
    severity, confidence, against = judged
    proven = severity == "error"
    readings = evidence_of(down)
    physical = listed(list(dict.fromkeys(filter(None, (port.text("port-physical-state") for port in down)))))
    names = names_of(down)
    is_down = f"{'is' if len(names) == 1 else 'are'} down{f' ({physical})' if physical else ''}"
    return finding(
        "port-down",
        f"{on_nodes(readings)}{listed(names)} {is_down} {against}",
        severity=severity,
        confidence=confidence,
        evidence=reading_evidence(readings, expected="Active"),
        suspects=(*part_suspects("port", [r for r in readings if r.part.kind == "port"]), *node_suspects(readings)),
        explains=("busbw-below-expected", "hca-list-incomplete", "straggler-nic") if proven else (),
        remedy=[
            ("See the state of all ports.", "rdma link; ibstat"),
            *_without(down, proven_there),
        ],
        references=[IBV_ASYNC, f"{NCCL_ENV}#nccl-ib-hca"],
    )


def _without(down: Sequence[Port], proven_there: Sequence[Port]) -> list[tuple[str, str]]:
    """No HCA is left out for a doubt."""
    if "/" not in down[0].name:
        return leave_out(down[0].hca, "interface")
    if down[0] not in proven_there:
        return []
    return leave_out_hcas([down[0].hca, *(port.hca for port in proven_there if "/" in port.name)])


def _proof(active: Sequence[Port]) -> Proof:
    readings = evidence_of(active)
    rates = {port.rate for port in active if port.rate}
    # Of rates that differ one may be wrong, and other rules judge that.
    speed = (
        "".join(f" at {rate:g} Gb/s" for rate in rates) if len(rates) == 1 and all(port.rate for port in active) else ""
    )
    what = counted(len(active), "port is", "ports are")
    nodes = len(nodes_with_ports(active))
    alone = len(active) == 1 and not rates  # how fast it is, and what else the node has, nothing says
    return Proof(
        f"{what} Active{speed}{f' on {nodes} nodes' if nodes > 1 else ''}",
        reading_evidence(readings, most=2),
        weight=0 if alone else 1,
        leads=True,
        doubted_by=("port-down", "link-errors"),
    )
