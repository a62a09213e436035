"""The layers, from the bottom up, and which of them each builds on."""

from __future__ import annotations

from msgspec import Struct

HOST, PORT, PAIRS_HOST, PAIRS_GPU, PAIRS_FAR = "host", "port", "pairs-host", "pairs-gpu", "pairs-gpu-far"
NODE, ONE_RANK, TWO_NODES, ALL_NODES, COMMAND = "node", "one-rank", "two-nodes", "all-nodes", "command"
INTERVIEW = "interview"
"""No layer: the experiments that follow the ladder."""


class Layer(Struct, frozen=True):
    """One step."""

    id: str
    title: str
    below: tuple[str, ...]
    """Where one of these is broken there is nothing to climb on to."""


LAYERS = (
    Layer(HOST, "state of the hosts", ()),
    Layer(PORT, "each port", (HOST,)),
    Layer(PAIRS_HOST, "pairs, host memory", (HOST,)),
    Layer(PAIRS_GPU, "pairs, GPU memory", (HOST, PAIRS_HOST)),
    Layer(PAIRS_FAR, "pairs, far GPU", (HOST, PAIRS_HOST, PAIRS_GPU)),
    Layer(NODE, "inside each node", (HOST,)),
    Layer(ONE_RANK, "one rank per node", (HOST, PAIRS_HOST, PAIRS_GPU)),
    Layer(TWO_NODES, "all ranks, two nodes", (HOST, PAIRS_HOST, PAIRS_GPU, NODE, ONE_RANK)),
    Layer(ALL_NODES, "all ranks, all nodes", (HOST, PAIRS_HOST, PAIRS_GPU, NODE, ONE_RANK, TWO_NODES)),
    Layer(COMMAND, "your command", (HOST, PAIRS_HOST, PAIRS_GPU, NODE, ONE_RANK, TWO_NODES, ALL_NODES)),
)
BY_ID = {layer.id: layer for layer in LAYERS}
NETWORK_COLLECTIVES = (ONE_RANK, TWO_NODES, ALL_NODES)
"""Collectives that need two nodes."""
