"""Variables that the manifests give to ranks, as facts that rules about settings can judge."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.lint.workload import Manifest
from slowlink.model.nccl import EnvSetting, LogProcess
from slowlink.model.source import Ref

_NAME = re.compile(r"(?:NCCL|MCCL|RCCL|OFI_NCCL|FI|UCX)_[A-Z0-9_]+")
_GIVEN = re.compile(r"((?:NCCL|MCCL|RCCL|OFI_NCCL|FI|UCX)_[A-Z0-9_]+)=(.*)")
_NOBODY = LogProcess(None, None, None)


def settings(manifest: Manifest) -> Iterator[EnvSetting]:
    """Those of ``env`` and those in commands (``export``, ``-x NAME=VALUE``); templates have no value yet."""
    for workload in manifest.workloads:
        for role in workload.roles:
            for container in role.containers:
                source = container.spot.source
                for name, value in container.env.items():
                    if _NAME.fullmatch(name) and value.text and "$(" not in value.text:
                        ref = Ref(source.name, value.line, source.line(value.line))
                        yield EnvSetting(name, value.text, "manifest", _NOBODY, ref)
                for command in container.commands:
                    for word in command.words:
                        given = _GIVEN.fullmatch(word)
                        if given and "$" not in given[2]:
                            line = source.line_of(word, command.line)
                            yield EnvSetting(
                                given[1], given[2], "manifest", _NOBODY, Ref(source.name, line, source.line(line))
                            )
