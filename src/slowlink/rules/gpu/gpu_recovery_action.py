"""The driver says what a GPU needs before it can go on.

With Xid 154 the driver logs that the recovery action of a GPU changed: a reset, a restart of the node, or an end of all
peer-to-peer traffic, after which it asks again. The last such line of a GPU counts; "None" takes the demand back. Where
another Xid of the same GPU says why, that finding has the demand in its remedy, and this rule is silent.

Why it matters: new work on this GPU fails or hangs until it was done.
How to confirm: ``nvidia-smi -q -i N | grep -i recovery``; ``dmesg -T | grep Xid`` for the error before it.
What to do: drain the node and do what the action says.
When it is wrong: never; after the reset or the restart the driver no longer asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, by_fault, happened, hosts_of, listed, refs_of
from slowlink.rules.evidence.xid_messages import HARDWARE, gpu_of, xids

CAUSES = ("gpu-driver-hung",)

_DEMANDS = {
    "GPU Reset Required": "a reset of the GPU",
    "Drain and Reset": "a reset once the GPU is idle: it works with less than it has",
    "Node Reboot Required": "a restart of the node",
    "Drain P2P": "an end of all peer-to-peer traffic",
    "Recover IMEX Domain": "a recovery of the IMEX domain",
}
_STEPS = {
    "GPU Reset Required": Step("Drain the node and reset the GPU.", "nvidia-smi --gpu-reset -i N"),
    "Drain and Reset": Step("Start nothing new on the GPU; reset it when it is idle.", "nvidia-smi --gpu-reset -i N"),
    "Node Reboot Required": Step("Drain the node and restart it.", "systemctl reboot"),
    "Drain P2P": Step("End every process that uses peer-to-peer; then the driver says what else it needs.", ""),
    "Recover IMEX Domain": Step("Restart the jobs and the IMEX service of the domain.", "nvidia-imex-ctl -N"),
}
_SEE_WHY = Step("See which error it was.", "dmesg -T | grep -e Xid -e NVRM")


def check(events: Events) -> Iterator[Finding]:
    """One finding for all GPUs of nodes with the same demand."""
    explained = {gpu_of(event) for event in xids(events, *HARDWARE)}
    last = {gpu_of(event): event for event in happened(events, "gpu-recovery-action")}
    asked = [e for gpu, e in last.items() if gpu not in explained and e.groups["action"] != "None"]
    for alike in by_fault(asked, _action):
        yield _finding(alike)


def _action(event: JobEvent) -> str:
    return event.groups["action"]


def _finding(found: Sequence[JobEvent]) -> Finding:
    gpus = list(dict.fromkeys(filter(None, map(gpu_of, found))))
    wanted = list(dict.fromkeys(map(_action, found)))
    return finding(
        "gpu-driver-hung",
        f"{listed(gpus) or 'a GPU'}: the driver asks for {listed([_DEMANDS.get(each, each) for each in wanted])}",
        severity="error",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(found))),
        explains=("gpu-application-fault", "rank-lost", *LOST_PEER),
        remedy=[_SEE_WHY, *(_STEPS[action] for action in wanted if action in _STEPS)],
        references=[XID],
    )
