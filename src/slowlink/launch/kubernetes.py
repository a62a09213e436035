"""Ranks on Kubernetes: an Indexed Job whose pod 0 runs mpirun, over ssh or by ``kubectl exec``; or an MPIJob or JobSet,
by their operator.

The key pair is made for this run, here, and deleted with it; the user's own keys are never touched.
"""

from __future__ import annotations

import re
from typing import ClassVar

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch import kubernetes_objects as objects
from slowlink.launch import kubernetes_scripts as scripts
from slowlink.launch.hostfiles import hydra_hostfile, openmpi_hostfile
from slowlink.launch.interface import KubernetesOptions, LaunchOptions, Surroundings
from slowlink.launch.kubernetes_exec import ask_script, hand_on_script
from slowlink.launch.layout import Share, in_words, lay_out
from slowlink.launch.mpi_flags import Mpi, environment_flags, openmpi_placement
from slowlink.launch.yaml_text import to_yaml
from slowlink.model.plan import Allocation, Detection, Node, Plan, PlannedFile, RankJob, Step

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_KINDS = {"job": "job", "mpijob": "mpijob.kubeflow.org", "jobset": "jobset.jobset.x-k8s.io"}
_DEFAULT_LIMIT_S = 1800.0
_START_LIMIT_S = 600
_QUERY_S = 60.0


class Kubernetes:
    """Objects are named by the run and carry its label; exactly these are deleted at the end."""

    name: ClassVar[str] = "kubernetes"

    def detect(self, here: Surroundings) -> Detection:
        if "kubectl" not in here.programs:
            return Detection(self.name, False, "there is no kubectl on PATH")
        if "KUBERNETES_SERVICE_HOST" in here.environment:
            return Detection(self.name, True, "inside a pod of a cluster (KUBERNETES_SERVICE_HOST)")
        return Detection(self.name, True, "kubectl is here; taken only when asked for")

    def allocation(self, here: Surroundings) -> Allocation | None:  # noqa: ARG002  (the interface's signature)
        return Allocation((), basis="Kubernetes places the pods")

    def plan(self, job: RankJob, allocation: Allocation, here: Surroundings, options: LaunchOptions) -> Plan:
        if "kubectl" not in here.programs:
            raise SlowlinkError("there is no kubectl on PATH", hint="install kubectl 1.28 or newer", slug="no-kubectl")
        name = object_name(job, here)
        shares = lay_out(job, pods(job, name, options, allocation))
        kind = _kind(options)
        kubectl = _kubectl(here, options)
        limit = job.timeout_s or options.timeout_s or _DEFAULT_LIMIT_S
        documents = manifest(job, shares, name, here, options, limit)
        scratch = "{scratch}"
        apply = (*kubectl, "apply", "--server-side", "--validate=strict", "--field-manager=slowlink")
        prepare = [Step((*apply, "-f", f"{scratch}/objects.yaml"), _QUERY_S)]
        removed = [f"{_KINDS[kind]}/{name}"]
        sshd = options.kubernetes.sshd
        if kind != "mpijob":
            prepare = [*(_key_steps(kubectl, name, here) if sshd else ()), *prepare]
            removed += [f"configmap/{name}", *([f"secret/{name}"] if sshd else ())]
        elif job.around is not None:
            removed.append(f"configmap/{name}")
        if kind == "job":
            removed.append(f"service/{name}")
        delete = (*kubectl, "delete", *removed, "--ignore-not-found", "--cascade=foreground", "--timeout=60s")
        first, beside = _selector(kind, name), "" if sshd else f"{scratch}/hand_on.sh"
        files = [
            PlannedFile("objects.yaml", to_yaml(documents)),
            PlannedFile("follow.sh", scripts.follow_script(kubectl, first, _START_LIMIT_S, beside), 0o700),
        ]
        if beside:
            every = f"{objects.RUN_LABEL}={here.run_id}"
            files.append(PlannedFile("hand_on.sh", hand_on_script(kubectl, first, every, scripts.STATE), 0o700))
        cleanup = [Step(delete, _QUERY_S + 30)]
        if job.around is not None and kind != "mpijob":
            text = scripts.collect_script(kubectl, first, f"{_KINDS[kind]}/{name}")
            files.append(PlannedFile("collect.sh", text, 0o700))
            cleanup.insert(0, Step(("sh", f"{scratch}/collect.sh"), scripts.GRACE_S + 30.0))
        return Plan(
            launcher=self.name,
            argv=("sh", f"{scratch}/follow.sh"),
            files=tuple(files),
            timeout_s=options.timeout_s,
            prepare=tuple(prepare),
            cleanup=tuple(cleanup),
            # Pods are not hosts that can be reached from here: nobody is to ask them whether they are alive.
            nodes=(),
            note=f"{_title(kind)} {name} of {len(shares)} pods, each on a node of its own: {in_words(shares)}\n"
            f"the image needs {'sshd, ' if sshd else ''}mpirun and {job.argv[0]}",
        )


def object_name(job: RankJob, here: Surroundings) -> str:
    """The name of everything that this run makes. Raises SlowlinkError for what Kubernetes does not take."""
    name = f"{job.name}-{here.run_id}".lower().replace("_", "-").replace(".", "-")
    if not _NAME.fullmatch(name):
        raise SlowlinkError(
            f"Kubernetes does not take the name {name[:80]!r}",
            hint="at most 40 letters, digits and dashes: choose a shorter --name",
            slug="bad-name",
        )
    return name


def pods(job: RankJob, name: str, options: LaunchOptions, allocation: Allocation) -> Allocation:
    """Pods by the names that they will have. A given node set says only how many there are: Kubernetes places pods."""
    needed = max(1, -(-job.nranks // max(job.ranks_per_node, 1)))
    if allocation.nodes and len(allocation.nodes) < needed:
        return Allocation(allocation.nodes, allocation.basis)
    stem = f"{name}-node-0" if _kind(options) == "jobset" else name
    return Allocation(tuple(Node(f"{stem}-{index}.{name}") for index in range(needed)), basis="pods")


def manifest(
    job: RankJob, shares: tuple[Share, ...], name: str, here: Surroundings, options: LaunchOptions, limit_s: float
) -> list[objects.Document]:
    """The objects, in the order in which they are made; without the Secret, which holds this run's own key."""
    if options.image is None:
        raise SlowlinkError(
            "which image? Pods need one with sshd, mpirun and the benchmark",
            hint="give --image, for instance the image of your training jobs",
            slug="no-image",
        )
    choices, kind, run, place = options.kubernetes, _kind(options), here.run_id, options.namespace
    limit = max(1, int(limit_s))
    if kind == "mpijob":
        if not choices.sshd:
            raise SlowlinkError(
                "an MPIJob's launcher starts ranks by ssh: its image needs sshd",
                hint="--operator job, which does without",
                slug="needs-sshd",
            )
        return _mpi_job(job, shares, name, here, options, limit)
    volumes, mounts = objects.run_volumes(name, key=choices.sshd)
    command = ["sh", f"{scripts.FILES}/start.sh"]
    container = objects.container(job, options.image, choices, command, mounts)
    pod = objects.pod_template(run, container, choices, subdomain=name if kind == "job" else None, volumes=volumes)
    if job.around is not None:
        pod_spec = pod["spec"]
        assert isinstance(pod_spec, dict)
        pod_spec["terminationGracePeriodSeconds"] = scripts.GRACE_S
    spec = objects.job_spec(len(shares), limit, pod)
    files = objects.config_map(name, run, place, _pod_files(job, shares, options))
    if kind == "jobset":
        return [files, objects.job_set(name, run, place, spec)]
    return [files, objects.service(name, run, place), objects.indexed_job(name, run, place, spec)]


def _pod_files(job: RankJob, shares: tuple[Share, ...], options: LaunchOptions) -> dict[str, str]:
    hosts = tuple(share.node.name for share in shares)
    sshd = options.kubernetes.sshd
    by_ssh = {
        "start.sh": scripts.WORKER_SCRIPT,
        "ssh.sh": scripts.SSH_SCRIPT,
        "sshd_config": scripts.SSHD_CONFIG,
        "ssh_config": scripts.SSH_CONFIG,
    }
    by_exec = {"start.sh": scripts.WITHOUT_SSHD_SCRIPT, "ask.sh": ask_script(scripts.STATE)}
    return {
        **(by_ssh if sshd else by_exec),
        "launch.sh": scripts.launch_script(job, hosts, options.extra, sshd=sshd),
        "hostfile": openmpi_hostfile(shares),
        "hostfile.hydra": hydra_hostfile(shares),
        **({"before.sh": job.around.before, "after.sh": job.around.after} if job.around is not None else {}),
    }


def _mpi_job(
    job: RankJob, shares: tuple[Share, ...], name: str, here: Surroundings, options: LaunchOptions, limit: int
) -> list[objects.Document]:
    """The MPIJob, behind the files of its scripts where something is to be brought home."""
    assert options.image is not None
    choices = options.kubernetes
    mpi = Mpi("mpirun", "openmpi", None, "")
    run = ["mpirun", *openmpi_placement(0, oversubscribed=False), "-n", str(job.nranks)]
    run += [*environment_flags(mpi, job.env), *options.extra, *job.argv]
    server = ["/usr/sbin/sshd", "-De"]
    if choices.host_network:
        # The node's own sshd has port 22. The operator's attempts to connect are kept beside the port.
        server += ["-p", str(scripts.SSH_PORT)]
        run[1:1] = ["--mca", "plm_rsh_args", f"-o ConnectionAttempts=10 -p {scripts.SSH_PORT}"]
    volumes = [objects.shared_memory()]
    mounts: list[objects.Document] = []
    files: dict[str, str] = {}
    if job.around is not None:
        volumes, mounts = objects.run_volumes(name, key=False)
        agent = f"ssh -p {scripts.SSH_PORT}" if choices.host_network else "ssh"
        files = {
            "launch.sh": scripts.mpijob_launch_script(job, run, agent),
            "worker.sh": scripts.MPIJOB_WORKER_SCRIPT,
            "before.sh": job.around.before,
            "after.sh": job.around.after,
        }
        run, server = ["sh", f"{scripts.FILES}/launch.sh"], ["sh", f"{scripts.FILES}/worker.sh", *server]
    without_gpus = RankJob(job.argv, job.nranks, job.ranks_per_node)
    launcher = objects.container(without_gpus, options.image, _without_devices(choices), run, mounts)
    worker = objects.container(job, options.image, choices, server, mounts)
    parts = [
        objects.pod_template(here.run_id, each, of, subdomain=None, volumes=volumes)
        for each, of in ((launcher, _without_devices(choices)), (worker, choices))
    ]
    for part in parts[:1]:
        # Only workers have to be on nodes apart; the launcher may share one.
        spec = part["spec"]
        assert isinstance(spec, dict)
        del spec["affinity"]
        part["metadata"] = {"labels": dict(objects.LABELS_OF_ALL)}
    made = objects.mpi_job(
        name, here.run_id, options.namespace, len(shares), job.ranks_per_node, limit, parts[0], parts[1]
    )
    return [objects.config_map(name, here.run_id, options.namespace, files), made] if files else [made]


def _without_devices(choices: KubernetesOptions) -> KubernetesOptions:
    return replace(choices, rdma_resource=None, host_network=False)


def _key_steps(kubectl: tuple[str, ...], name: str, here: Surroundings) -> list[Step]:
    """A key pair of this run, and the Secret that carries it to the pods."""
    key = "{scratch}/id_ed25519"
    make = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key)
    files = (f"--from-file=id_ed25519={key}", f"--from-file=authorized_keys={key}.pub")
    marks = (f"{key_}={value}" for key_, value in objects.labels(here.run_id).items())
    return [
        Step(make, _QUERY_S),
        Step((*kubectl, "create", "secret", "generic", name, *files), _QUERY_S),
        Step((*kubectl, "label", "secret", name, *marks), _QUERY_S),
    ]


def _kubectl(here: Surroundings, options: LaunchOptions) -> tuple[str, ...]:
    context = (f"--context={options.context}",) if options.context else ()
    namespace = (f"--namespace={options.namespace}",) if options.namespace else ()
    return (here.programs["kubectl"], *context, *namespace)


def _selector(kind: str, name: str) -> str:
    if kind == "mpijob":
        return f"training.kubeflow.org/job-name={name},training.kubeflow.org/job-role=launcher"
    job = f"{name}-node-0" if kind == "jobset" else name
    return f"batch.kubernetes.io/job-name={job},batch.kubernetes.io/job-completion-index=0"


def _kind(options: LaunchOptions) -> str:
    kind = options.kubernetes.operator
    if kind not in _KINDS:
        raise SlowlinkError(
            f"there is no way to run pods by {kind!r}", hint=f"one of {', '.join(_KINDS)}", slug="unknown-operator"
        )
    return kind


def _title(kind: str) -> str:
    return {"job": "Indexed Job", "mpijob": "MPIJob", "jobset": "JobSet"}[kind]


LAUNCHER = Kubernetes()
