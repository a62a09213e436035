"""Memory cannot be shared over multi-node NVLink, because IMEX is not set up.

On systems whose NVLink spans nodes (GB200, GB300) GPU memory is exported to other nodes through the IMEX service and
a channel device in /dev/nvidia-caps-imex-channels. NCCL found the NVLink domain but could not use it: its own message
names IMEX, or CUDA did not permit (800) or support (801) the export of memory.

Why it matters: NCCL fails, or uses the much slower network between nodes of one NVLink domain.
How to confirm: ``nvidia-imex-ctl -N`` shows every node READY; ``ls /dev/nvidia-caps-imex-channels`` on each node and
in the container.
What to do: start nvidia-imex on all nodes of the domain with the same node list, create a channel, and pass it to the
container. With ``NCCL_MNNVL_ENABLE=0`` NCCL runs without it, over the network.
When it is wrong: the nodes are meant to work alone. A container that may not use the channel, or has another one than
its peers, fails alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.catalog.gpus import all_gpus
from slowlink.facts.readings import latest
from slowlink.model.facts import Communicators, Events, Hardware, Of, Readings, Transports, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.patterns import regex
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IMEX, NCCL_ENV
from slowlink.rules.evidence.messages import FAILED_RUN, LogMessage, hosts_of, refs_of, reported, warned
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu_links.remedies import SEE_IMEX

CAUSES = ("imex-channel-missing",)

_REFUSALS = ("operation not permitted", "operation not supported")
"""CUDA_ERROR_NOT_PERMITTED (800) and CUDA_ERROR_NOT_SUPPORTED (801)."""
_CALL = regex(r"u(?:Mem\w|_mem_)")
"""Part of the names of CUDA's calls that NCCL quotes: cuMemCreate, cuMemImportFromShareableHandle."""
_SHARES_MEMORY = ("p2p.cc", "alloc.h", "allocator.cc", "nvls.cc", "mnnvl.cc")
"""Where NCCL gives memory to other processes and takes theirs."""


def check(
    warnings: Warnings | None,
    events: Events | None,
    communicators: Communicators | None,
    transports: Transports | None,
    hardware: Hardware | None,
    channels: Annotated[Readings, Of("imex-channels")] | None,
) -> Iterator[Finding]:
    """NCCL's own words about IMEX; an export that is not permitted; a refusal where NVLink spans the nodes."""
    named = tuple(w for w in reported(warnings, events, "mnnvl-unavailable") if "IMEX" in w.text)
    spans = _spans_nodes(warnings, communicators, transports) or _of_a_rack(hardware)
    absent = _absent(channels, communicators) if spans else []
    refused = _refused(warnings, events, spans, bool(absent))
    found: tuple[LogMessage, ...] = (*named, *refused)
    if found:
        yield _finding(found, absent, bool(refused))


def _spans_nodes(warnings: Warnings | None, communicators: Communicators | None, transports: Transports | None) -> bool:
    """Does NCCL's log say that NVLink joins several nodes?"""
    inits = communicators.all if communicators is not None else ()
    kinds = transports.edges.kinds if transports is not None else ()
    return (
        any(init.mnnvl for init in inits)
        or any(kind.transport == "P2P/MNNVL" for kind in kinds)
        or bool(warned(warnings, "mnnvl-fabric"))
    )


def _of_a_rack(hardware: Hardware | None) -> bool:
    """Is it a GPU that is sold in racks which NVLink joins?"""
    known = all_gpus().get(hardware.gpu or "") if hardware is not None else None
    return known is not None and known.rack is not None


def _refused(warnings: Warnings | None, events: Events | None, spans: bool, absent: bool) -> tuple[LogMessage, ...]:
    """Calls that share memory and that CUDA refused: by their name, or by their place where NVLink spans nodes."""
    errors = cuda_errors(warnings, events, *_REFUSALS)
    counted = {id(message) for message in errors}
    every = warnings.all if warnings is not None else ()
    said = tuple(w for w in every if w.level == "WARN" and id(w) not in counted)
    quoted = (*errors, *(w for w in said if any(words in w.text for words in _REFUSALS)))
    called = tuple(m for m in quoted if _is_called(m, spans))
    placed = tuple(m for m in errors if spans and not _is_called(m, spans) and _shares_memory(m))
    return (*called, *(m for m in placed if absent or _REFUSALS[0] in m.text))


def _is_called(message: LogMessage, spans: bool) -> bool:
    return bool(_CALL.search(message.text)) and (spans or _REFUSALS[0] in message.text)


def _shares_memory(message: LogMessage) -> bool:
    where = message.location if isinstance(message, LogWarning) else message.text
    return any(file in (where or "") for file in _SHARES_MEMORY)


def _absent(channels: Readings | None, communicators: Communicators | None) -> list[Reading]:
    """Nodes of this job on which a listing found no channel; an excerpt does not name all nodes of its job."""
    job = communicators.hosts if communicators is not None else ()
    nodes = max((init.nnodes or 0 for init in communicators.all), default=0) if communicators is not None else 0
    now = latest(channels.all).values() if channels is not None else ()
    return [r for r in now if r.value is False and (r.host is None or len(job) < max(nodes, 1) or r.host in job)]


def _finding(found: Sequence[LogMessage], absent: Sequence[Reading], refused: bool) -> Finding:
    hosts = tuple(dict.fromkeys(r.host for r in absent if r.host)) or hosts_of(found)
    why = "no IMEX channel is there" if absent else "the IMEX service or its channel is missing"
    return finding(
        "imex-channel-missing",
        f"{fold(hosts) + ': ' if hosts else ''}the multi-node NVLink domain cannot be used: {why}",
        severity="critical" if refused else "error",
        confidence="certain" if absent else "likely",
        evidence=(*reading_evidence(list(absent)[:3]), *lines_evidence(refs_of(found))),
        suspects=suspects("node", hosts),
        explains=("busbw-below-expected", "p2p-disabled", *FAILED_RUN),
        remedy=SEE_IMEX,
        references=[IMEX, f"{NCCL_ENV}#nccl-mnnvl-enable"],
    )
