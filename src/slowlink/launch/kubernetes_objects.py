"""Kubernetes objects as plain values: one Indexed Job with its Service and files; or an MPIJob, or a JobSet.

Sources: the API reference of batch/v1 and v1 (1.28 and newer), kubeflow.org/v2beta1, jobset.x-k8s.io/v1alpha2.
"""

from __future__ import annotations

from slowlink.launch.interface import KubernetesOptions
from slowlink.launch.kubernetes_scripts import FILES, KEYS, SSH_PORT
from slowlink.launch.yaml_text import Value
from slowlink.model.plan import RankJob

LABELS_OF_ALL = {"app.kubernetes.io/managed-by": "slowlink"}
RUN_LABEL = "slowlink.dev/run"
KEPT_S = 3600
"""How long a finished Job stays when nobody deletes it: our own end removes it at once."""

Document = dict[str, Value]


def labels(run_id: str) -> dict[str, Value]:
    return {**LABELS_OF_ALL, RUN_LABEL: run_id}


def metadata(name: str, run_id: str, namespace: str | None) -> Document:
    place: Document = {"namespace": namespace} if namespace else {}
    return {"name": name, **place, "labels": labels(run_id)}


def config_map(name: str, run_id: str, namespace: str | None, files: dict[str, str]) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(name, run_id, namespace),
        "data": dict(files),
    }


def service(name: str, run_id: str, namespace: str | None) -> Document:
    """Headless: each pod gets a name of its own, published before it is ready: pod 0 waits for the others itself."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name, run_id, namespace),
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {RUN_LABEL: run_id},
            "ports": [{"name": "ssh", "port": SSH_PORT}],
        },
    }


def job_spec(nodes: int, limit_s: int, pod: Document) -> Document:
    """An Indexed Job: all pods or none. One that fails ends all, and nothing is started twice."""
    return {
        "completionMode": "Indexed",
        "completions": nodes,
        "parallelism": nodes,
        "backoffLimit": 0,
        "activeDeadlineSeconds": limit_s,
        "template": pod,
    }


_MULTUS = "k8s.v1.cni.cncf.io/networks"
"""The annotation by which pods ask Multus for further networks. Source: its quick start guide."""


def indexed_job(name: str, run_id: str, namespace: str | None, spec: Document) -> Document:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(name, run_id, namespace),
        "spec": {"ttlSecondsAfterFinished": KEPT_S, **spec},
    }


def job_set(name: str, run_id: str, namespace: str | None, spec: Document) -> Document:
    """The JobSet operator sets up names of pods itself."""
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata(name, run_id, namespace),
        "spec": {
            "ttlSecondsAfterFinished": KEPT_S,
            "failurePolicy": {"maxRestarts": 0},
            "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": name},
            "replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": spec}}],
        },
    }


def mpi_job(
    name: str,
    run_id: str,
    namespace: str | None,
    nodes: int,
    slots: int,
    limit_s: int,
    launcher: Document,
    worker: Document,
) -> Document:
    """The MPI operator makes keys and the host file itself."""
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": metadata(name, run_id, namespace),
        "spec": {
            "slotsPerWorker": slots,
            "runPolicy": {
                "cleanPodPolicy": "All",
                "ttlSecondsAfterFinished": KEPT_S,
                "activeDeadlineSeconds": limit_s,
                "backoffLimit": 0,
            },
            "mpiReplicaSpecs": {
                "Launcher": {"replicas": 1, "restartPolicy": "Never", "template": launcher},
                "Worker": {"replicas": nodes, "restartPolicy": "Never", "template": worker},
            },
        },
    }


def pod_template(
    run_id: str, container: Document, options: KubernetesOptions, *, subdomain: str | None, volumes: list[Document]
) -> Document:
    """A pod of one container; on nodes apart, so that ``ranks_per_node`` means nodes."""
    spec: Document = {"restartPolicy": "Never"}
    if subdomain is not None:
        spec["subdomain"] = subdomain
    if options.service_account is not None:
        spec["serviceAccountName"] = options.service_account
    # The pods need nothing of the API server.
    spec["automountServiceAccountToken"] = False
    if options.host_network:
        spec["hostNetwork"] = True
        spec["dnsPolicy"] = "ClusterFirstWithHostNet"
    if options.node_selector:
        spec["nodeSelector"] = dict(options.node_selector)
    term: Document = {
        "labelSelector": {"matchLabels": {RUN_LABEL: run_id}},
        "topologyKey": "kubernetes.io/hostname",
    }
    spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if options.priority_class is not None:
        spec["priorityClassName"] = options.priority_class
    if options.pull_secrets:
        spec["imagePullSecrets"] = [{"name": name} for name in options.pull_secrets]
    stood: list[Value] = [{"key": key, "operator": "Exists"} for key in options.tolerations]
    if options.gpu_resource:
        stood.insert(0, {"key": options.gpu_resource, "operator": "Exists", "effect": "NoSchedule"})
    if stood:
        spec["tolerations"] = stood
    spec["containers"] = [container]
    spec["volumes"] = list(volumes)
    found: Document = {"labels": labels(run_id)}
    if options.networks:
        found["annotations"] = {_MULTUS: ", ".join(options.networks)}
    return {"metadata": found, "spec": spec}


def container(
    job: RankJob, image: str, options: KubernetesOptions, command: list[str], mounts: list[Document]
) -> Document:
    """The container, with what RDMA needs: locked memory, a large /dev/shm for NCCL, the devices."""
    resources: dict[str, Value] = {}
    if job.gpus_per_node:
        resources[options.gpu_resource] = job.gpus_per_node
    if options.rdma_resource:
        resources[options.rdma_resource] = options.rdma_count
    made: Document = {"name": "slowlink", "image": image, "command": list(command)}
    if resources:
        made["resources"] = {"limits": resources}
    if options.rdma_resource or options.host_network:
        made["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    made["volumeMounts"] = [{"name": "shm", "mountPath": "/dev/shm"}, *mounts]  # noqa: S108  (a mount in the pod)
    return made


def shared_memory() -> Document:
    """NCCL's SHM transport wants more than the 64 MiB that a container has by itself."""
    return {"name": "shm", "emptyDir": {"medium": "Memory"}}


def run_volumes(name: str, *, key: bool) -> tuple[list[Document], list[Document]]:
    """Volumes and mounts of the run's scripts, and of its own key pair where it has one."""
    volumes: list[Document] = [
        shared_memory(),
        {"name": "run", "configMap": {"name": name, "defaultMode": 0o555}},
    ]
    mounts: list[Document] = [
        {"name": "run", "mountPath": FILES, "readOnly": True},
    ]
    if key:
        volumes.append({"name": "ssh", "secret": {"secretName": name, "defaultMode": 0o400}})
        mounts.append({"name": "ssh", "mountPath": KEYS, "readOnly": True})
    return volumes, mounts
