"""Finds the checks and runs them: a check is a module of a family below this package with a ``check``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import import_module

from msgspec import Struct
from msgspec.structs import replace

from slowlink import families
from slowlink.lint.workload import Manifest, Workload
from slowlink.model.report import Finding, Outcome


class Check(Struct, frozen=True):
    """One check, as its module describes it."""

    id: str
    causes: tuple[str, ...]
    check: Callable[[Workload], Iterator[Finding]]
    title: str


def discover() -> tuple[Check, ...]:
    """All checks, by id."""
    folder = os.path.dirname(__file__)  # noqa: PTH120
    found = []
    for each in families.modules(folder):
        module = import_module(f"slowlink.lint.{each.name}")
        title = (module.__doc__ or "").split("\n", 1)[0].rstrip(".")
        found.append(Check(each.name.rpartition(".")[2].replace("_", "-"), module.CAUSES, module.check, title))
    return tuple(sorted(found, key=lambda check: check.id))


def run(manifests: list[Manifest]) -> tuple[list[Finding], list[Outcome]]:
    """What is found in each workload. A check that raises is our defect: it is told, and the others go on."""
    findings: list[Finding] = []
    outcomes = []
    for each in discover():
        found: list[Finding] = []
        defect = ""
        for manifest in manifests:
            for workload in manifest.workloads:
                try:
                    found += each.check(workload)
                except Exception as error:  # noqa: BLE001  (a broken check must not take the others with it)
                    defect = f"{type(error).__name__}: {error}"
        findings += (replace(item, rule=each.id) for item in found)
        kind = "broken" if defect else "found" if found else "passed"
        outcomes.append(Outcome(each.id, kind, defect))  # type: ignore[arg-type]
    return findings, outcomes
