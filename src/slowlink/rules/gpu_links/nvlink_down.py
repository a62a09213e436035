"""NVLinks are inactive or report errors.

The driver logged an error of an NVLink (Xid 74, 108 and 136, and 144 to 150 and 155 on newer GPUs), or NCCL found GPUs
that are joined by NVLink and may not use it.

Why it matters: collectives inside the node fall to the speed of what is left, or the process using the link is ended.
How to confirm: ``nvidia-smi nvlink --status`` and ``nvidia-smi nvlink -e`` on the node; ``nvidia-smi topo -m`` shows
NV between GPUs.
What to do: drain the node, reset all GPUs joined by the link together, and test with ``dcgmi diag -r 3``. If errors
come back, the GPU, its baseboard or a bridge is at fault.
When it is wrong: links are down for some seconds after boot, and a peer's reset shows as an error on this side.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, by_fault, hosts_of, listed, refs_of, warned
from slowlink.rules.evidence.xid_messages import NVLINK, advice, gpu_of, xid_of, xids, xids_in_words
from slowlink.rules.gpu_links.remedies import READ_NVLINKS, TEST_NODE

CAUSES = ("nvlink-down",)

_REMEDY = (READ_NVLINKS, TEST_NODE)


def check(events: Events | None, warnings: Warnings | None) -> Iterator[Finding]:
    """Errors that the driver logged, and links that NCCL may not use."""
    for found in by_fault(xids(events, NVLINK), xid_of):
        gpus = list(dict.fromkeys(filter(None, map(gpu_of, found))))
        yield finding(
            "nvlink-down",
            f"{listed(gpus) or 'a GPU'}: {xids_in_words(found)}",
            severity="error",
            confidence="likely",
            evidence=lines_evidence(refs_of(found)),
            suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
            explains=("nvls-unavailable", "busbw-below-expected", "rank-lost", *LOST_PEER),
            remedy=(READ_NVLINKS, *advice(found), TEST_NODE),
            references=[XID],
        )
    refused = warned(warnings, "nvlink-p2p-disabled")
    if refused:
        yield finding(
            "nvlink-down",
            f"{at_hosts(hosts_of(refused))}GPUs joined by NVLink may not use peer-to-peer: the driver says "
            "it is disabled",
            severity="error",
            confidence="likely",
            evidence=lines_evidence(refs_of(refused)),
            suspects=suspects("node", hosts_of(refused)),
            explains=("p2p-disabled", "nvls-unavailable", "busbw-below-expected"),
            remedy=_REMEDY,
            references=[XID],
        )
