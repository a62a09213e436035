"""The launcher cannot log in to a node.

A node refused the login of mpirun, or of another launcher that starts its daemons through ssh, so that no rank was
started there and the whole job ended.

Why it matters: nothing runs until every node of the job accepts a login without a question.
How to confirm: on the node where the launcher runs, ``ssh -o BatchMode=yes NODE true`` must return at once and print
nothing.
What to do: install the job's public key on the node, accept its host key beforehand, and check that sshd listens
there. Containers need an sshd of their own, and the launcher its port (``-mca plm_rsh_args "-p PORT"``). Do not switch
off the check of host keys, and do not copy private keys to every node.
When it is wrong: the line comes from another ssh in the same script. Where a run follows and comes to its end, the
finding is a warning only; and none where hosts were just not up yet, as pods are that a launcher asks again and again.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_node, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import OPEN_MPI, SSH
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, happened, hosts_of, overcome, refs_of

CAUSES = ("ssh-failed",)

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
_NOT_UP_YET = frozenset({"ssh-connection-refused", "ssh-timeout", "ssh-no-route", "ssh-unknown-host"})


def check(events: Events, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for all logins that failed."""
    found = happened(events, *_WORDS)
    if not found:
        return
    hosts = hosts_of(found)
    node = as_node(next(iter(hosts), None))
    what = " and ".join(dict.fromkeys(_WORDS[event.kind] for event in found))
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
