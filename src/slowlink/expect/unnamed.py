"""Hardware that the log does not name: every standard node that it may be, and what the measurement means on each.

The doubt goes against health. What reaches the band of the largest network that this GPU is sold with is healthy
whatever the nodes are; what no standard node is so bad as to show is degraded whatever they are (of nodes that cannot
carry as much none counts); between the two the measurement decides nothing until somebody says what the nodes have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.gpus import all_gpus
from slowlink.catalog.standards import USUAL_PORTS_GBIT, Standard, standards_of
from slowlink.expect.busbw import SCALE_NODES, Prediction, predict
from slowlink.expect.case import Case
from slowlink.model.facts import Hardware, NicGroup
from slowlink.patterns import regex

_ONE_OF_EACH_CLASS = ("v100-sxm", "a100-sxm", "h100-sxm", "b200", "b300", "mi300x")
"""GPUs that stand for all where the log does not name any: one of each class of links, oldest first."""
_RACK = 72
"""GPUs of a rack that NVLink joins (NVL72)."""
_SLINGSHOT_GBIT = 200.0
_CRAY_HOST = regex(r"x\d+c\d+s\d+b\d+n\d+\Z")
"""Nodes of HPE Cray EX are named by cabinet, chassis, slot, board and node; their network is Slingshot, 200 Gb/s a
NIC."""


class Unnamed(Struct, frozen=True):
    """What the nodes may be, and what would be expected then."""

    possible: tuple[Prediction, ...]
    """Of every standard node, the one that carries most first; never empty."""
    least: Prediction | None
    """What even the smallest network of such nodes carries; None for cards without links, which stand in machines with
    any Ethernet, and where no network is involved."""

    @property
    def largest(self) -> Prediction:
        return self.possible[0]

    def nearest(self, measured_gbs: float) -> Prediction | None:
        """The smallest node in whose healthy band ``measured_gbs`` lies; None where it lies in no band. A network that
        carries it once round (a ring) goes before one that needs a tree for it, with twice a ring's on two nodes."""
        fitting = [p for p in self.possible if p.warn <= measured_gbs <= p.ceiling]
        return min(fitting, key=lambda p: (_carries(p) < measured_gbs, _carries(p)), default=None)


def _carries(prediction: Prediction) -> float:
    """GB/s that the network of a node carries one way; inside one domain the bound."""
    return prediction.network_gbs or prediction.expected.high


def unnamed(case: Case, subject: str, *, ports: int | None, hosts: Sequence[str] = ()) -> Unnamed | None:
    """What ``case.hardware`` leaves open; None when nothing in the catalogue fits. What it knows (GPU, NICs) stays.

    ``ports``: how many HCAs the log names without their rates; a node has at least these.
    """
    slowest = _SLINGSHOT_GBIT if hosts and all(_CRAY_HOST.match(host) for host in hosts) else USUAL_PORTS_GBIT[0]
    found = list(_predictions(case, subject, ports, slowest))
    if not found:
        return None
    return Unnamed(
        tuple(sorted(found, key=lambda p: -p.expected.value)),
        _least(case, subject, NicGroup(ports or 1, slowest)),
    )


def _predictions(case: Case, subject: str, ports: int | None, slowest: float) -> Iterator[Prediction]:
    for gpu in (case.hardware.gpu,) if case.hardware.gpu is not None else _classes(case.hardware):
        for kind in _networks(case, gpu, ports, slowest):
            for domain in _domains(case, gpu):
                built = replace(case, hardware=_with(case.hardware, gpu, kind), nvlink_domain=domain)
                prediction = predict(built, subject)
                if isinstance(prediction, Prediction):
                    yield prediction


def _classes(hardware: Hardware) -> tuple[str, ...]:
    return tuple(gpu for gpu in _ONE_OF_EACH_CLASS if all_gpus()[gpu].architecture not in hardware.excluded)


def _networks(case: Case, gpu: str, ports: int | None, slowest: float) -> Iterator[Standard | None]:
    """None: no network is involved, or it is known."""
    if case.nnodes < 2 or case.hardware.nics:
        yield None
        return
    sold = [kind for kind in standards_of(gpu) if kind.gpus >= case.ranks_per_node] or list(standards_of(gpu))
    # The log may name fewer ports than there are (that is a fault of its own), and never more.
    named = (ports,) if ports is not None else (1, 2, 4, 8)
    yield from (kind for kind in sold if kind is sold[0] or sum(group.count for group in kind.nics) >= named[0])
    for rate in sorted({*USUAL_PORTS_GBIT, *(group.rate_gbit for kind in sold for group in kind.nics)}):
        for count in named:
            if rate >= slowest and count * rate < sold[0].total_gbit:
                yield Standard((NicGroup(count, rate),), sold[0].gpus, ())


def _least(case: Case, subject: str, smallest: NicGroup) -> Prediction | None:
    """Judged as on few nodes: a network falls short of so low a bound at any scale."""
    known = all_gpus().get(case.hardware.gpu or "")
    plain_card = known is not None and known.fabric in ("none", "bridge")
    if case.nnodes < 2 or case.hardware.nics or plain_card:
        return None
    gpu = case.hardware.gpu or _ONE_OF_EACH_CLASS[0]
    hardware = replace(_with(case.hardware, gpu, None), nics=(smallest,))
    # A rack's trays are joined by NVLink or by the network: the network alone is the least.
    prediction = predict(replace(case, hardware=hardware, nvlink_domain=case.ranks_per_node), subject)
    if not isinstance(prediction, Prediction):
        return None
    expected = prediction.expected
    low = prediction.chosen.fail if case.nnodes > SCALE_NODES else expected.low
    basis = f"{expected.basis}; the least network that such nodes are built with"
    return replace(prediction, expected=replace(expected, low=low, basis=basis))


def _domains(case: Case, gpu: str) -> tuple[int | None, ...]:
    """How many GPUs NVLink may join: of racks that it spans the log rarely tells whether it does."""
    spans = all_gpus()[gpu].rack is not None and case.hardware.system is None
    if not spans or case.nnodes < 2 or case.nvlink_domain is not None:
        return (case.nvlink_domain,)
    return (min(case.nranks, _RACK), case.ranks_per_node)


def _with(hardware: Hardware, gpu: str, kind: Standard | None) -> Hardware:
    """``hardware`` with what one standard node has in the places that are open."""
    board = hardware.gpus_per_node or 0
    return replace(
        hardware,
        gpu=gpu,
        nics=kind.nics if kind is not None else hardware.nics,
        gpus_per_node=max(board, kind.gpus) if kind is not None else hardware.gpus_per_node,
    )
