"""Between two looks an HCA carried nothing while others, or a network card, were busy.

A ring over all rails sends about the same through each. An HCA that carried less than 1 % of the median of its node's,
where that is a gigabyte and more, took no part. Where all HCAs of a node together carried less than 1 % of what one
network card did, and that was a gigabyte and more, the traffic went over sockets: what RDMA carries is in no counter of
the interface.

Why it matters: each HCA that takes no part is a share of the bandwidth; TCP is 5 to 20 times slower than RDMA.
How to confirm: ``NCCL_DEBUG=INFO``: ``NET/IB : Using`` lists what NCCL took, ``via NET/`` what each channel took.
What to do: name all HCAs of the compute network in NCCL_IB_HCA, or unset it; compare GIDs, partition and rate of the
idle one with those of its peers.
When it is wrong: the idle HCA is for storage or management. Where its rate differs from the others', nothing is said;
one that is idle on every node is only possibly meant for the job. The network card may have moved a data set meanwhile.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import Growth, latest, name_of_node, node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Evidence, Finding
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.counters import growth_of_each
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.messages import counted, listed

CAUSES = ("hca-list-incomplete", "socket-fallback")
DENIES = ("hca-list-incomplete", "socket-fallback")

_DOWN = ("Down", "Init", "Armed", "DOWN", "INIT", "ARMED")


class Params(Struct, frozen=True):
    """When a difference between HCAs is one of use."""

    busy_bytes: int = 1_000_000_000
    """Less tells nothing: libraries talk on one HCA alone, and every node moves some."""
    idle_share: float = 0.01
    fewest: int = 3
    """HCAs of a node; of two nobody knows which is right."""


class _Carried(Struct, frozen=True):
    """What went through one port or interface, both ways."""

    node: str
    name: str
    size_bytes: int
    lines: tuple[Growth, ...]


def check(
    counters: Annotated[Readings, Of("port-xmit-data", "port-rcv-data", "interface-rx-bytes", "interface-tx-bytes")],
    ports: Annotated[Readings, Of("port-rate", "port-state")] | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """A finding for idle HCAs, one for traffic beside the HCAs, or a proof that all HCAs of a node took their part."""
    hcas, cards = _by_node(counters, "port"), _by_node(counters, "interface")
    idle: list[_Carried] = []
    shared: list[_Carried] = []
    for carried in hcas.values():
        mine = _alike(carried, ports)
        usual = median(each.size_bytes for each in mine) if len(mine) >= params.fewest else 0
        if usual < params.busy_bytes:
            continue
        unused = [each for each in mine if each.size_bytes < params.idle_share * usual]
        idle += unused
        shared += [] if unused else mine
    if idle:
        yield _idle(idle, hcas)
    elif shared:
        least, most = (pick(shared, key=lambda each: each.size_bytes) for pick in (min, max))
        yield Proof(
            f"all {counted(len(shared), 'HCA')} took part: {_size(least.size_bytes)} to {_size(most.size_bytes)} each",
            _evidence([least, most]),
            weight=0,
        )
    beside = [card for node, found in cards.items() for card in found if _went_beside(card, hcas.get(node, ()), params)]
    if beside:
        yield _beside(beside, hcas)


def _by_node(counters: Readings, kind: str) -> dict[str, list[_Carried]]:
    grown: dict[tuple[str, str], list[Growth]] = defaultdict(list)
    for each in growth_of_each(reading for reading in counters.all if reading.part.kind == kind):
        grown[node_of(each.last), each.last.part.name].append(each)
    found: dict[str, list[_Carried]] = defaultdict(list)
    for (node, name), lines in grown.items():
        found[node].append(_Carried(node, name, sum(line.by for line in lines), tuple(lines)))
    return found


def _alike(carried: Sequence[_Carried], ports: Readings | None) -> list[_Carried]:
    """Ports that are up, and have the rate that most of their node's have, as far as anything tells."""
    now = latest(each for each in ports.all if each.attribute == "port-rate") if ports is not None else {}
    states = latest(each for each in ports.all if each.attribute == "port-state") if ports is not None else {}
    rates = {(node, part.name): reading.value for (node, part), reading in now.items()}
    down = {(node, part.name) for (node, part), reading in states.items() if reading.value in _DOWN}
    up = [each for each in carried if (each.node, each.name) not in down]
    usual = Counter(rates.get((each.node, each.name)) for each in up).most_common(1)[0][0] if up else None
    return [each for each in up if rates.get((each.node, each.name)) == usual]


def _went_beside(card: _Carried, hcas: Sequence[_Carried], params: Params) -> bool:
    through = sum(each.size_bytes for each in hcas)
    return bool(hcas) and card.size_bytes >= params.busy_bytes and through < params.idle_share * card.size_bytes


def _idle(idle: Sequence[_Carried], hcas: Mapping[str, Sequence[_Carried]]) -> Finding:
    everywhere = len({each.node for each in idle}) == len(hcas) and len(hcas) > 1
    first = idle[0]
    busy = max(hcas[first.node], key=lambda each: each.size_bytes)
    names = listed([_named(each) for each in idle])
    return finding(
        "hca-list-incomplete",
        f"{names} carried {_size(first.size_bytes)} while {busy.name} carried {_size(busy.size_bytes)}",
        severity="warning",
        confidence="possible" if everywhere else "likely",
        evidence=_evidence([*idle[:3], busy]),
        suspects=suspects("hca", map(_named, idle)),
        explains=("busbw-below-expected", "straggler-nic"),
        remedy=[
            ("See which HCAs NCCL takes: run with NCCL_DEBUG=INFO and read the line NET/IB : Using.", ""),
            ("Compare the idle one with its peers.", command("ibstat", as_hca(first.name.partition("/")[0]))),
        ],
    )


def _beside(cards: Sequence[_Carried], hcas: Mapping[str, Sequence[_Carried]]) -> Finding:
    first = max(cards, key=lambda each: each.size_bytes)
    through = sum(each.size_bytes for each in hcas[first.node])
    number = counted(len(hcas[first.node]), "HCA")
    return finding(
        "socket-fallback",
        f"{listed([_named(each) for each in cards])} carried {_size(first.size_bytes)}, and {number} beside it "
        f"{_size(through)}: the traffic went over sockets",
        severity="warning",
        confidence="likely",
        evidence=_evidence([first, *hcas[first.node][:2]]),
        suspects=suspects("node", {each.node for each in cards if name_of_node(each.lines[0].last)}),
        explains=("busbw-below-expected",),
        remedy=[("See which network NCCL takes, and why: run with NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,NET.", "")],
    )


def _named(each: _Carried) -> str:
    node = name_of_node(each.lines[0].last)
    return f"{node} {each.name}" if node else each.name


def _evidence(carried: Sequence[_Carried]) -> tuple[Evidence, ...]:
    """The last line of the counter that grew most, of each."""
    lines = [(each, max(each.lines, key=lambda line: line.by)) for each in carried]
    return tuple(
        Evidence(g.last.ref.source, g.last.ref.line, g.last.ref.text, f"{each.name} carried {_size(each.size_bytes)}")
        for each, g in lines
    )


def _size(number: int) -> str:
    """``41.2 GB``."""
    value, unit = float(number), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.3g} {unit}"
