"""A GPU is missing, or there are fewer than expected.

The driver lost a GPU ("has fallen off the bus", Xid 79) or could not start it, a health check counted too few, the
benchmark was asked for more GPUs than it found, or the device plug-in of Kubernetes took one back. A port above the GPU
that was cut off at the same time (AER, DPC) saw the same loss from its end, and is no second fault.

Why it matters: the job does not start, or dies; the node gives less than it was counted for.
How to confirm: ``nvidia-smi -L | wc -l`` and ``lspci -d 10de: | wc -l`` on the node: a GPU that PCIe shows and the
driver does not has failed to start; one that is gone from both fell off the bus.
What to do: drain the node; a cold reboot brings most GPUs back. If it happens again, reseat or replace the GPU. In a
container or job look first at what it was given (CUDA_VISIBLE_DEVICES, ``--gpus``, gres).
When it is wrong: "N requested but only M were found" may also mean too many ranks per node on a sound node; that
finding is only possible, never certain, and where M is half of N or less, or just what the command gave, it
is none.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Commands, Events, Observations
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.granted_gpus import TOO_FEW, granted, most_are_wanting
from slowlink.rules.evidence.links_to_docs import XID
from slowlink.rules.evidence.messages import LOST_PEER, at_hosts, happened, host_of, hosts_of, listed, refs_of
from slowlink.rules.evidence.xid_messages import HARDWARE, HUNG, LOST, gpu_of, xids
from slowlink.rules.gpu.gpu_firmware import firmware_not_started
from slowlink.rules.gpu.ports_above import only_ports_above
from slowlink.rules.gpu.remedies import COUNT_GPUS

CAUSES = ("gpu-missing",)

_LOST = ("kernel-gpu-lost", "gpu-lost", "kernel-gpu-init-failed")
_NO_GPU = regex(r"Insufficient (?:nvidia|amd)\.com/gpu")
_OTHERWISE = ("k8s-image-pull", "k8s-backoff", "k8s-pod-failed")
_REMEDY = [
    COUNT_GPUS,
    (
        "Drain the node and reboot it with power off in between.",
        "scontrol update nodename=NODE state=drain reason=gpu-lost",
    ),
]


def check(events: Events | None, observations: Observations | None, commands: Commands | None) -> Iterator[Finding]:
    """A lost GPU, a count that is too small, and a benchmark that found too few."""
    lost = (*xids(events, LOST), *happened(events, *_LOST))
    if lost and all(_says_no_reason(event) for event in lost) and xids(events, HUNG):
        lost = ()  # its firmware or driver does not answer: gpu-driver-hung says why nvidia-smi gets none
    not_started = firmware_not_started(events)
    if lost:
        gpus = list(dict.fromkeys(gpu_of(event) for event in lost if event.groups.get("pci")))
        where = listed(gpus) or f"{at_hosts(hosts_of(lost))}a GPU"
        yield finding(
            "gpu-missing",
            f"{where} {'is' if len(gpus) < 2 else 'are'} gone: the driver "
            + ("could not start it" if not_started else "cannot reach it any more"),
            severity="critical",
            confidence="certain",
            evidence=lines_evidence(refs_of(lost)),
            suspects=(*suspects("gpu", gpus), *suspects("node", hosts_of(lost))),
            explains=(
                *(() if not_started else ("gpu-driver-hung",)),
                "gpu-application-fault",
                "tool-failed",
                "rank-lost",
                "process-crashed",
                "gpus-over-requested",
                *(("pcie-errors",) if only_ports_above(lost, events) else ()),
                *LOST_PEER,
            ),
            remedy=_REMEDY,
            references=[XID],
        )
    yield from _counted(observations)
    yield from _withdrawn(observations, events)
    few = [each for each in happened(events, TOO_FEW) if not most_are_wanting(each) and granted(each, commands) is None]
    if few:
        asked, there = few[0].groups["requested"], few[0].groups["found"]
        yield finding(
            "gpu-missing",
            f"{at_hosts(hosts_of(few))}{asked} GPUs were asked for and {there} found",
            severity="critical",
            confidence="possible",
            evidence=lines_evidence(refs_of(few)),
            suspects=suspects("node", hosts_of(few)),
            explains=("rank-lost", "nccl-error-unexplained", "output-truncated"),
            remedy=_REMEDY,
        )


def _says_no_reason(event: JobEvent) -> bool:
    """``Unable to determine the device handle for GPU3: 0000:86:00.0: Unknown Error``, whatever the reason is."""
    return event.kind == "gpu-lost" and "Unknown Error" in event.text


def _counted(observations: Observations | None) -> Iterator[Finding]:
    """``Expected 8 and found 7`` of a node health check: subject 8, value 7."""
    for seen in observations.all if observations is not None else ():
        expected, there = seen.subject, seen.value
        if seen.kind == "gpu-count" and expected.isdecimal() and there.isdecimal() and int(there) < int(expected):
            yield finding(
                "gpu-missing",
                f"{seen.host + ': ' if seen.host else ''}{there} GPUs found, {expected} expected",
                severity="error",
                confidence="certain",
                evidence=lines_evidence([seen.ref]),
                suspects=suspects("node", [seen.host]),
                remedy=_REMEDY,
            )


def _withdrawn(observations: Observations | None, events: Events | None) -> Iterator[Finding]:
    """A device plug-in offers fewer GPUs than it registered. It takes a GPU back when the driver logs an Xid of the
    hardware (``internal/rm/health.go`` of NVIDIA's); where such Xids are shown of as many GPUs, they are the reason."""
    for seen in observations.all if observations is not None else ():
        if seen.kind != "gpu-offered" or int(seen.value) >= int(seen.subject):
            continue
        faults = [event for event in xids(events, *HARDWARE) if host_of(event) in (None, seen.host)]
        if len({gpu_of(event) for event in faults}) >= int(seen.subject) - int(seen.value):
            continue
        yield finding(
            "gpu-missing",
            f"{seen.host + ': ' if seen.host else ''}the device plug-in offers {seen.value} of {seen.subject} GPUs: it "
            "takes the others for unhealthy",
            severity="error",
            confidence="likely",
            evidence=lines_evidence([seen.ref]),
            suspects=suspects("node", [seen.host]),
            explains=("launcher-failed",) if _only_gpus_are_wanting(events) else (),
            remedy=[("See why the plug-in took them back.", "dmesg -T | grep -i xid"), *_REMEDY],
        )


def _only_gpus_are_wanting(events: Events | None) -> bool:
    """Do all pods that found no node want GPUs, and did nothing else keep a pod from its start?"""
    waiting = [each for each in happened(events, "k8s-unschedulable") if "nodes are available" in each.text]
    return bool(waiting) and all(_NO_GPU.search(each.text) for each in waiting) and not happened(events, *_OTHERWISE)
