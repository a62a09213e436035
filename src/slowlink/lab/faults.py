"""What can happen to a host: a slow link, a cut link, its death, load on its cores; each can be taken back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from slowlink.errors import SlowlinkError
from slowlink.lab import host as hosts
from slowlink.lab import network, process
from slowlink.lab.make import bring_in
from slowlink.lab.state import directory, fabric_pid, get, living, save
from slowlink.lab.tools import start


def slow(name: str, node: str, rate: str | None) -> None:
    """Limits a host's link in both directions (``200mbit``), or only the path between two (``node2+node6``); None: no
    limit any more."""
    state = get(name)
    rate = None if rate is None else network.parse_rate(rate)
    first, plus, second = node.partition("+")
    if plus and first == second:
        raise SlowlinkError(f"'{node}' is no path", hint="two hosts: node2+node6", slug="lab-no-host")
    found = [living(state, one) for one in ((first, second) if plus else (first,))]
    if not plus:
        found[0].slow = rate
    for host, other in zip(found, reversed(found), strict=True) if plus else ():
        host.paths.pop(other.address, None)
        if rate is not None:
            host.paths[other.address] = rate
    for host in found:
        network.limit(fabric_pid(state), host)
    save(state)


def cut(name: str, node: str) -> None:
    """Takes a host's cable out: it lives, and nobody hears from it."""
    state = get(name)
    host = living(state, node)
    network.set_cut(fabric_pid(state), host, True)
    host.cut = True
    save(state)


def join(name: str, node: str) -> None:
    """Puts a host's cable back, or starts a killed host anew, with its link as it was."""
    state = get(name)
    host = state.host(node)
    if host.up:
        network.set_cut(fabric_pid(state), host, False)
        host.cut = False
        save(state)
        return
    own = directory(name)
    hosts.end_hosts([host])
    network.disconnect(fabric_pid(state), host)
    hosts.start_host(own, state, host)
    save(state)
    bring_in(own, state, [host])
    if host.slow or host.paths:
        network.limit(fabric_pid(state), host)
    host.cut = False
    save(state)


def kill(name: str, node: str) -> None:
    """Kills a host at once, with everything that runs on it."""
    state = get(name)
    host = living(state, node)
    hosts.end_hosts([host])
    host.killed, host.cut, host.load = True, False, []
    save(state)


def set_load(name: str, node: str, cpus: int) -> None:
    """Keeps ``cpus`` cores busy on a host, in place of what load it had; 0: none."""
    state = get(name)
    host = living(state, node)
    process.end(host.load)
    host.load = []
    busy = hosts.enter(host, [sys.executable, "-S", "-c", "while True: pass"], "/")
    for _ in range(cpus):
        entered = start(busy, subprocess.DEVNULL, hosts.environment(host, os.environ))
        host.load += [one for one in (process.identify(entered),) if one]
        save(state)
    host.load += _inside(host.load)
    save(state)


def _inside(entered: Sequence[process.Process]) -> list[process.Process]:
    """The programs that were started through nsenter: it only waits for them, and its end is not theirs."""
    found = [hosts.await_child(one.pid) for one in entered]
    return [one for one in found if one]
