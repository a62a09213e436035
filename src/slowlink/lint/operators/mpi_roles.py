"""An MPIJob whose launcher and workers do not fit their part.

Workers run sshd, which the operator starts where they have no command of their own; the launcher runs mpirun and needs
no GPU, unless ``runLauncherAsWorker`` makes it one of the hosts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.workload import Role, Workload
from slowlink.model.report import Finding

CAUSES = ("pods-not-joined", "gpus-unused", "gpus-over-requested")
_WITHOUT_SSHD = re.compile(
    r"(?:docker\.io/)?(?:library/)?(?:ubuntu|debian|python|alpine|busybox)(?:[:@].*)?"
    r"|(?:docker\.io/|nvcr\.io/)?nvidia/cuda(?:[:@].*)?|(?:docker\.io/)?pytorch/pytorch(?:[:@].*)?"
)
"""Images of systems and of CUDA, as their makers publish them: without an ssh server."""


def check(workload: Workload) -> Iterator[Finding]:
    """Of MPIJobs whose way to workers is ssh (Open MPI and Intel MPI of v2beta1)."""
    if workload.kind != "MPIJob":
        return
    as_worker = workload.spec["runLauncherAsWorker"]
    for role in workload.roles:
        if role.name == "Worker":
            yield from _worker(workload, role)
        elif role.name == "Launcher":
            yield from _launcher(workload, role, as_worker.is_true)


def _worker(workload: Workload, role: Role) -> Iterator[Finding]:
    container = role.worker
    if container is None:
        return
    words = " ".join(word for command in container.commands for word in command.words)
    image = container.spot["image"]
    if container.commands and "ssh" not in words and "$" not in words:
        yield finding(
            "pods-not-joined",
            workload,
            "the command of its workers starts no sshd, in place of the one that the operator would start: "
            "mpirun cannot "
            "reach them, and no rank starts",
            severity="error",
            confidence="likely",
            at=[(container.spot["command"] or container.spot["args"], words[:80], "/usr/sbin/sshd -De, or no command")],
            do="Leave the command out, or start sshd.",
            snippet='command: ["/usr/sbin/sshd", "-De"]',
        )
    elif _WITHOUT_SSHD.fullmatch(image.text) and "install" not in words:
        yield finding(
            "pods-not-joined",
            workload,
            f"the image {image.text[:80]} has no sshd: the workers end at their start, and mpirun cannot reach them",
            severity="error",
            confidence="likely",
            at=[(image, image.text, "an image with openssh-server, mpirun and the benchmark")],
            do="Build an image with openssh-server, mpirun and the benchmark.",
            snippet="image: registry.example/nccl-tests:2.27   # with openssh-server and mpirun",
        )
    if role.is_on_host_network and "-p" not in words and "Port" not in words:
        yield finding(
            "pods-not-joined",
            workload,
            "workers on their node's network: port 22 is taken by the node's own sshd, so that of the pod cannot "
            "listen, "
            "and mpirun logs in to the node",
            severity="warning",
            confidence="likely",
            at=[(role.spec["hostNetwork"], "hostNetwork: true", "the pods' network, or sshd on another port")],
            do="Let the pods' sshd listen on a port of its own, and tell ssh of the launcher; or leave "
            "hostNetwork out.",
            snippet='command: ["/usr/sbin/sshd", "-De", "-p", "2222"]',
        )


def _launcher(workload: Workload, role: Role, is_worker: bool) -> Iterator[Finding]:
    container = role.worker
    if container is None:
        return
    limits = container.spot["resources"]["limits"]
    others = max((each.gpus for each in workload.roles if each is not role), default=0)
    if role.gpus and not is_worker:
        yield finding(
            "gpus-unused",
            workload,
            f"the launcher asks for {role.gpus} GPUs and runs mpirun alone: they stay unused, and keep the "
            "launcher waiting "
            "for a node that has them",
            severity="warning",
            confidence="certain",
            at=[
                (limits, f"{role.gpus} GPUs", "none"),
                (workload.spec["runLauncherAsWorker"], "false", "true, if ranks are to run there"),
            ],
            do="Take them out, or make the launcher a worker.",
            snippet="spec:\n  runLauncherAsWorker: true",
        )
    elif is_worker and role.gpus < others:
        yield finding(
            "gpus-over-requested",
            workload,
            f"runLauncherAsWorker puts ranks on the launcher, which has {role.gpus} GPUs where a worker has "
            f"{others}: its "
            "ranks find none, and the job ends at its start",
            severity="error",
            confidence="likely",
            at=[(limits, f"{role.gpus} GPUs", f"{others} GPUs"), (workload.spec["runLauncherAsWorker"], "true", "")],
            do="Give the launcher what a worker has.",
            snippet="Launcher:\n  template:\n    spec:\n      containers:\n      - resources:\n          "
            f"limits:\n            nvidia.com/gpu: {others}",
        )
