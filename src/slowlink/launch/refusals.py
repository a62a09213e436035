"""What schedulers say when they refuse, and what to try. A launch that fails is explained with these words."""

from __future__ import annotations

import re

from slowlink.errors import SlowlinkError

_REFUSALS: tuple[tuple[str, str, str, str], ...] = (
    # (pattern, slug, what it means, what to try)
    (
        r"Error from server \(Forbidden\)|is forbidden: User",
        "forbidden-namespace",
        "Kubernetes does not allow this here",
        "give --namespace with one of yours, or ask for the rights in docs/launchers.md; kubectl auth can-i --list",
    ),
    (
        r"namespaces \"[^\"]{1,253}\" not found",
        "no-namespace",
        "the namespace does not exist",
        "give --namespace with one that does: kubectl get namespaces",
    ),
    (
        r"no matches for kind \"(?:MPIJob|JobSet)\"|the server doesn't have a resource type",
        "no-operator",
        "the operator is not installed in this cluster",
        "leave the operator away: an Indexed Job needs none",
    ),
    (
        r"Unable to connect to the server|The connection to the server .{1,200} was refused|current-context is not set",
        "no-api-server",
        "kubectl does not reach a cluster",
        "kubectl config current-context; give --context",
    ),
    (
        r"Invalid account or account/partition combination|invalid account",
        "bad-account",
        "Slurm does not know this account, or not with this partition",
        "give --account and --partition: sacctmgr show assoc user=$USER",
    ),
    (
        r"Invalid partition name|invalid partition specified",
        "bad-partition",
        "Slurm does not know this partition",
        "give --partition with one of: sinfo -s",
    ),
    (
        r"Invalid job id specified|Job has expired|Expired or invalid job|Job/step already completing or completed",
        "expired-allocation",
        "the Slurm allocation is over",
        "ask for a new one: salloc, or --batch",
    ),
    (
        r"Unable to allocate resources|Requested node configuration is not available|Requested nodes are busy",
        "no-resources",
        "Slurm does not give the nodes",
        "sinfo shows which are idle; ask for fewer, or use --batch and wait",
    ),
    (
        r"Invalid MPI type|Couldn't load specified plugin name for mpi/|can not load PMIx library",
        "no-pmi",
        "this Slurm cannot start ranks of this MPI",
        'srun --mpi=list; start them by mpirun instead: --on ssh --nodes "$SLURM_JOB_NODELIST"',
    ),
    (
        r"There are not enough slots available",
        "no-slots",
        "there are not enough slots for this many ranks",
        "ask for fewer ranks, or give the nodes more slots",
    ),
    (
        r"Permission denied \((?:publickey|password|gssapi)",
        "login-refused",
        "a node refuses the login",
        "ssh-add your key, and try: slowlink nodes --check",
    ),
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed",
        "host-key-changed",
        "the host key of a node is not the one that was known",
        "if the node was installed anew: ssh-keygen -R NODE; otherwise ask why",
    ),
    (
        r"Could not resolve hostname|Name or service not known",
        "unknown-node",
        "the name of a node is not known",
        "check the spelling, or give addresses: slowlink nodes --check",
    ),
)
_COMPILED = tuple((re.compile(pattern), slug, meaning, hint) for pattern, slug, meaning, hint in _REFUSALS)
_MOST_BYTES = 1 << 16


def refusal(text: str) -> SlowlinkError | None:
    """The first refusal that these words of a launcher hold, with its own line; None when none is known."""
    for line in text[-_MOST_BYTES:].splitlines():
        shown = line.strip()[:1000]
        for pattern, slug, meaning, hint in _COMPILED:
            if pattern.search(shown):
                return SlowlinkError(f"{meaning}: {shown[:300]}", hint=hint, slug=slug)
    return None
