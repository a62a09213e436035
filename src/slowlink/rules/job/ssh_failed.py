"""The launcher cannot log in to a node.

A node refused the login of mpirun, or of another launcher that starts its daemons through ssh, so that no rank was
started there and the whole job ended.

Why it matters: nothing runs until every node of the job accepts a login without a question.
How to confirm: on the node where the launcher runs, ``ssh -o BatchMode=yes NODE true`` must return at once and print
nothing.
What to do: install the job's public key on the node, accept its host key beforehand, and check that sshd listens
there. Containers need an sshd of their own, and the launcher its port (``-mca plm_rsh_args "-p PORT"``). Do not switch
off the check of host keys, and do not copy private keys to every node.
Where nothing was to be started, and nodes were only asked something (pdsh, clush, ssh in a loop), nobody knows what the
node does: that is ``nodes-unanswered``, and no fault of a job.
When it is wrong: the line comes from another ssh in the same script. Where a run follows and comes to its end, the
finding is a warning only; and none where hosts were just not up yet, as pods are that a launcher asks again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Commands, Events, State, Sweeps
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_node, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import OPEN_MPI, SSH
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, happened, hosts_of, overcome, refs_of

CAUSES = ("ssh-failed", "nodes-unanswered")

_WORDS = {
    "ssh-permission-denied": "ssh login was denied",
    "ssh-host-key": "the ssh host key is unknown or has changed",
    "ssh-connection-refused": "nothing accepts ssh connections",
    "ssh-timeout": "ssh got no answer",
    "ssh-no-route": "there is no route for ssh",
    "ssh-connection-closed": "the ssh connection was closed at once",
    "ssh-config": "ssh refuses its configuration file",
    "ssh-unknown-host": "the host name cannot be resolved",
}
_OF_ASKING = frozenset({"ssh", "asking-nodes", "shell"})
"""Origins of messages that say that a node did not answer; any other may be of a job that starts."""
_NOT_UP_YET = frozenset({"ssh-connection-refused", "ssh-timeout", "ssh-no-route", "ssh-unknown-host"})


def check(events: Events, sweeps: Sweeps | None, commands: Commands | None, state: State | None) -> Iterator[Finding]:
    """One finding for all logins that failed."""
    found = happened(events, *_WORDS)
    if not found:
        return
    hosts = hosts_of(found)
    node = as_node(next(iter(hosts), None))
    what = " and ".join(dict.fromkeys(_WORDS[event.kind] for event in found))
    if sweeps is None and _only_asked(found, events, commands, state):
        yield _unanswered(found, (*hosts, *hosts_of(happened(events, "node-silent"))), what)
        return
    ran = overcome(refs_of(found), sweeps)
    if ran and {event.kind for event in found} <= _NOT_UP_YET:
        return
    yield finding(
        "ssh-failed",
        f"{at_hosts(hosts)}{what}, so that no rank could be started there" + (", yet a run followed" if ran else ""),
        severity="warning" if ran else "critical",
        confidence="possible" if ran else "certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=() if ran else ("launcher-failed", "tcp-unreachable", "nodes-unanswered", *FAILED_RUN),
        remedy=[
            (
                "Log in without a question from the launching node.",
                command("ssh", "-o", "BatchMode=yes", "--", node, "true"),
            ),
            ("Install the job's public key there.", command("ssh-copy-id", "--", node)),
        ],
        references=[SSH, OPEN_MPI],
    )


def _only_asked(found: Sequence[JobEvent], events: Events, commands: Commands | None, state: State | None) -> bool:
    """Were nodes asked for their state, and was nothing to be started on them? A job that starts shows: by its command,
    or by what its launcher says when a node is not there."""
    if any(event.origin not in _OF_ASKING for event in events.all):
        return False
    if commands is not None and any(each.launcher is not None or _runs_ranks(each.program) for each in commands.all):
        return False
    asked = commands is not None and any(each.everywhere for each in commands.all)
    told = {*state.nodes} - state.unnamed - {*hosts_of(found)} if state is not None else None
    return asked or bool(told)  # DeepSpeed starts its ranks by pdsh, too: that a tool asks does not say what for


def _runs_ranks(program: str) -> bool:
    return program.startswith("python") or program.endswith(("_perf", "_perf_mpi"))


def _unanswered(found: Sequence[JobEvent], silent: Sequence[str], what: str) -> Finding:
    hosts = tuple(dict.fromkeys(silent))
    return finding(
        "nodes-unanswered",
        f"{at_hosts(hosts)}no answer when nodes were asked ({what})",
        severity="warning",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=("tcp-unreachable", "ssh-failed"),
        remedy=[
            ("Log in by hand.", command("ssh", "-o", "BatchMode=yes", "--", as_node(next(iter(hosts), None)), "true")),
            ("See whether the node is up at all, by its BMC.", ""),
        ],
        references=[SSH],
    )
