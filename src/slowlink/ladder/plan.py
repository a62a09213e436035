"""From what the machine has to the tests of each layer, and why a layer is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink.bundle.paths import safe_relative
from slowlink.ladder import layers as of
from slowlink.model.ladder import LadderPlan, LadderTest

SENDRECV, WRITE, ALL_REDUCE = "sendrecv", "ib_write_bw", "all_reduce"
NOT_ASKED = "not asked for"
NO_COMMAND = "none was given (-- COMMAND)"


class Hca(Struct, frozen=True):
    """One HCA of a node. GPUs by their index; None where there is none, or where nothing tells which is near."""

    name: str
    is_up: bool = True
    near_gpu: int | None = None
    far_gpu: int | None = None


class NodeParts(Struct, frozen=True):
    """What one node has."""

    name: str
    gpus: int = 0
    hcas: tuple[Hca, ...] = ()


class Machine(Struct, frozen=True):
    """What there is to measure, and to measure with."""

    nodes: tuple[NodeParts, ...]
    on_gpu: bool = False
    """A benchmark of GPU collectives is there."""
    ranks_per_node: int = 1
    no_perftest: str = ""
    """Why perftest cannot be run; "" where it can."""
    no_gpu_memory: str = ""
    """Why perftest cannot use GPU memory."""
    settings: frozenset[str] = frozenset()
    """Names of the variables that the user has set."""


class Wanted(Struct, frozen=True):
    """What was asked for."""

    layers: frozenset[str] | None = None
    """None: all."""
    quick: bool = False
    snapshot: bool = True
    command: bool = False


def plan_ladder(machine: Machine, wanted: Wanted) -> LadderPlan:
    """Every test of every layer that is there, and the reasons of the others. Pure."""
    absent: dict[str, str] = {}
    tests: list[LadderTest] = []
    for layer in of.LAYERS:
        why = _why_absent(layer.id, machine, wanted)
        if why:
            absent[layer.id] = why
        else:
            tests += _tests(layer.id, machine, wanted)
    names = tuple(node.name for node in machine.nodes)
    return LadderPlan(names, machine.on_gpu, absent, tuple(tests), _notes(machine, absent))


def _notes(machine: Machine, absent: Mapping[str, str]) -> dict[str, str]:
    if of.PAIRS_HOST in absent or (common_hcas(machine) and not machine.no_perftest):
        return {}
    why = machine.no_perftest if common_hcas(machine) else "no HCA in common"
    return {of.PAIRS_HOST: f"MPI between two ranks ({why})"}


def common_hcas(machine: Machine) -> tuple[Hca, ...]:
    """Those that all nodes have under one name and that are up everywhere, as the first node has them."""
    up = [{hca.name for hca in node.hcas if hca.is_up} for node in machine.nodes]
    return tuple(hca for hca in machine.nodes[0].hcas if all(hca.name in names for names in up))


def _why_absent(layer: str, machine: Machine, wanted: Wanted) -> str:
    """ "" where the layer is there."""
    if wanted.layers is not None and layer not in wanted.layers:
        return NOT_ASKED
    if layer in (of.HOST, of.PORT):
        if not wanted.snapshot:
            return "the nodes are not asked for their state (--no-snapshot)"
        has_hca = any(node.hcas for node in machine.nodes)
        return "" if layer == of.HOST or has_hca else "no node has an HCA"
    if layer == of.COMMAND:
        return "" if wanted.command else NO_COMMAND
    if layer == of.NODE:
        return "" if machine.ranks_per_node > 1 else "a node has one rank"
    if len(machine.nodes) < 2:
        return "there is one node"
    return _why_no_pairs_on_gpu(layer, machine) or _why_no_collective(layer, machine)


def _why_no_pairs_on_gpu(layer: str, machine: Machine) -> str:
    if layer not in (of.PAIRS_GPU, of.PAIRS_FAR):
        return ""
    hcas = common_hcas(machine)
    if not any(node.gpus for node in machine.nodes):
        return "no node has a GPU"
    if not hcas:
        return "the nodes have no HCA in common"
    if machine.no_perftest or machine.no_gpu_memory:
        return machine.no_perftest or machine.no_gpu_memory
    if layer == of.PAIRS_GPU and all(hca.near_gpu is None for hca in hcas):
        return "nothing tells which GPU is near an HCA"
    if layer == of.PAIRS_FAR and all(hca.far_gpu is None for hca in hcas):
        return "no GPU is farther from its HCA than others"
    return ""


def _why_no_collective(layer: str, machine: Machine) -> str:
    if layer == of.TWO_NODES and machine.ranks_per_node < 2:
        return "a node has one rank: see one rank per node"
    if layer != of.ALL_NODES:
        return ""
    if machine.ranks_per_node < 2:
        return "a node has one rank: see one rank per node"
    return "the two nodes are all nodes" if len(machine.nodes) == 2 else ""


def _tests(layer: str, machine: Machine, wanted: Wanted) -> Iterator[LadderTest]:
    names = [node.name for node in machine.nodes]
    if layer == of.PAIRS_HOST:
        yield from _pairs_host(machine, wanted)
    elif layer in (of.PAIRS_GPU, of.PAIRS_FAR):
        yield from _pairs_gpu(layer, machine, wanted)
    elif layer == of.NODE:
        ranks = None if machine.on_gpu else machine.ranks_per_node
        for name in names:
            yield _test(layer, (name,), ALL_REDUCE, ranks_per_node=ranks, alone=True)
    elif layer == of.TWO_NODES:
        ranks = None if machine.on_gpu else machine.ranks_per_node
        for number, pair in pair_rounds(names, quick=True):
            yield replace(_test(layer, pair, ALL_REDUCE, ranks_per_node=ranks, round=number), env=_ring(machine))
    elif layer in (of.ONE_RANK, of.ALL_NODES):
        ranks = 1 if layer == of.ONE_RANK else None if machine.on_gpu else machine.ranks_per_node
        yield LadderTest(layer, layer, tuple(names), ALL_REDUCE, ranks, env=_ring(machine))
    elif layer == of.COMMAND:
        yield LadderTest(layer, layer, tuple(names), "", None)


def _ring(machine: Machine) -> dict[str, str]:
    """Trees and reduction in the switches exceed what HCAs carry on two nodes, and hide one that is dead."""
    return {"NCCL_ALGO": "Ring"} if machine.on_gpu and "NCCL_ALGO" not in machine.settings else {}


def _pairs_host(machine: Machine, wanted: Wanted) -> Iterator[LadderTest]:
    names = [node.name for node in machine.nodes]
    hcas = common_hcas(machine) if not machine.no_perftest else ()
    for number, pair in pair_rounds(names, quick=wanted.quick):
        if not hcas:
            yield _test(of.PAIRS_HOST, pair, SENDRECV, ranks_per_node=1, round=number)
        # One HCA of a node after the other: together they would share its memory and its buses.
        for place, hca in enumerate(hcas[:1] if wanted.quick else hcas):
            yield _test(of.PAIRS_HOST, pair, WRITE, hca=hca.name, round=number * len(hcas) + place)


def _pairs_gpu(layer: str, machine: Machine, wanted: Wanted) -> Iterator[LadderTest]:
    hcas = [
        (hca, gpu)
        for hca in common_hcas(machine)
        if (gpu := hca.near_gpu if layer == of.PAIRS_GPU else hca.far_gpu) is not None
    ]
    if layer == of.PAIRS_FAR or wanted.quick:
        hcas = hcas[:1]
    for number, pair in pair_rounds([node.name for node in machine.nodes], quick=wanted.quick):
        for place, (hca, gpu) in enumerate(hcas):
            yield _test(layer, pair, WRITE, hca=hca.name, gpu=gpu, round=number * len(hcas) + place)


def pair_rounds(names: Sequence[str], *, quick: bool = False) -> Iterator[tuple[int, tuple[str, str]]]:
    """Every node with its neighbour on a ring: (round, pair), pairs of a round have no node in common. Each node is in
    two pairs, so that a slow node shows in both of its own, and a slow path in one. ``quick``: each in one, if any."""
    count = len(names)
    for place in range(count if count > 2 else count - 1):
        pair = (names[place], names[(place + 1) % count])
        last = place == count - 1 and count % 2
        number = 3 if last else place % 2 + 1
        if not quick or number != 2:
            yield number, pair


def _test(
    layer: str,
    nodes: tuple[str, ...],
    collective: str,
    *,
    ranks_per_node: int | None = None,
    hca: str = "",
    gpu: int | None = None,
    round: int = 1,  # noqa: A002  (as the record calls it)
    alone: bool = False,
) -> LadderTest:
    parts = [layer, "+".join(nodes), *([hca] if hca else [])]
    name = safe_relative("/".join(parts))
    return LadderTest(layer, name, nodes, collective, ranks_per_node, hca, gpu, round, alone)
