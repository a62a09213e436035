"""What runs on a host, and how to run something there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from slowlink.lab import host as hosts
from slowlink.lab import process
from slowlink.lab.state import get, living


def running(name: str, node: str) -> list[process.Running]:
    """What runs on a host besides its process 1."""
    host = get(name).host(node)
    if host.init is None or (inside := process.namespace(host.init.pid, "pid")) is None or not host.up:
        return []
    return [one for one in process.running_in(inside) if one.pid != host.init.pid]


def command_on(name: str, node: str, argv: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment that run ``argv`` on a host."""
    host = living(get(name), node)
    return hosts.enter(host, argv), hosts.environment(host, os.environ)
