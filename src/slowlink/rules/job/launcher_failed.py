"""The launcher could not start the ranks.

The launcher (mpirun, srun, mpiexec, Kubernetes) failed before any rank ran: a daemon could not be started or did not
report back, the process manager got no port, the scheduler refused the request, or a pod never ran. Pods that serve the
cluster (monitoring, networks, drivers) are not the job's.

Why it matters: nothing is measured; the fabric and the GPUs have nothing to do with it.
How to confirm: start something trivial in the same way: ``srun hostname``, or ``mpirun hostname`` with the same hosts.
What to do: follow the launcher's message. The usual reasons are daemons left over from an earlier job, a node whose
ports or network resources are used up, and a wrong host list. Leave out the node that is named, and see whether the
rest starts.
When it is wrong: when a run follows and comes to its end, the message belongs to another attempt; then this is a
warning, and what PMIx and its like print as errors in such a run is no finding at all. A warning it is, too, where
only kubectl got no answer: that may have been a question of yours, and not the job's start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.catalog.programs.system_pods import is_system_pod
from slowlink.catalog.vocabulary import meaning_of
from slowlink.model.benchmark import MpiTables
from slowlink.model.facts import Communicators, Events, Sweeps
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import OPEN_MPI, SRUN
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LogMessage,
    at_hosts,
    counted,
    happened,
    hosts_of,
    overcome,
    refs_of,
)
from slowlink.rules.job.grumbles import runs_ended
from slowlink.rules.job.process_ends import lost_abruptly

CAUSES = ("launcher-failed",)

_WORDS = {
    "pmi-failure": "the process manager could not get a port or could not be reached",
    "slurm-launch-failed": "Slurm could not start the tasks",
    "slurm-no-mpi-plugin": "Slurm has no plug-in for the kind of MPI that was asked for (see srun --mpi=list)",
    "cxi-launch-failed": "the Slingshot network refused the resources that the job asked for",
    "hydra-failure": "MPICH's process manager could not start its proxies",
    "ompi-daemon-lost": "Open MPI lost its daemon on a node, or could not start it",
    "ompi-daemon-start-failed": "Open MPI could not start its daemons",
    "ompi-bad-hosts": "Open MPI cannot use the host list",
    "ompi-run-as-root": "Open MPI refuses to run as root",
    "ompi-init-failed": "MPI could not be initialised",
    "address-in-use": "the port for start-up is in use by another process",
    "launch-failed": "the launcher could not start the program on a node",
    "slurm-invalid": "Slurm refused the request",
    "k8s-unschedulable": "Kubernetes found no node for a pod",
    "k8s-image-pull": "the container image could not be pulled",
    "k8s-backoff": "a container fails again and again",
    "k8s-pod-failed": "a pod failed",
}
_RAN = ("k8s-backoff", "k8s-pod-failed")
"""A container that ran and ended: why it ended is the question, and not why it did not start."""
_VAGUE = ("slurm-launch-failed", "launch-failed", "pyxis-start-failed", *_RAN)
"""What says no more than that the start failed."""
_WARNS = regex(r"\b(?:srun|sbatch|salloc|scontrol): warning: ")
_LACKS = regex(r"(?P<nodes>\d{1,6}) Insufficient (?P<resource>[\w.-]{1,80}/[\w.-]{1,80}?|memory|cpu)(?=[,.\s]|$)")
_MAYBE = {"k8s-api-unreachable": "kubectl could not reach the cluster"}
"""May have been a question that the user asked, and not the start of the job."""

_REQUEST = regex(r"(?i)more (?:processors|nodes|tasks) requested than permitted|exceeds that of job")
"""A step asks for more than its job has. Source: ``slurm_errno.c`` and ``slurm_opt.c`` of Slurm 20.11 to 25.11."""
_SPECIAL = {
    "slurm-no-mpi-plugin": ("See which kinds there are, and name one of them.", "srun --mpi=list"),
    "ompi-run-as-root": ("Start it as a user; in a container root may be allowed.", "mpirun --allow-run-as-root ..."),
    "ompi-bad-hosts": (
        "Read the host list: each name once, with its slots, and reachable.",
        "mpirun --display-allocation ...",
    ),
    "address-in-use": ("See who has the port, end what an earlier job left, or take another one.", "ss -ltnp"),
}
_NEAR, _MOST_WORDS = 12, 160
_ALL_WORDS = {**_WORDS, **_MAYBE}
_NODES_CAME = ("k8s-scale-up", "k8s-assigned")
"""A pod that found no node waits for the autoscaler's, or has got one since."""
_GRUMBLES = frozenset({"pmi-failure"})
"""What a launcher may print in a run that goes well."""
_MPI_ABORT = "mpich-abort"
"""A failure to start where the call that aborted is MPI_Init; any other call comes after the start."""


def check(
    events: Events, sweeps: Sweeps | None, communicators: Communicators | None, tables: MpiTables | None
) -> Iterator[Finding]:
    """One finding for all failures; no error where a run followed, or where it was perhaps no start of a job."""
    aborted = [e for e in happened(events, _MPI_ABORT) if "Init" in e.groups.get("call", "")]
    started = [e for e in happened(events, *_WORDS) if not (_of_system_pod(e) or _only_warns(e))]
    started += _specific(events) if started else []
    sure = (*runs_ended(events, sweeps, tables).without_grumbles(started), *aborted)
    found = (*sure, *happened(events, *_MAYBE))
    ran_before = bool(sure) and all(event.kind in _RAN for event in sure)
    if not found or (ran_before and lost_abruptly(events)):
        return  # of a container that ended, rank-lost knows the reason
    hosts = hosts_of(found)
    waits = all(event.kind == "k8s-unschedulable" for event in found) and bool(happened(events, *_NODES_CAME))
    ran = waits or overcome(refs_of(found), sweeps) or _came_up(found, communicators)
    reason = _reason(aborted, events)
    of_pods = all(event.kind.startswith("k8s-") for event in found)
    what = " and ".join(dict.fromkeys(_told(found) or map(_words_of, found)))
    yield finding(
        "launcher-failed",
        f"{at_hosts(hosts)}{what}{_quoted(reason)}" + _since(waits=waits, ran=ran, sure=bool(sure) and not ran_before),
        severity="warning" if ran or not sure else "critical",
        confidence="possible" if ran or not sure else "likely" if ran_before else "certain",
        evidence=lines_evidence((*refs_of(found[:1]), *refs_of(reason), *refs_of(found[1:]))),
        suspects=suspects("node", hosts),
        explains=() if ran or not sure else (*FAILED_RUN, *(("application-error",) if reason else ())),
        remedy=_remedy(found, hosts, reason),
        references=() if of_pods else (SRUN, OPEN_MPI),
    )


def _reason(aborted: Sequence[JobEvent], events: Events) -> list[JobEvent]:
    """What MPI itself printed as an error just above the line with which it aborts."""
    first = aborted[0].ref if aborted else None
    return [
        event
        for event in happened(events, "error-line")
        if first is not None and event.ref.source == first.source and 0 < first.line - event.ref.line <= _NEAR
    ][:1]


def _quoted(reason: Sequence[JobEvent]) -> str:
    return f" ({reason[0].groups.get('text', reason[0].text).strip()[:_MOST_WORDS]})" if reason else ""


def _remedy(found: Sequence[LogMessage], hosts: Sequence[str], reason: Sequence[JobEvent]) -> list[tuple[str, str]]:
    """What fits the message: a request that cannot be met needs another request, not another try."""
    kinds = {event.kind for event in found if isinstance(event, JobEvent)}
    if all(kind.startswith("k8s-") for kind in kinds) and kinds:
        return [("Ask for the events of the pod.", "kubectl describe pod POD")]
    if reason:
        return [("Do what the error asks for: it is MPI's own reason.", "")]
    if any(_REQUEST.search(event.ref.text) for event in found):
        return [
            (
                "Compare the request of the step with what the job has.",
                "scontrol show job JOB | grep -E 'NumNodes|TRES'",
            ),
            ("Ask for no more than that, or give the job more.", "srun --nodes=N --ntasks=N --cpus-per-task=N ..."),
        ]
    if kinds & _SPECIAL.keys():
        return [step for kind, step in _SPECIAL.items() if kind in kinds]
    return [
        ("Start something trivial in the same way.", "srun hostname"),
        (f"Leave out {hosts[0]} and try again." if hosts else "Leave out half of the nodes and try again.", ""),
    ]


def _of_system_pod(event: JobEvent) -> bool:
    return event.kind.startswith("k8s-") and is_system_pod(event.groups)


def _only_warns(event: JobEvent) -> bool:
    """A program of Slurm that refuses says error; with a warning it goes on."""
    return _WARNS.search(event.ref.text) is not None


def _specific(events: Events) -> list[JobEvent]:
    """What other programs say that belongs to the same failure, and tells more (an image that cannot be fetched)."""
    meanings = ((event, meaning_of(event.origin, event.kind)) for event in events.all if not event.secondary)
    return [e for e, known in meanings if known is not None and known.cause in CAUSES and known.severity == "critical"]


def _words_of(event: LogMessage) -> str:
    """What one message says; of a pod that finds no node, what the nodes lack."""
    known = meaning_of(event.origin, event.kind) if isinstance(event, JobEvent) else None
    words = _ALL_WORDS.get(event.kind, known.says if known is not None else "") if isinstance(event, JobEvent) else ""
    lacks = list(_LACKS.finditer(event.groups.get("reason", "")))
    most = next((one for one in lacks if "/" in one["resource"]), lacks[0] if lacks else None)
    if most is not None:
        words += f" ({counted(int(most['nodes']), 'node')} with too little {most['resource']} left)"
    return words or _WORDS["ompi-init-failed"]


def _told(found: Sequence[LogMessage]) -> list[str]:
    """What those say that know more than that the start failed, where there are some beside the vague ones."""
    events = [event for event in found if isinstance(event, JobEvent)]
    if not any(event.kind in _VAGUE for event in events):
        return []
    return [_words_of(event) for event in events if event.kind not in _VAGUE]


def _since(*, waits: bool, ran: bool, sure: bool) -> str:
    """What came of it."""
    if waits:
        return ", and nodes were being added or found since: it may only have to wait"
    return ", yet a run followed" if ran else "; no rank ran" if sure else ""


def _came_up(found: Sequence[LogMessage], communicators: Communicators | None) -> bool:
    """Did ranks of the same output begin to talk although their launcher complains? PMIx grumbles in runs that go well:
    of everything that it prints only what keeps the ranks from starting is a failure."""
    if communicators is None or any(event.kind not in _GRUMBLES for event in found if isinstance(event, JobEvent)):
        return False
    begun = {one.completed.source for one in communicators.all if one.completed is not None}
    return all(event.ref.source in begun for event in found)
