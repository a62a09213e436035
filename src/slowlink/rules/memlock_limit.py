"""The limit of locked memory is too small for RDMA.

RDMA pins the memory that it uses, and pinned memory counts against RLIMIT_MEMLOCK (``ulimit -l``). With a finite
limit ibv_reg_mr, ibv_create_cq or ibv_create_qp fail with "Cannot allocate memory".

Why it matters: no RDMA connection is made; the job fails or falls back to sockets.
How to confirm: ``ulimit -l`` in the job itself (through the same launcher), not in a login shell.
What to do: unlimited in /etc/security/limits.conf; ``LimitMEMLOCK=infinity`` for slurmd, sshd or the container
runtime's service; ``--ulimit memlock=-1`` for docker.
When it is wrong: where the limit is unlimited already, the HCA is out of resources (queue pairs, translation
entries).
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.findings import finding, lines, suspects
from slowlink.rules.references import IBV_REG_MR, NCCL_TROUBLESHOOTING, RLIMIT
from slowlink.rules.seen import FAILED_RUN, Message, at, groups_of, happened, hosts_of, refs_of, warned

_CALLS = ("ib-reg-mr-failed", "ib-create-failed", "ib-call-failed")


def check(warnings: Warnings | None, events: Events | None) -> Iterator[Finding]:
    """What names the limit, and calls that fail for want of memory."""
    named = happened(events, "memlock-limit")
    failed = tuple(w for w in warned(warnings, *_CALLS) if "Cannot allocate memory" in w.text)
    found: tuple[Message, ...] = (*named, *failed)
    if not found:
        return
    hosts = hosts_of(found)
    limit = groups_of(named, "limit")
    call = groups_of(failed, "call")
    what = f"the locked-memory limit is {limit[0]}" if limit else "the locked-memory limit is too small"
    then = f": {call[0] if call else 'an RDMA call'} cannot allocate memory" if failed else ""
    yield finding(
        "memlock-limit",
        f"{at(hosts)}{what}{then}",
        severity="critical" if failed else "warning",
        confidence="certain" if named and failed else "likely",
        evidence=lines(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=("memory-registration-failed", "socket-fallback", *FAILED_RUN) if failed else (),
        remedy=[
            ("See the limit inside the job.", "srun bash -c 'ulimit -l'"),
            ("Lift it for the launcher's service.", "systemctl edit slurmd  # [Service] LimitMEMLOCK=infinity"),
        ],
        references=[RLIMIT, IBV_REG_MR, NCCL_TROUBLESHOOTING],
    )
