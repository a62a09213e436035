"""Proxy threads run on processors that are not near their GPU.

NCCL lets its proxy threads run on the processors near the GPU, as far as the launcher allowed them to the rank. Where
it allowed none of these, the threads stay where the rank is: on the other socket. NCCL's log says on which core each
thread began, the topology matrix which cores are near each GPU.

Why it matters: whoever drives the HCA reaches the GPU's buffers and the HCA over the link between the sockets: it costs
latency and message rate, and some bandwidth. The ranks that are bound right wait for those that are not.
How to confirm: ``taskset -cp PID`` of such a rank beside ``nvidia-smi topo -m``; start again bound to the socket of the
GPU, and compare.
What to do: let each rank have cores of its GPU's NUMA node, or all of them; or let NCCL take the GPU's processors
whatever the launcher allowed (``NCCL_IGNORE_CPU_AFFINITY=1``).
When it is wrong: where the matrix is of another kind of node than the log. Whose GPU a thread serves is told by the
communicator's line (``nvmlDev``), or by the device where each process of the node has one of its own; where all say
device 0, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from slowlink.facts.readings import by_node
from slowlink.model.facts import Communicators, Of, ProxyCores, Readings
from slowlink.model.nccl import LogProcess, ProxyCore
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.patterns import regex
from slowlink.rules.evidence.commands import export
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import at_hosts, counted, listed

CAUSES = ("proxy-affinity",)

_LIST = regex(r"\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?){0,200}")
_Near = Mapping[str, Reading]
"""Number of a GPU -> the processors near it."""


class _Far(NamedTuple):
    thread: ProxyCore
    gpu: str
    near: Reading


def check(
    proxies: ProxyCores, affinities: Annotated[Readings, Of("gpu-cpu-affinity")], communicators: Communicators | None
) -> Iterator[Finding]:
    """One finding for all threads. Where the input has the matrix of one node only, it stands for all nodes."""
    near = {node: {r.part.name: r for r in readings} for node, readings in by_node(affinities.all).items()}
    only = next(iter(near.values())) if len(near) == 1 else {}
    gpus = _gpus(proxies.all, communicators)
    judged = [
        (thread, gpus[thread.process, thread.device], reading)
        for thread in proxies.all
        if (gpu := gpus.get((thread.process, thread.device))) is not None
        and (reading := near.get(thread.process.host or "", only).get(gpu)) is not None
        and _LIST.fullmatch(str(reading.value))
    ]
    far = [_Far(*each) for each in judged if not _is_in(each[0].core, str(each[2].value))]
    if far:
        yield _finding(far, len({(thread.process, gpu) for thread, gpu, _ in judged}))


def _gpus(threads: Sequence[ProxyCore], communicators: Communicators | None) -> Mapping[tuple[LogProcess, int], str]:
    """(Process, its device) -> number of the GPU in the node, where that is sure."""
    told = {
        (init.process, init.cuda_dev): str(init.nvml_dev)
        for init in (communicators.all if communicators else ())
        if init.cuda_dev is not None and init.nvml_dev is not None
    }
    owners: dict[tuple[str | None, int], set[LogProcess]] = {}
    devices: dict[str | None, set[int]] = {}
    for thread in threads:
        owners.setdefault((thread.process.host, thread.device), set()).add(thread.process)
        devices.setdefault(thread.process.host, set()).add(thread.device)
    own = {
        (thread.process, thread.device): str(thread.device)
        for thread in threads
        if len(devices[thread.process.host]) > 1 and len(owners[thread.process.host, thread.device]) == 1
    }
    return {**own, **told}


def _is_in(core: int, cores: str) -> bool:
    spans = (span.partition("-") for span in cores.split(","))
    return any(int(first) <= core <= int(last or first) for first, _, last in spans)


def _finding(far: Sequence[_Far], ranks: int) -> Finding:
    hosts = list(dict.fromkeys(each.thread.process.host for each in far if each.thread.process.host))
    gpus = list(dict.fromkeys(each.gpu for each in far))
    mine = {(each.thread.process, each.gpu) for each in far}
    first = far[0]
    return finding(
        "proxy-affinity",
        f"{at_hosts(hosts)}the proxy threads of {counted(len(mine), 'rank')} of {ranks} run far from their GPU "
        f"({listed([f'GPU {gpu}' for gpu in gpus])}): {first.thread.thread} of GPU {first.gpu} on core "
        f"{first.thread.core}, near it are {first.near.value}",
        severity="warning",
        confidence="certain",
        evidence=[
            line_evidence(
                first.thread.ref, observed=f"core {first.thread.core}", expected=f"one of {first.near.value}"
            ),
            line_evidence(first.near.ref, observed=f"near GPU {first.gpu}: {first.near.value}"),
        ],
        suspects=(
            *suspects("gpu", [f"{each.thread.process.host or ''} GPU {each.gpu}".strip() for each in far]),
            *suspects("node", hosts),
        ),
        explains=("latency-high", "busbw-below-expected", "bandwidth-unstable"),
        remedy=[
            ("See which processors a rank may use.", "grep Cpus_allowed_list /proc/self/status"),
            ("Bind each rank to the socket of its GPU, or to all processors.", "nvidia-smi topo -m"),
            ("Or let NCCL use the GPU's processors all the same.", export("NCCL_IGNORE_CPU_AFFINITY", "1")),
        ],
    )
