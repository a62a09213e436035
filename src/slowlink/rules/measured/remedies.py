"""Steps that the remedies of several rules about measurements share."""

from __future__ import annotations

from collections.abc import Collection

from slowlink.catalog.gpus import all_gpus
from slowlink.model.facts import Hardware
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import Step
from slowlink.rules.evidence.link_layers import Layer

TEST_PAIRS_AGAIN = Step("Test these pairs again, to tell a path from a moment.")
SMALL_MESSAGES = (
    Step("Measure the path without MPI and NCCL, both ends pinned to the HCA's socket.", "ib_write_lat -d HCA"),
    Step("See whether the processors sleep deeply between messages.", "cpupower idle-info; cpupower frequency-info"),
)
_WAITS = Step(
    "Read the waits for credits of the InfiniBand ports before and after a run.",
    "grep . /sys/class/infiniband/*/ports/*/counters/port_xmit_wait",
)
_PAUSES = Step("Read pause frames and discards before and after a run.", "ethtool -S IFACE | grep -iE 'pause|discard'")
_RETRANSMISSIONS = Step("Read retransmissions of RDMA before and after a run.", "rdma statistic show")
_ASK_NCCL = "Let NCCL say what it uses."
_CHOSEN = "all_reduce"
"""The collective for which NCCL chooses among algorithms on any GPU. Broadcast and reduce are always rings; all_gather
and reduce_scatter between nodes are, too, but where NVLS or one GPU a node allows more."""
PAIRWISE = frozenset({"alltoall", "sendrecv", "gather", "scatter", "hypercube"})
"""What pairs of ranks exchange: neither algorithm nor protocol is chosen by the size."""


def congestion(layers: Collection[Layer]) -> tuple[Step, ...]:
    """Counters of the network that a congested one raises, by its link layer."""
    of_layers = [step for layer, step in (("InfiniBand", _WAITS), ("Ethernet", _PAUSES)) if layer in layers]
    return (*of_layers, _RETRANSMISSIONS)


def layers_below(hardware: Hardware, nnodes: int | None, collective: str | None) -> tuple[Step, ...]:
    """What to measure when a collective is slow and nothing tells why: links between GPUs in one node, else HCAs."""
    gpu = all_gpus().get(hardware.gpu or "")
    amd = gpu is not None and gpu.vendor == "AMD"
    if nnodes == 1:
        return (*_inside_the_node(gpu.fabric if gpu is not None else None, amd=amd), _ask("INIT,ENV,P2P,GRAPH,TUNING"))
    memory = "--use_rocm=0" if amd else "--use_cuda=0"
    ring = Step("See whether the network alone is the limit: one ring, no tree, no NVLS.", "NCCL_ALGO=Ring")
    return (
        *((ring,) if collective == _CHOSEN else ()),
        Step(
            "Measure each HCA by itself, from GPU memory.",
            command("ib_write_bw", memory, "-d", as_hca(None), "-a", "--report_gbits"),
        ),
        _ask("INIT,ENV,NET,GRAPH,TUNING"),
    )


def _ask(subsystems: str) -> Step:
    return Step(_ASK_NCCL, command("NCCL_DEBUG=INFO", f"NCCL_DEBUG_SUBSYS={subsystems}"))


def _inside_the_node(fabric: str | None, *, amd: bool) -> tuple[Step, ...]:
    """No HCA is used there. Without links of their own GPUs meet on PCIe."""
    if amd:
        return (
            Step("See how the GPUs are joined, and the state of the links.", "rocm-smi --showtopo; amd-smi xgmi"),
            Step("Measure each pair of GPUs.", "TransferBench p2p"),
        )
    pairs = Step("Measure each pair of GPUs.", "nvbandwidth -t device_to_device_memcpy_read_ce")
    if fabric == "none":
        return (
            Step("See which GPUs reach one another, and through what.", "nvidia-smi topo -m; nvidia-smi topo -p2p r"),
            pairs,
        )
    steps = [Step("Read the state and the errors of the NVLinks.", "nvidia-smi nvlink --status; nvidia-smi nvlink -e")]
    if fabric == "nvswitch":
        look = "nvidia-smi -q | grep -A4 Fabric; systemctl status nvidia-fabricmanager"
        steps.append(Step("Look at the fabric's state and the fabric manager.", look))
    return (*steps, pairs)
