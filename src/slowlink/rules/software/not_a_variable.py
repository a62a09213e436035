"""A variable is set that NCCL does not read.

NCCL silently ignores names that it does not know. Some circulate on the web (NCCL_NVLINK_CENTRIC_SCHED), some were
removed long ago, some are typing errors.

Why it matters: the setting has no effect, while everybody believes it has; a measurement "with and without" shows
nothing.
How to confirm: with ``NCCL_DEBUG=INFO`` NCCL prints ``NAME set by environment to VALUE`` for the names that it reads
and that are set.
What to do: remove it, or use the name that is meant.
When it is wrong: a plug-in reads the name, or a newer NCCL than this catalogue knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.nccl_env import Standing, standing
from slowlink.model.facts import Environment
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV

CAUSES = ("not-a-variable",)


_MOST_MISSPELLED = 100
"""For so many names of one environment what may be meant is looked for: nobody mistypes more, and each takes
milliseconds."""


def check(environment: Environment) -> Iterator[Finding]:
    """One finding for each such name, except those that the library announced: these it does read."""
    judged: set[str] = set()
    unknown = 0
    in_force = len(environment.settings)
    for number, setting in enumerate((*environment.settings, *environment.advised)):
        if setting.origin == "log" or setting.made_by or setting.name in judged or not setting.name.startswith("NCCL_"):
            continue
        judged.add(setting.name)
        known = standing(setting.name, suggests=unknown < _MOST_MISSPELLED)
        unknown += known.kind == "unknown"
        yield from _judge(setting, known, in_force=number < in_force)


def _judge(setting: EnvSetting, known: Standing, in_force: bool) -> Iterator[Finding]:
    typo = known.kind == "unknown" and bool(known.suggestions)
    if known.kind != "not-read" and not typo:
        return  # NCCL reads it, or nothing is known of it
    meant = f"; {known.suggestions[0]} may be meant" if known.suggestions else ""
    truth = known.truth if known.kind == "not-read" else "NCCL knows no such name"
    yield finding(
        "not-a-variable",
        f"{setting.name}={setting.value} has no effect: {truth}{meant}",
        severity="warning" if in_force else "info",
        confidence="possible" if typo else "certain",
        evidence=[line_evidence(setting.ref, observed=setting.name, expected=next(iter(known.suggestions), "unset"))],
        suspects=suspects("setting", [setting.name]),
        remedy=[("Take it out, or use the name that is meant.", command("unset", as_variable(setting.name)))],
        references=[NCCL_ENV],
    )
