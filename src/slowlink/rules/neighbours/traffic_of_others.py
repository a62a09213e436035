"""An HCA or interface was at work before any rank of this run was.

While nodes are watched, the counters of their ports are read from the first sample on. What an HCA carries until the
first process of the run works on its node is somebody else's: RDMA shows in no file of a process, so that there is no
other way to tell whose the bytes are. Where iproute2's ``rdma`` is installed, it says who holds connected queue pairs
there.

Why it matters: what others send over the rails of a collective is taken from its bandwidth, and congests its switches.
How to confirm: read the counters again while nothing of yours runs: they still grow.
What to do: find who it is, and move that traffic to the storage network, another partition or another time.
When it is wrong: whoever it was may have ended when the run began. What began later is not told from the run's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import Growth, latest, name_of_node, node_of
from slowlink.model.facts import Of, Readings, Watched
from slowlink.model.report import Finding
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.counters import growth_evidence, growth_of_each
from slowlink.rules.evidence.findings import finding, suspects
from slowlink.rules.evidence.messages import counted, listed

CAUSES = ("network-busy",)


class Params(Struct, frozen=True):
    """From which traffic on it takes something from a run."""

    least_share: float = 0.05
    """Of the rate of the link in one direction, where that is known."""
    least_mbs: float = 500.0
    """MB/s in one direction, where it is not."""


def check(
    watched: Watched,
    counters: Annotated[Readings, Of("port-xmit-data", "port-rcv-data", "interface-rx-bytes", "interface-tx-bytes")],
    work: Annotated[Readings, Of("cpu-of-run")],
    rates: Annotated[Readings, Of("port-rate", "interface-speed")] | None,
    holders: Annotated[Readings, Of("process-queue-pairs", "process-name")] | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding for each link that carried much, the busiest first."""
    known = latest(rates.all) if rates is not None else {}
    busy: dict[tuple[str, Part], Growth] = {}
    for grown in _before(watched, counters, _begun(work)):
        key = node_of(grown.last), grown.last.part
        rate = known.get(key)
        share = _mbs(grown) / (float(rate.value) * 125) if rate is not None and float(rate.value) > 0 else None
        much = _mbs(grown) >= params.least_mbs if share is None else share >= params.least_share
        if much and (key not in busy or _mbs(grown) > _mbs(busy[key])):
            busy[key] = grown
    for (node, part), grown in sorted(busy.items(), key=lambda item: -_mbs(item[1])):
        yield _finding(part, grown, _holders(holders, node, part))


def _begun(work: Readings) -> dict[tuple[str, str], float]:
    """(node, source) -> the first sample in which a process of the run had worked."""
    found: dict[tuple[str, str], float] = {}
    for reading in work.all:
        if float(reading.value) > 0 and reading.at is not None:
            key = node_of(reading), reading.ref.source
            found[key] = min(found.get(key, reading.at), reading.at)
    return found


def _before(watched: Watched, counters: Readings, begun: Mapping[tuple[str, str], float]) -> Iterable[Growth]:
    """How counters grew from the first sample on to the last before the run worked on their node."""
    early: dict[tuple[str, str], list[Reading]] = {}
    samples = {node: frozenset(times) for node, times in watched.samples.items()}
    for reading in counters.all:
        key = node_of(reading), reading.ref.source
        at = reading.at
        if at is not None and at < begun.get(key, 0.0) and at in samples.get(key[0], ()):
            early.setdefault(key, []).append(reading)
    return (grown for readings in early.values() for grown in growth_of_each(readings) if grown.seconds)


def _mbs(grown: Growth) -> float:
    return grown.by / (grown.seconds or 1.0) / 1e6


def _holders(holders: Readings | None, node: str, part: Part) -> list[str]:
    """Names of processes of others with connected queue pairs on this HCA."""
    here = [r for r in holders.all if node_of(r) == node] if holders is not None else []
    names = {r.part: str(r.value) for r in here if r.attribute == "process-name"}
    hca = part.name.partition("/")[0]
    on_it = [r.part for r in here if r.attribute == "process-queue-pairs" and r.value == hca]
    return list(dict.fromkeys(names[process] for process in on_it if process in names))


def _finding(part: Part, grown: Growth, names: list[str]) -> Finding:
    node = name_of_node(grown.last)
    hca = part.name.partition("/")[0]
    who = f"; {listed(names)} {'has' if len(names) == 1 else 'have'} connected queue pairs there" if names else ""
    of_hca = part.kind == "port"
    accused = (*suspects("process", names), *suspects("node", [node]))
    return finding(
        "network-busy",
        f"{f'{node}: ' if node else ''}{hca} carried {_mbs(grown):,.0f} MB/s for "
        f"{counted(round(grown.seconds or 0), 'second')} before any rank of this run worked there{who}",
        severity="warning",
        confidence="likely",
        evidence=growth_evidence([grown]),
        suspects=(*accused, *suspects("hca" if of_hca else "interface", [f"{node} {hca}" if node else hca])),
        explains=("bandwidth-bimodal", "bandwidth-unstable", "busbw-below-expected", "latency-high"),
        remedy=[
            (
                "See who holds queue pairs there while nothing of yours runs."
                if of_hca
                else "See whose sockets carry it while nothing of yours runs.",
                command("rdma", "resource", "show", "qp", "link", as_hca(hca)) if of_hca else "ss -tnip",
            )
        ],
    )
