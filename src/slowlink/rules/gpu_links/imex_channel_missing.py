"""Memory cannot be shared over multi-node NVLink, because IMEX is not set up.

On systems whose NVLink spans nodes (GB200, GB300) GPU memory is exported to other nodes through the IMEX service and
a channel device in /dev/nvidia-caps-imex-channels. NCCL found the NVLink domain but could not use it: its own message
names IMEX, or CUDA did not permit the export of memory.

Why it matters: NCCL fails, or uses the much slower network between nodes of one NVLink domain.
How to confirm: ``nvidia-imex-ctl -N`` shows every node READY; ``ls /dev/nvidia-caps-imex-channels`` on each node and
in the container.
What to do: start nvidia-imex on all nodes of the domain with the same node list, create a channel, and pass it to the
container. With ``NCCL_MNNVL_ENABLE=0`` NCCL runs without it, over the network.
When it is wrong: the nodes are meant to work alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IMEX, NCCL_ENV
from slowlink.rules.evidence.messages import FAILED_RUN, LogMessage, at_hosts, hosts_of, refs_of, reported
from slowlink.rules.gpu_links.remedies import SEE_IMEX

CAUSES = ("imex-channel-missing",)


def check(warnings: Warnings | None, events: Events | None) -> Iterator[Finding]:
    """NCCL's own words about IMEX, and an export that is not permitted."""
    named = reported(warnings, events, "mnnvl-unavailable")
    named = tuple(w for w in named if "IMEX" in w.text)
    # "uMem" is part of the names of CUDA's calls that NCCL quotes: cuMemCreate, cuMemExportToShareableHandle.
    refused = tuple(m for m in cuda_errors(warnings, events, "operation not permitted") if "uMem" in m.text)
    found: tuple[LogMessage, ...] = (*named, *refused)
    if not found:
        return
    hosts = hosts_of(found)
    yield finding(
        "imex-channel-missing",
        f"{at_hosts(hosts)}the multi-node NVLink domain cannot be used: the IMEX service or its channel is missing",
        severity="critical" if refused else "error",
        confidence="likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=("busbw-below-expected", *FAILED_RUN),
        remedy=SEE_IMEX,
        references=[IMEX, f"{NCCL_ENV}#nccl-mnnvl-enable"],
    )
