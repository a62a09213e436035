"""Pods whose names nobody can look up.

A launcher must reach the other pods by names that are known beforehand. A Job gives them with ``completionMode:
Indexed`` and a ``subdomain`` that is the name of a headless Service which selects the pods; a StatefulSet with
``serviceName``. A Deployment gives none.

When it is wrong: the pods find one another by an object that stands elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.plausible import as_key, as_label, as_name
from slowlink.lint.shell import MPI
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Role, Workload
from slowlink.model.report import Confidence, Finding, Severity

CAUSES = ("pods-not-joined",)
_INDEXED = """\
spec:
  completionMode: Indexed
  template:
    spec:
      subdomain: {name}   # a Service of this name with clusterIP: None"""
_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {{{labels}}}"""
_COSTS = "the launcher cannot reach the other pods, and waits until its time is over"


def check(workload: Workload) -> Iterator[Finding]:
    """Of workloads that no operator names, and that start a launcher."""
    if workload.kind not in ("Job", "CronJob", "Deployment", "ReplicaSet", "StatefulSet") or not _launches(workload):
        return
    for role in workload.roles:
        if role.pods > 1 and not role.is_on_host_network:
            yield from _judged(workload, role)


def _launches(workload: Workload) -> bool:
    programs = {*MPI, "torchrun", "deepspeed", "accelerate"}
    return any(
        command.program in programs or "torch.distributed.run" in command.words or "MASTER_ADDR" in container.env
        for _, container, command in workload.commands()
    )


def _judged(workload: Workload, role: Role) -> Iterator[Finding]:
    job = workload.spec if workload.kind == "Job" else workload.spec.at("jobTemplate", "spec")
    name = as_name(workload.name)
    if workload.kind in ("Deployment", "ReplicaSet"):
        yield _finding(
            workload,
            f"pods of a {workload.kind} have names made by chance and no rank: {_COSTS}",
            "likely",
            (workload.spot["kind"], workload.kind, "an Indexed Job, a StatefulSet or an MPIJob"),
            "Use a kind whose pods have names and numbers.",
            _INDEXED.format(name=name),
        )
        return
    if workload.kind != "StatefulSet":
        if job["completionMode"].text != "Indexed":
            yield _finding(
                workload,
                f"its {role.pods} pods have names made by chance and no rank (completionMode is not Indexed): {_COSTS}",
                "likely",
                (job["completionMode"], job["completionMode"].text or "NonIndexed, the default", "Indexed"),
                "Number the pods, and give them names.",
                _INDEXED.format(name=name),
            )
            return
        wanted = role.spec["subdomain"]
    else:
        wanted = workload.spec["serviceName"]
    if not wanted:
        yield _finding(
            workload,
            f"its pods have numbers, and no names in DNS ({wanted.path} is not set): {_COSTS}",
            "likely",
            (wanted, "unset", "the name of a headless Service"),
            "Name the headless Service that selects the pods.",
            _INDEXED.format(name=name),
        )
        return
    yield from _service(workload, role, wanted)


def _service(workload: Workload, role: Role, wanted: Spot) -> Iterator[Finding]:
    known = [each for each in workload.services if each.at("metadata", "name").text == wanted.text]
    shown = [f'{as_key(key)}: "{as_label(value)}"' for key, value in list(role.labels.items())[:3]]
    snippet = _SERVICE.format(name=as_name(wanted.text), labels=", ".join(shown) or "app: NAME")
    if not known:
        yield _finding(
            workload,
            f"no Service {wanted.text[:63]} stands in this file: without one the pods have no names, and {_COSTS}",
            "possible",
            (wanted, wanted.text, "the name of a headless Service that exists"),
            "Make the headless Service, unless the cluster has it already.",
            snippet,
        )
        return
    spec = known[0]["spec"]
    selector = {key: spec["selector"][key].text for key in spec["selector"].keys}
    if spec["clusterIP"].text != "None":
        yield _finding(
            workload,
            f"Service {wanted.text[:63]} is not headless: its name is one address for all, single pods get no names; "
            + _COSTS,
            "certain",
            (spec["clusterIP"], spec["clusterIP"].text or "an address for all", "None"),
            "Make it headless.",
            snippet,
        )
    elif not selector.items() <= {**role.labels, **_given(workload)}.items():
        yield _finding(
            workload,
            f"Service {wanted.text[:63]} selects other pods than these (their labels differ): {_COSTS}",
            "likely",
            (spec["selector"], str(selector), str(dict(role.labels))),
            "Select the pods by their labels.",
            snippet,
        )


def _given(workload: Workload) -> dict[str, str]:
    """Labels that the Job controller adds."""
    name = workload.name
    return {"job-name": name, "batch.kubernetes.io/job-name": name} if workload.kind == "Job" else {}


def _finding(
    workload: Workload, message: str, confidence: Confidence, at: tuple[Spot, str, str], do: str, snippet: str
) -> Finding:
    severity: Severity = "warning" if confidence == "possible" else "error"
    return finding(
        "pods-not-joined",
        workload,
        message,
        severity=severity,
        confidence=confidence,
        at=[at],
        do=do,
        snippet=snippet,
    )
