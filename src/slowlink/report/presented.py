"""The report as it is shown: every text made safe, file names without the directory that all inputs share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.report import Claim, Report
from slowlink.report.escape import cleaned

AnyClaim = TypeVar("AnyClaim", bound=Claim)


def presented(report: Report) -> Report:
    """A copy for showing. ``inputs`` keep their whole paths, so that the reader can find the files."""
    clean = cleaned(_without_scripts_facts(report))
    directory = shared_directory(item.path for item in clean.inputs)
    if not directory:
        return clean
    return replace(
        clean,
        diagnoses=tuple(_nearer(item, directory) for item in clean.diagnoses),
        findings=tuple(_nearer(item, directory) for item in clean.findings),
        sweeps=tuple(replace(item, source=item.source.removeprefix(directory)) for item in clean.sweeps),
        # A subject ends with the source and line of its sweep.
        expectations=tuple(
            replace(item, subject=item.subject.replace(directory, "", 1)) for item in clean.expectations
        ),
    )


def _without_scripts_facts(report: Report) -> Report:
    """The state of all nodes is for comparisons alone, and larger than all that is shown."""
    if NODE_STATE not in report.facts:
        return report
    return replace(report, facts={name: value for name, value in report.facts.items() if name != NODE_STATE})


def _nearer(item: AnyClaim, directory: str) -> AnyClaim:
    evidence = (replace(line, source=line.source.removeprefix(directory)) for line in item.evidence)
    return replace(item, evidence=tuple(evidence))


def shared_directory(paths: Iterable[str]) -> str:
    """The directory that all paths share, with its slash: ``/var/log/`` of ``/var/log/a`` and ``/var/log/b/c``."""
    parts = [path.split("/")[:-1] for path in paths]
    if not parts:
        return ""
    shared = []
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return "/".join(shared) + "/" if shared else ""
