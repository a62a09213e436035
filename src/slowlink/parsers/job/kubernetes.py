"""What kubectl prints about pods and jobs that do not run: status columns, events, API errors.

A row of ``kubectl get pods`` and an event of ``kubectl describe``::

    NAME             READY   STATUS             RESTARTS   AGE
    bench-worker-0   0/1     ImagePullBackOff   0          90s
    0/12 nodes are available: 12 Insufficient nvidia.com/gpu.

Source: kubectl and kubelet of Kubernetes 1.24 to 1.31. Rows of pods that run are known and give no event.
"""

from __future__ import annotations

import re
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern
from slowlink.patterns import regex

_POD_ROW = r"^\s*(?:(?P<namespace>[a-z0-9][a-z0-9-]{0,62})\s+)?(?P<pod>[a-z0-9][\w.-]{0,250})\s+\d+/\d+\s+"
"""With the namespace where ``kubectl get pods -A`` shows those of all."""


def _row(status: str) -> str:
    return f"bench-worker-0   0/1   {status}   0   90s"


def _pod_rows(kind: str, *statuses: str) -> tuple[EventPattern, ...]:
    """One entry for each status; a number at its end stands for any."""
    return tuple(
        EventPattern(
            kind,
            status.rstrip("0123456789"),
            rf"{_POD_ROW}(?P<status>{re.escape(status.rstrip('0123456789'))}{number})\s",
            (_row(status),),
        )
        for status in statuses
        for number in (r"\d{1,3}" if status[-1].isdecimal() else "",)
    )


MESSAGES = (
    EventPattern(
        "k8s-oom-killed", "OOMKilled", _POD_ROW + r"OOMKilled", ("bench-worker-1   0/1   OOMKilled   2   5m",)
    ),
    EventPattern("k8s-oom-killed", "OOMKilled", r"Reason: +OOMKilled", ("      Reason:       OOMKilled",)),
    EventPattern(  # of kubectl describe: how a container ended, the last time or for good
        "k8s-container-exit",
        "Exit Code:",
        r"^\s{0,20}Exit Code: +(?P<code>[1-9]\d{0,2})\s*$",
        ("      Exit Code:    137",),
    ),
    EventPattern(
        "k8s-evicted",
        "The node was low on resource",
        r"(?:\bpod/(?P<pod>[\w.-]{1,250})\s.{0,80}?)?The node was low on resource: "
        r"(?P<resource>[\w./-]{1,100}?)[.:,]?(?:\s|$)",
        ("6m  Warning  Evicted  pod/bench-0  The node was low on resource: ephemeral-storage. Threshold quantity: 4",),
    ),
    EventPattern(
        "k8s-unschedulable",
        "nodes are available",
        r"\d+/\d+ nodes are available: (?P<reason>.{1,200})",
        ("0/12 nodes are available: 12 Insufficient nvidia.com/gpu.",),
    ),
    EventPattern(
        "k8s-unschedulable",
        "FailedScheduling",
        r"\bFailedScheduling\b",
        ("Warning  FailedScheduling  2m  default-scheduler  no nodes",),
    ),
    EventPattern(  # the cluster autoscaler brings nodes: the pod waits for them
        "k8s-scale-up",
        "triggered scale-up",
        r"\bpod triggered scale-up: (?P<groups>.{1,200})",
        ("Normal  TriggeredScaleUp  15s  cluster-autoscaler  pod triggered scale-up: [{pool 2->4 (max: 8)}]",),
    ),
    EventPattern(
        "k8s-assigned",
        "Successfully assigned",
        r"\bSuccessfully assigned (?P<pod>\S{1,300}) to (?P<host>\S{1,253})",
        ("Normal  Scheduled  5s  default-scheduler  Successfully assigned ml/bench-worker-0 to gpu-07",),
    ),
    EventPattern(
        "k8s-image-pull",
        "ImagePull",
        _POD_ROW + r"(?:Init:)?(?:ErrImagePull|ImagePullBackOff)",
        ("bench-worker-0   0/1   ImagePullBackOff   0   90s",),
    ),
    EventPattern(
        "k8s-image-pull",
        "Failed to pull image",
        r'Failed to pull image "(?P<image>[^"]{1,200})"',
        ('  Warning  Failed  10s  kubelet  Failed to pull image "registry/bench:1": not found',),
    ),
    EventPattern(
        "k8s-backoff",
        "CrashLoopBackOff",
        _POD_ROW + r"(?:Init:)?CrashLoopBackOff",
        (
            "bench-launcher-x   0/1   CrashLoopBackOff   4   3m",
            "ml-team   bench-launcher-x   0/1   CrashLoopBackOff   4 (70s ago)   3m",
        ),
    ),
    EventPattern(
        "k8s-backoff",
        "Back-off restarting failed container",
        r"(?:\bpod/(?P<pod>[\w.-]{1,250})\s.{0,80}?)?Back-off restarting failed container"
        r"(?: (?P<container>[^\s=]{1,100}))?(?: in pod \S{1,250}?_(?P<namespace>[a-z0-9-]{1,63})\()?",
        (
            "Warning  BackOff  1s  kubelet  Back-off restarting failed container",
            "3m  Warning  BackOff  pod/bench-0  Back-off restarting failed container main in pod bench-0_ml(0c1f-77)",
        ),
    ),
    EventPattern(
        "k8s-pod-failed",
        "Error",
        _POD_ROW + r"(?P<status>Error|RunContainerError|CreateContainerError|CreateContainerConfigError|Contain"
        r"erStatusUnknown"
        r"|Init:Error|StartError)\s",
        ("bench-worker-0   0/1   Error   0   90s",),
    ),
    *_pod_rows(
        "k8s-pod-failed",
        *("Evicted", "Preempting", "NodeShutdown", "NodeAffinity", "UnexpectedAdmissionError", "ContainerCannotRun"),
        *("PostStartHookError", "PreStartHookError", "PreCreateHookError", "OutOfcpu", "OutOfmemory", "OutOfpods"),
        *("OutOfnvidia.com/gpu", "OutOfamd.com/gpu", "Signal:9", "ExitCode:1", "Init:Signal:9", "Init:ExitCode:1"),
    ),
    *_pod_rows("k8s-pod-node-silent", "NodeLost", "Unknown"),
    *_pod_rows("k8s-image-pull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable"),
    *_pod_rows("k8s-deadline-exceeded", "DeadlineExceeded"),
    EventPattern(
        "k8s-deadline-exceeded",
        "was active ",
        r"\bDeadlineExceeded\b.{1,300}\b(?:Job|Pod) was active (?:on the node )?longer than",
        ("  Warning  DeadlineExceeded  3s  job-controller  Job was active longer than specified deadline",),
    ),
    EventPattern(
        "k8s-node-not-ready",
        "NodeNotReady",
        r"\bNodeNotReady\b.{1,300}\bNode (?P<host>[a-z0-9][\w.-]{0,250}) status is now: NodeNotReady",
        (
            "1m   Warning   NodeNotReady   node/gpu02   Node gpu02 status is now: NodeNotReady",
            "  Normal  NodeNotReady  2m  kubelet  Node gpu02 status is now: NodeNotReady",
        ),
    ),
    EventPattern(
        "k8s-node-not-ready",  # told to the pods of that node
        "NodeNotReady",
        r"\bNodeNotReady\b.{1,300}\b(?P<message>Node is not ready)",
        ("  Warning  NodeNotReady  5m  node-controller  Node is not ready",),
    ),
    EventPattern(
        "k8s-node-ready",
        "NodeReady",
        r"\bNodeReady\b.{1,300}\bNode (?P<host>[a-z0-9][\w.-]{0,250}) status is now: NodeReady",
        ("  Normal  NodeReady  2m  kubelet  Node gpu02 status is now: NodeReady",),
    ),
    EventPattern(
        "k8s-pod-failed",
        "BackoffLimitExceeded",
        r"(?P<status>BackoffLimitExceeded)",
        ("  Warning  BackoffLimitExceeded  3s  job-controller  Job has reached the specified backoff limit",),
    ),
    EventPattern(
        "k8s-forbidden",
        "(Forbidden)",
        r"Error from server \(Forbidden\): (?P<error>.{1,200})",
        ('Error from server (Forbidden): pods is forbidden: User "u" cannot list resource "pods"',),
        harmless=True,  # answers a question of the user of kubectl; no state of the job
    ),
    EventPattern(
        "k8s-not-found",
        "(NotFound)",
        r"Error from server \(NotFound\): (?P<error>.{1,200})",
        ('Error from server (NotFound): pods "bench-0" not found',),
        harmless=True,  # answers a question of the user of kubectl; no state of the job
    ),
    EventPattern(
        "k8s-command-exit",
        "command terminated with exit code",
        r"^\s*command terminated with exit code (?P<code>\d+)",
        ("command terminated with exit code 137",),
    ),
    EventPattern(
        "k8s-api-unreachable",
        "onnect",
        r"^\s*(?:Unable to connect to the server: (?P<error>.{1,160})"
        r"|The connection to the server \S{1,120} was refused|error: unable to upgrade connection)",
        ("Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout",),
    ),
)

_NODE = regex(r"Node: {1,40}(?P<host>[a-z0-9][\w.-]{0,252})(?:/[0-9a-f.:]{2,45})?\s*$")
_POD = regex(r"Name: {1,40}\S{1,253}\s*$")
_MOST_DESCRIBED = 400
"""Lines of one pod in ``kubectl describe``."""

NOISE = (
    NoisePattern("Node:", _NODE.pattern, ("Node:             gpu-07/10.0.0.7",)),
    NoisePattern("Name:", _POD.pattern, ("Name:             bench-worker-0",)),
    NoisePattern("unning", _POD_ROW + r"(?:Running|Completed)\s", ("bench-worker-0   1/1   Running   0   14s",)),
    *(  # on the way from one state to another: nothing is known yet
        NoisePattern(status.rstrip("/0"), _POD_ROW + status.replace("0", r"\d{1,3}") + r"\s", (_row(status),))
        for status in (
            *("Pending", "ContainerCreating", "PodInitializing", "Terminating", "SchedulingGated", "Succeeded"),
            "Init:0/0",
        )
    ),
    NoisePattern(
        "LAST SEEN",
        r"^\s*(?:NAMESPACE\s+)?LAST SEEN\s+TYPE\s+REASON\s+OBJECT",
        ("LAST SEEN   TYPE      REASON             OBJECT               MESSAGE",),
    ),
    NoisePattern(
        "READY",
        r"^\s*NAME\s+READY\s+STATUS\s+RESTARTS",
        ("NAME             READY   STATUS    RESTARTS   AGE",),
    ),
)


class Kubernetes(MessageParser):
    """Events of pods, jobs and the API server, as kubectl shows them. Below ``Node: gpu07/10.0.0.7`` of a described pod
    they are of that node."""

    kind: ClassVar[str] = "kubernetes"
    digits_alike: ClassVar[bool] = True
    origin: ClassVar[str] = "kubernetes"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE

    def __init__(self) -> None:
        super().__init__()
        self._node: tuple[str, int] | None = None
        """Of the pod that is described, and the line that names it."""

    def take(self, line: Line, text: str) -> Use:
        named = _NODE.match(text)
        if named is not None:
            self._node = (named["host"], line.no)
            return Use.IGNORED
        if _POD.match(text) is not None:
            self._node = None
        if self._node is not None and line.host is None and line.no - self._node[1] <= _MOST_DESCRIBED:
            line = replace(line, host=self._node[0])
        return super().take(line, text)


PARSER = Kubernetes
