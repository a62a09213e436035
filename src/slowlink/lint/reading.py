"""From the text of a file to what is in it."""

from __future__ import annotations

from slowlink.errors import SlowlinkError
from slowlink.lint.spot import Source, Spot
from slowlink.lint.tree import documents
from slowlink.lint.workload import Manifest, workload_of

_MOST_OBJECTS = 5_000


def read(name: str, text: str) -> Manifest:
    """Workloads and Services of one input; Lists, as ``kubectl get -o yaml`` writes them, are opened.

    Raises SlowlinkError: ``not-yaml``; ``nothing-to-lint`` where there is nothing that starts pods.
    """
    source = Source(name, text)
    found = [Spot(source, value, "", value.line) for value in documents(text.removeprefix("\ufeff"), name)]
    objects = [(number, each) for number, spot in enumerate(found, 1) for each in _objects(spot)][:_MOST_OBJECTS]
    workloads = [workload_of(each["kind"].text, each, number) for number, each in objects]
    kept = tuple(each for each in workloads if each is not None)
    if not kept:
        kinds = sorted({each["kind"].text[:40] for _, each in objects} - {""})
        raise SlowlinkError(
            f"{name} holds nothing that starts pods ({', '.join(kinds[:8]) or 'no object with a kind'})",
            hint="known: Pod, Job, CronJob, Deployment, StatefulSet, MPIJob, PyTorchJob, JobSet, LeaderWorkerSet",
            slug="nothing-to-lint",
        )
    services = tuple(each for _, each in objects if each["kind"].text == "Service")
    for workload in kept:
        workload.services = services
    return Manifest(kept, len(found))


def _objects(spot: Spot) -> list[Spot]:
    if spot["kind"].text.endswith("List") and spot["items"]:
        return [each for each in spot["items"] if each]
    return [spot] if spot else []
