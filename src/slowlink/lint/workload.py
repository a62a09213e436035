"""Workloads of a manifest: kinds of objects that start pods, each as the roles that its pods play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from slowlink.lint.shell import Command, commands_of
from slowlink.lint.spot import Spot

_NO_DEVICES = ("/gpumem", "/gpucores", "/gpumem-percentage", "/gpu-memory")
"""Shares of a GPU, as plug-ins that divide GPUs count them."""
GPU = re.compile(r"[a-z0-9.-]+/(?:gpu|vgpu|mig-[a-z0-9.]+|gpu\.shared)")
_RDMA = re.compile(
    r"rdma|roce|infiniband|(?:^|[/_.-])(?:ib|hca|efa|sriov|mlnx|mlx|cx[4-9]|vf|nics?)(?:$|[/_.0-9-])|networking\.gke|hostdev|ipoib"
)
"""Extended resources are named by each site; these words stand in those of RDMA device plug-ins."""


class Container:
    """One container of a pod."""

    def __init__(self, spot: Spot) -> None:
        self.spot = spot

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        return commands_of(self.spot)

    @cached_property
    def env(self) -> Mapping[str, Spot]:
        """Name -> the place of its value; what comes from elsewhere (``valueFrom``) has none."""
        return {each["name"].text: each["value"] for each in self.spot["env"] if each["name"]}

    def wants(self, kind: re.Pattern[str]) -> list[Spot]:
        """Resources that are asked for, by limits, else by requests."""
        resources = self.spot["resources"]
        limits = {key: resources["limits"][key] for key in resources["limits"].keys if kind.search(key)}
        requests = {key: resources["requests"][key] for key in resources["requests"].keys if kind.search(key)}
        return list({**requests, **limits}.values())

    @property
    def gpus(self) -> int:
        return sum(each.number or 0 for each in self.wants(GPU))

    @property
    def rdma(self) -> list[Spot]:
        return [each for each in self.wants(_RDMA) if not GPU.fullmatch(_last_key(each))]

    @property
    def has_other_devices(self) -> bool:
        """A resource of some device plug-in that gives no GPUs: sites name those of their networks as they like."""
        resources = self.spot["resources"]
        keys = (*resources["limits"].keys, *resources["requests"].keys)
        return any("/" in key and not GPU.fullmatch(key) and not key.endswith(_NO_DEVICES) for key in keys)

    @property
    def is_privileged(self) -> bool:
        return self.spot.at("securityContext", "privileged").is_true

    def mount_at(self, path: str) -> Spot | None:
        for each in self.spot["volumeMounts"]:
            if each["mountPath"].text.rstrip("/") == path:
                return each
        return None

    def started(self, *programs: str) -> list[Command]:
        return [each for each in self.commands if each.program in programs]


def _last_key(spot: Spot) -> str:
    return (
        spot.path.rpartition('["')[2].removesuffix('"]') if spot.path.endswith('"]') else spot.path.rpartition(".")[2]
    )


class Role:
    """Pods of one template."""

    def __init__(self, name: str, pods: int, template: Spot, home: Spot) -> None:
        self.name, self.pods, self.template, self.home = name, pods, template, home
        """``home``: what says how many there are."""
        self.spec = template["spec"]
        self.containers = [Container(each) for each in self.spec["containers"]]

    @property
    def gpus(self) -> int:
        """Of one pod."""
        return sum(each.gpus for each in self.containers)

    @property
    def worker(self) -> Container | None:
        """The container that has the GPUs; else the first."""
        return max(self.containers, key=lambda each: each.gpus, default=None)

    @property
    def is_on_host_network(self) -> bool:
        return self.spec["hostNetwork"].is_true

    def volume(self, name: str) -> Spot | None:
        return next((each for each in self.spec["volumes"] if each["name"].text == name), None)

    @property
    def labels(self) -> Mapping[str, str]:
        labels = self.template.at("metadata", "labels")
        return {key: labels[key].text for key in labels.keys}


class Workload:
    """One object that starts pods."""

    def __init__(self, kind: str, spot: Spot, roles: Sequence[Role], document: int) -> None:
        self.kind, self.spot, self.document = kind, spot, document
        self.roles = tuple(roles)
        self.name = spot.at("metadata", "name").text or spot.at("metadata", "generateName").text or "without a name"
        self.spec = spot["spec"]
        self.services: tuple[Spot, ...] = ()
        """Services that stand in the same input."""

    @property
    def title(self) -> str:
        """``Job nccl-bench``."""
        return f"{self.kind} {self.name[:80]}"

    @property
    def pods(self) -> int:
        return sum(role.pods for role in self.roles)

    @property
    def with_gpus(self) -> list[Role]:
        return [role for role in self.roles if role.gpus]

    @property
    def ranks_roles(self) -> list[Role]:
        """Roles whose pods hold ranks: those with GPUs; where none has, all."""
        return self.with_gpus or list(self.roles)

    def commands(self) -> list[tuple[Role, Container, Command]]:
        return [(role, each, command) for role in self.roles for each in role.containers for command in each.commands]


class Manifest(Struct, frozen=True):
    """All that one input holds."""

    workloads: tuple[Workload, ...]
    documents: int


def workload_of(kind: str, spot: Spot, document: int) -> Workload | None:
    """None for an object that starts no pods, or whose kind is not known."""
    spec = spot["spec"]
    roles: list[Role]
    if kind == "Pod":
        roles = [Role("pod", 1, spot, spot)]
    elif kind == "CronJob":
        return workload_of_job(kind, spot, spec.at("jobTemplate", "spec"), document)
    elif kind == "Job":
        return workload_of_job(kind, spot, spec, document)
    elif kind in ("Deployment", "StatefulSet", "ReplicaSet", "DaemonSet"):
        many = spec["replicas"].number
        pods = 2 if kind == "DaemonSet" else 1 if many is None else many
        roles = [Role("pod", pods, spec["template"], spec["replicas"])]
    elif kind in ("MPIJob", "PyTorchJob"):
        replicas = spec["mpiReplicaSpecs" if kind == "MPIJob" else "pytorchReplicaSpecs"]
        roles = [_replica(name, replicas[name]) for name in replicas.keys]
    elif kind == "JobSet":
        roles = []
        for each in spec["replicatedJobs"]:
            job = each.at("template", "spec")
            count = each["replicas"].number
            pods = (1 if count is None else count) * _parallel(job)
            roles.append(
                Role(each["name"].text or "job", pods, job["template"], job["parallelism"] or each["replicas"])
            )
    elif kind == "LeaderWorkerSet":
        roles = _leader_worker(spec)
    else:
        return None
    return Workload(kind, spot, roles, document)


def workload_of_job(kind: str, spot: Spot, spec: Spot, document: int) -> Workload:
    return Workload(kind, spot, [Role("pod", _parallel(spec), spec["template"], spec["parallelism"])], document)


def _parallel(job: Spot) -> int:
    """Pods of a Job at the same time."""
    parallel = job["parallelism"].number
    if parallel is None:
        return 1
    completions = job["completions"].number
    return parallel if completions is None else min(parallel, completions)


def _replica(name: str, spot: Spot) -> Role:
    many = spot["replicas"].number
    return Role(name, 1 if many is None else many, spot["template"], spot["replicas"])


def _leader_worker(spec: Spot) -> list[Role]:
    groups = spec["leaderWorkerTemplate"]
    size = groups["size"].number or 1
    leader = groups["leaderTemplate"]
    if not leader:
        return [Role("worker", size, groups["workerTemplate"], groups["size"])]
    return [
        Role("leader", 1, leader, groups["size"]),
        Role("worker", size - 1, groups["workerTemplate"], groups["size"]),
    ]
