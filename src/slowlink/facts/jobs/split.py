"""A heap of inputs split into jobs, each with its own records.

Inputs that tell nothing of their job belong to the job of their name, of the hosts that they mention, or of their
folder. State of a node belongs to every job that ran there. What belongs to no job is kept apart, as the state of nodes
or as other inputs: nothing is lost, and nothing of it explains a job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slowlink.facts.jobs.cut import cut
from slowlink.facts.jobs.folders import Folders, Tops, folder_of
from slowlink.facts.jobs.grouping import Group, groups_of
from slowlink.facts.jobs.marks import Marks, marks_of, nothing_ran
from slowlink.facts.jobs.model import JobRecords
from slowlink.facts.jobs.parts import parted
from slowlink.model.bundle import MANIFEST_NAME
from slowlink.model.records import Records


def split(records: Records) -> tuple[JobRecords, ...]:
    """The jobs in order of their first input, then state of nodes and inputs that belong to none. One, with the records
    as they are, unless something shows that there are several."""
    if nothing_ran(records):
        return (_all_of(records),)
    found = cut(records)
    marks = marks_of(records, found)
    bundles = Tops(source.path.removesuffix(MANIFEST_NAME) for source in records.sources if "bundle" in source.kinds)
    groups = groups_of([each for each in marks.values() if each.marked], bundles)
    if len(groups) < 2:
        return (_all_of(records),)
    measured = Tops({top for group in groups for source in group.sources for top in bundles.of(source)})
    rest = [each for each in marks.values() if not each.marked and not _is_shared(each, measured)]
    owners = _owners(rest, groups, bundles)
    for source in records.sources:
        if source.copy_of in owners:
            owners[source.path] = owners[source.copy_of]
    return parted(records, found, owners)


def _all_of(records: Records) -> JobRecords:
    """They are one job's, or none's."""
    return JobRecords("", "job", (), tuple(source.path for source in records.sources), records)


def _is_shared(marks: Marks, bundles: Tops) -> bool:
    """State of nodes belongs to whoever ran there; in the bundle of a run it is that run's."""
    return marks.about_nodes and not bundles.of(marks.source)


def _owners(rest: Sequence[Marks], groups: list[Group], bundles: Tops) -> dict[str, Group | None]:
    """Input -> its job, None where it has none. What ran and belongs to none of the jobs is one of its folder's own."""
    owners: dict[str, Group | None] = {source: group for group in groups for source in group.sources}
    folders = Folders[Group]()
    by_host: dict[str, dict[int, Group]] = {}
    for group in groups:
        folders.add(group.sources, group)
        for host in group.hosts:
            by_host.setdefault(host, {})[id(group)] = group
    loose: dict[str, list[Marks]] = {}
    for marks in rest:
        owner = _of_hosts(marks, by_host) or folders.nearest([marks.source])
        owners[marks.source] = owner
        if owner is None:
            top = next(iter(bundles.of(marks.source)), folder_of(marks.source))
            loose.setdefault(top, []).append(marks)
    for members in loose.values():
        if any(marks.ran for marks in members):
            owners.update(dict.fromkeys((marks.source for marks in members), Group.of(members)))
    return owners


def _of_hosts(marks: Marks, by_host: Mapping[str, Mapping[int, Group]]) -> Group | None:
    found = {key: group for host in marks.near_hosts for key, group in by_host.get(host, {}).items()}
    return next(iter(found.values())) if len(found) == 1 else None
