"""Resources that the API server refuses: GPUs and hugepages are not overcommitted.

Extended resources are whole numbers, given as limits; requests, where given, are the same. Hugepages need requests
equal to limits, and a request of memory or CPU beside them.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.lint.finding import finding
from slowlink.lint.plausible import as_key, as_quantity
from slowlink.lint.spot import Spot
from slowlink.lint.workload import Workload
from slowlink.model.report import Finding

CAUSES = ("manifest-refused",)
_HUGE = "hugepages-"


def check(workload: Workload) -> Iterator[Finding]:
    """Of all containers, and hugepages that are mounted and not asked for."""
    for role in workload.roles:
        mounted = [each for each in role.spec["volumes"] if each["emptyDir"]["medium"].text.startswith("HugePages")]
        asked = False
        for container in role.containers:
            resources = container.spot["resources"]
            limits, requests = resources["limits"], resources["requests"]
            keys = dict.fromkeys((*limits.keys, *requests.keys))
            asked |= any(key.startswith(_HUGE) for key in keys)
            for key in keys:
                if "/" in key or key.startswith(_HUGE):
                    yield from _judged(workload, key, limits[key], requests[key])
            if any(key.startswith(_HUGE) for key in keys) and not {"cpu", "memory"} & keys.keys():
                yield _refused(
                    workload,
                    "hugepages need a request of memory or CPU beside them",
                    (resources, "hugepages alone", "memory too"),
                    "resources:\n  limits:\n    memory: 64Gi",
                )
        if mounted and not asked:
            yield finding(
                "manifest-refused",
                workload,
                "a volume of hugepages is mounted, and no container asks for any: the pod does not start",
                severity="error",
                confidence="likely",
                at=[(mounted[0], mounted[0]["emptyDir"]["medium"].text, "hugepages-2Mi in limits")],
                do="Ask for the pages.",
                snippet="resources:\n  limits:\n    hugepages-2Mi: 2Gi\n    memory: 64Gi",
            )


def _judged(workload: Workload, key: str, limit: Spot, request: Spot) -> Iterator[Finding]:
    name = key[:80]
    shown = as_key(key)
    good = f'resources:\n  limits:\n    "{shown}": {as_quantity(limit or request)}'
    if request and not limit:
        yield _refused(workload, f"{name} is requested without a limit", (request, "no limit", "limits"), good)
    elif request and limit and request.quantity != limit.quantity:
        said = f"{name}: requests ({request.text[:20]}) and limits ({limit.text[:20]}) differ"
        yield _refused(workload, said, (request, request.text, limit.text), good)
    elif "/" in key and limit and limit.number is None and limit.quantity is not None and limit.quantity % 1:
        said = f"{name}: {limit.text[:20]} is no whole number"
        yield _refused(
            workload, said, (limit, limit.text, "a whole number"), f'resources:\n  limits:\n    "{shown}": 1'
        )


def _refused(workload: Workload, said: str, at: tuple[Spot, str, str], snippet: str) -> Finding:
    return finding(
        "manifest-refused",
        workload,
        f"{said}: the API server refuses the pods",
        severity="error",
        confidence="certain",
        at=[at],
        do="Give limits alone; requests follow them.",
        snippet=snippet,
    )
