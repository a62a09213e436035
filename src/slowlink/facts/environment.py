"""Settings that were in force, told from settings that somebody only wrote about."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.facts import Environment
from slowlink.model.nccl import EnvSetting
from slowlink.model.records import Records

_CERTAIN = ("log", "dump")


def environment(records: Records) -> Environment | None:
    """None when no setting was seen at all.

    What the library announced, or a job dumped, was in force. A setting on a command line or in an export was in force
    when a benchmark's output or NCCL's log follows it in the same source; otherwise it is advice.
    """
    announced = [setting for log in records.logs for setting in log.env]
    settings = [*announced, *records.env]
    if not settings:
        return None
    evidence_ends = _last_output_line(records)
    in_force: list[EnvSetting] = []
    advised: list[EnvSetting] = []
    for setting in settings:
        followed = setting.origin != "manifest" and _followed(setting, evidence_ends)
        (in_force if setting.origin in _CERTAIN or followed else advised).append(setting)
    return Environment(tuple(in_force), _values(in_force), tuple(advised))


def _last_output_line(records: Records) -> dict[str, int]:
    """For each source, the last line on which the output of something that ran begins."""
    last: dict[str, int] = {}
    for run in records.runs:
        last[run.source] = max(last.get(run.source, 0), run.header.line)
    for log in records.logs:
        for process_line in (version.ref.line for version in log.versions):
            last[log.source] = max(last.get(log.source, 0), process_line)
    return last


def _followed(setting: EnvSetting, last: dict[str, int]) -> bool:
    return setting.ref.line <= last.get(setting.ref.source, -1)


def _values(settings: Sequence[EnvSetting]) -> dict[str, tuple[str, ...]]:
    values: dict[str, dict[str, None]] = {}
    for setting in settings:
        values.setdefault(setting.name, {})[setting.value] = None
    return {name: tuple(distinct) for name, distinct in values.items()}
