"""Every pod measures by itself.

A program of nccl-tests joins ranks by MPI alone: started without mpirun, its ``-g 8`` is one process with 8 GPUs of its
own pod. torchrun without ``--nnodes`` is a job of one node as well. Two pods are then two jobs, which never use the
network.

When it is wrong: each node by itself is to be tested, or a wrapper in the image starts the ranks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.shell import MPI, Command
from slowlink.lint.workload import Container, Role, Workload
from slowlink.model.report import Finding

CAUSES = ("pods-not-joined",)
_BETWEEN_NODES = re.compile(r"NCCL_(?:IB|NET|SOCKET|CROSS)_|MASTER_|RANK$|WORLD_SIZE$")
"""What says that ranks of several nodes are meant, and not a test of each node by itself."""
_READ_BY_TORCH = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "NODE_RANK")
_FIX = """\
# slowlink manifest all_reduce --on kubernetes -n RANKS --image IMAGE   writes all of it
apiVersion: v1
kind: Service
metadata: {name: bench}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: bench}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: bench}
spec:
  completionMode: Indexed   # pods are bench-0.bench, bench-1.bench
  parallelism: 2
  completions: 2
  backoffLimit: 0
  template:
    metadata: {labels: {app: bench}}
    spec:
      subdomain: bench
      restartPolicy: Never
      containers:
      - name: bench
        image: IMAGE            # with sshd, mpirun and nccl-tests built with MPI=1
        # index 0: mpirun --host bench-0.bench:8,bench-1.bench:8 all_reduce_perf -g 1; the others: sshd
        command: [sh, /scripts/start.sh]
        resources:
          limits:
            nvidia.com/gpu: 8"""


def check(workload: Workload) -> Iterator[Finding]:
    """One for each role of several pods, whose program starts ranks in its own pod alone."""
    if workload.kind == "DaemonSet":
        return  # one on each node by itself is what it is for
    for role in workload.ranks_roles:
        together = workload.pods if workload.kind in ("PyTorchJob", "LeaderWorkerSet") else role.pods
        if workload.kind == "MPIJob" or together < 2:
            continue
        for container in role.containers:
            alone = [each for each in container.commands if _why(each, workload, container)]
            if alone and not any(each.program in MPI for each in container.commands):
                yield _finding(workload, role, container, alone[0], together)
                break


def _why(command: Command, workload: Workload, container: Container) -> str:
    if command.is_perf:
        gpus = command.count("-g", "--ngpus")
        started = f"{command.program} is started without mpirun"
        return started + (f", and -g {gpus} is one process with {gpus} GPUs of its own pod" if gpus else "")
    if command.program == "torchrun" or "torch.distributed.run" in command.words:
        nodes = command.option("--nnodes", "--nnode")
        if "--standalone" in command.words or nodes == "1" or (nodes is None and _says_nothing(workload, container)):
            return "torchrun without --nnodes is a job of one node"
    return ""


def _says_nothing(workload: Workload, container: Container) -> bool:
    """torchrun takes PET_NNODES too, which the PyTorch operator sets."""
    return workload.kind != "PyTorchJob" and "PET_NNODES" not in container.env and not container.spot["envFrom"]


def _finding(workload: Workload, role: Role, container: Container, command: Command, pods: int) -> Finding:
    source = container.spot.source
    started = container.spot["args"] or container.spot["command"]
    line = type(started)(source, None, started.path, command.line)
    meant = bool(container.rdma) or role.is_on_host_network or any(map(_BETWEEN_NODES.match, container.env))
    unread = [name for name in _READ_BY_TORCH if name in container.env and command.is_perf]
    ignored = f"; {' and '.join(unread)} {'are' if len(unread) > 1 else 'is'} read by nothing here" if unread else ""
    return finding(
        "pods-not-joined",
        workload,
        f"nothing joins its {pods} pods: {_why(command, workload, container)}{ignored}; each pod is a job of its own, "
        "no byte goes over the network between nodes, and the bandwidth shown is that of one node",
        severity="error" if meant else "warning",
        confidence="certain" if command.is_perf and meant else "likely",
        at=[
            (line, " ".join(command.words)[:120], "ranks of all pods in one job (mpirun, torchrun --nnodes)"),
            (role.home, f"{pods} pods", ""),
            *((container.env[name], name, "read by nothing here") for name in unread[:2]),
        ],
        do="Start the ranks of all pods by one launcher: mpirun over pods with names (below), an MPIJob, or torchrun "
        f"--nnodes={pods}.",
        snippet=_FIX,
    )
