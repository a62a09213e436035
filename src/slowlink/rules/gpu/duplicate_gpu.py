"""Two ranks share one GPU.

NCCL compares the bus ids of the ranks of a node, and refuses to put two ranks on one GPU.

Why it matters: the communicator is not created.
How to confirm: print CUDA_VISIBLE_DEVICES and the local rank in each process.
What to do: let each rank take the GPU of its local rank (``torch.cuda.set_device(LOCAL_RANK)``; nccl-tests: as many
ranks per node as GPUs, with ``-g 1``). The scheduler must show every task either all GPUs or one of its own, never the
same one to all.
When it is wrong: never; NCCL compares the devices themselves. Since NCCL 2.30, NCCL_MULTI_RANK_GPU_ENABLE=1 allows it
on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV, TORCH_DISTRIBUTED
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, hosts_of, refs_of, reported

CAUSES = ("duplicate-gpu",)


def check(warnings: Warnings | None, events: Events | None) -> Iterator[Finding]:
    """One finding for all pairs; the first one is named."""
    found = reported(warnings, events, "duplicate-gpu")
    if not found:
        return
    parts = found[0].groups
    pair = [parts[name] for name in ("rank_a", "rank_b") if name in parts]
    who = f"ranks {pair[0]} and {pair[1]} use" if len(pair) == 2 else "two ranks use"
    device = f" (bus id {parts['bus_id']})" if parts.get("bus_id") else ""
    hosts = hosts_of(found)
    yield finding(
        "duplicate-gpu",
        f"{at_hosts(hosts)}{who} the same GPU{device}",
        severity="critical",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("rank", pair), *suspects("node", hosts)),
        explains=("process-crashed", *FAILED_RUN),
        remedy=[
            (
                "See which GPU each rank is given.",
                "srun bash -c 'echo $SLURM_PROCID $SLURM_LOCALID $CUDA_VISIBLE_DEVICES'",
            ),
            ("Start one rank for each GPU of a node, and no more.", "mpirun -np 16 -N 8 ./all_reduce_perf -g 1 ..."),
        ],
        references=[NCCL_ENV, TORCH_DISTRIBUTED],
    )
