"""Settings that were in force, told from settings that somebody only wrote about."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.catalog.platforms.settings import made_by
from slowlink.model.facts import Environment
from slowlink.model.nccl import EnvSetting
from slowlink.model.records import Records

_NETWORK_OF = {"FasTrak": "NCCL_FASTRAK_", "GPUDirectTCPX": "NCCL_GPUDIRECTTCPX_"}
"""Networks that a setting of their own shows where no line names the network."""
_CERTAIN = ("log", "dump", "plugin")


def environment(records: Records) -> Environment | None:
    """None when no setting was seen at all.

    What the library announced, or a job dumped, was in force. A setting on a command line or in an export was in force
    when a benchmark's output or NCCL's log follows it in the same source; otherwise it is advice. What a plug-in or a
    platform makes carries its name. An empty value sets nothing: NCCL reads it as if the variable were not there.
    """
    announced = [setting for log in records.logs for setting in log.env]
    settings = _told_apart([setting for setting in (*announced, *records.env) if setting.value], records)
    headings = tuple(setting for setting in records.env if setting.origin == "heading")
    if not settings and not headings:
        return None
    evidence_ends = _last_output_line(records)
    in_force: list[EnvSetting] = []
    advised: list[EnvSetting] = []
    for setting in settings:
        followed = setting.origin != "manifest" and _followed(setting, evidence_ends)
        (in_force if setting.origin in _CERTAIN or followed else advised).append(setting)
    return Environment(tuple(in_force), _values(in_force), tuple(advised), headings)


def _told_apart(settings: Sequence[EnvSetting], records: Records) -> list[EnvSetting]:
    """The same settings, each with who made it: as a plug-in says in its own line, or as the catalogue knows."""
    told = {(s.ref.source, s.name, s.value): s.made_by for s in settings if s.origin == "plugin"}
    networks = {choice.network for log in records.logs for choice in log.networks}
    networks |= {
        network for setting in settings for network in _NETWORK_OF if setting.name.startswith(_NETWORK_OF[network])
    }
    found = []
    for setting in settings:
        maker = told.get((setting.ref.source, setting.name, setting.value)) or made_by(
            setting.name, setting.value, networks
        )
        found.append(replace(setting, made_by=maker) if maker else setting)
    return found


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
