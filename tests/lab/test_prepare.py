"""``slowlink prepare`` over ssh on four hosts, each with a fake root: there and back, and every way to be cut off."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from fake_settings import changed, make_programs, make_root, tree
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

_ROOT = "/tmp/slowlink-root"
"""The same on every host, and another directory on each."""
_ASKED = ("--nodes", "node[1-4]", "--root", _ROOT, "--power", "500", "--clocks", "1980")
_BACK = ("--rollback", "--root", _ROOT)
_SOON = ("--start-within", "4")
"""After an interruption a rollback waits until nothing can begin any more: not for long, here."""


@pytest.fixture(scope="module")
def hosts(lab_possible: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    place = tmp_path_factory.mktemp("prepare").resolve()
    make_programs(place / "bin", _ROOT)
    with Lab(nodes=4, share=[place], binds={"/usr/local/sbin": str(place / "bin")}) as lab:
        yield Hosts(lab, place)


@pytest.fixture
def fresh(hosts: Hosts, request: pytest.FixtureRequest) -> Iterator[Hosts]:
    hosts.renew(str(request.node.name))
    yield hosts
    hosts.lab.sweep()
    for host in hosts.lab.state.hosts:
        if host.cut or not host.up:
            hosts.lab.join(host.name)


class Hosts:
    """A lab whose hosts have settings: everything wrong on three, everything right on the last."""

    def __init__(self, lab: Lab, place: Path) -> None:
        self.lab, self._place = lab, place

    def renew(self, name: str) -> None:
        self._own = self._place / name.replace("[", "-").replace("]", "")
        for node in self.lab.nodes:
            make_root(self._own / node, right=node == "node4")
            self.lab.exec(node, ["ln", "-sfn", str(self._own / node), _ROOT])
        self.before = {node: tree(self._own / node) for node in self.lab.nodes}

    def root(self, node: str) -> Path:
        return self._own / node

    @property
    def records(self) -> Path:
        return self._own / "records"

    def start(self, *words: str) -> subprocess.Popen[str]:
        ours = ("-o", str(self.records))
        return self.lab.popen("node1", [sys.executable, "-m", "slowlink", "prepare", *words, *ours])

    def prepare(self, *words: str) -> tuple[int, str]:
        started = self.start(*words)
        out, err = started.communicate(timeout=120)
        return started.returncode, (out + err).replace(str(self._own), "")

    def record(self) -> dict[str, Any]:
        found = json.loads(sorted(self.records.glob("prepared-*.json"))[-1].read_text())
        assert isinstance(found, dict)
        return found

    def states(self) -> dict[str, set[str]]:
        return {node["node"]["name"]: {item["state"] for item in node["items"]} for node in self.record()["nodes"]}

    def changed(self) -> dict[str, dict[str, tuple[str, str]]]:
        found = {node: changed(self.before[node], tree(self.root(node))) for node in self.lab.nodes}
        return {node: what for node, what in found.items() if what}


def test_there_and_back(fresh: Hosts) -> None:
    assert fresh.prepare(*_ASKED) == snapshot(
        (
            0,
            """\
4 nodes: node[1-4]

persistence: off -> on on node[1-3] (2 each); already right on 1
    nvidia-smi -i 00000000:3B:00.0 -pm 1
    nvidia-smi -i 00000000:86:00.0 -pm 1
clocks: not told -> 1980 MHz on node[1-4] (2 each)
    nvidia-smi -i 00000000:3B:00.0 -lgc 1980
    nvidia-smi -i 00000000:86:00.0 -lgc 1980
    nvidia-smi does not tell whether clocks are locked now: rollback unlocks them; if they have a lock that shall come back, name it with --clocks-before
power: 700.00 -> 500.00 W on node[1-4] (2 each)
    nvidia-smi -i 00000000:3B:00.0 -pl 500.00
    nvidia-smi -i 00000000:86:00.0 -pl 500.00
governor: powersave -> performance on node[1-3] (2 each); already right on 1
    echo performance > /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
    echo performance > /sys/devices/system/cpu/cpufreq/policy1/scaling_governor
numa-balancing: 1 -> 0 on node[1-3]; already right on 1
    sysctl -w kernel.numa_balancing=0
acs: 001d -> 0000 on node[1-3]; 005f -> 0000 on node[1-3]; already right on 1
    setpci -s 0000:3a:00.0 ECAP_ACS+6.w=0000
    setpci -s 0000:85:00.0 ECAP_ACS+6.w=0000
peermem: absent -> loaded on node[1-3]; already right on 1
    modprobe nvidia_peermem
memlock: absent -> set on node[1-3]; already right on 1
    write /etc/security/limits.d/90-slowlink-memlock.conf: memlock unlimited, soft and hard, for * and root

Nothing was changed. --apply does it.
""",
        )
    )
    assert fresh.changed() == {}
    status, text = fresh.prepare("--nodes", "node[1-4]", "--root", _ROOT, "--apply")
    assert status == 0, text
    # The last was right before: nothing of it is in the record, nor touched.
    assert fresh.states() == {node: {"applied"} for node in ("node1", "node2", "node3")}
    assert fresh.changed().keys() == {"node1", "node2", "node3"}
    assert len(set(map(str, fresh.changed().values()))) == 1
    assert sorted(fresh.changed()["node1"]) == snapshot(
        [
            "config/0000:3a:00.0",
            "config/0000:85:00.0",
            "etc/security/limits.d/90-slowlink-memlock.conf",
            "gpu/00000000:3B:00.0/persistence_mode",
            "gpu/00000000:86:00.0/persistence_mode",
            "proc/sys/kernel/numa_balancing",
            "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
            "sys/devices/system/cpu/cpufreq/policy1/scaling_governor",
            "sys/module/nvidia_peermem",
        ]
    )
    status, text = fresh.prepare("--nodes", "node[1-4]", "--root", _ROOT, "--check")
    assert status == 0, text
    assert fresh.prepare(*_BACK)[0] == 0
    assert fresh.states() == {node: {"restored"} for node in ("node1", "node2", "node3")}
    assert fresh.changed() == {}
    again = fresh.prepare(*_BACK)
    assert (again[0], "Nothing is left to undo there." in again[1]) == (0, True)


def test_what_somebody_else_changed_is_left_alone(fresh: Hosts) -> None:
    assert fresh.prepare(*_ASKED, "--only", "governor,acs", "--apply")[0] == 0
    governor = fresh.root("node2") / "sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
    governor.write_text("ondemand\n")
    status, text = fresh.prepare(*_BACK)
    assert (status, text.partition("record:")[0]) == snapshot(
        (
            1,
            """\
governor: as before on node[1,3], node2 (policy0)
    left alone on node2 (policy1): changed by somebody else to ondemand
acs: as before on node[1-3]

""",
        )
    )
    assert fresh.changed() == {
        "node2": {"sys/devices/system/cpu/cpufreq/policy1/scaling_governor": ("powersave", "ondemand")}
    }
    governor.write_text("performance\n")
    fresh.prepare(*_BACK)
    assert governor.read_text() == "performance\n"


def test_partial_failure_is_told_and_undone(fresh: Hosts) -> None:
    (fresh.root("node2") / "no-module").touch()
    (fresh.root("node3") / "gpu/00000000:86:00.0/broken").touch()
    fresh.before = {node: tree(fresh.root(node)) for node in fresh.lab.nodes}
    status, text = fresh.prepare("--nodes", "node[1-3],nowhere", "--root", _ROOT, "--power", "500", "--apply")
    assert (status, text.partition("record:")[0]) == snapshot(
        (
            1,
            """\
not read: nowhere: the name of a node is not known
persistence: set on node[1-2], node3 (00000000:3B:00.0)
    not set on node3 (00000000:86:00.0): status 255: Unable to set: Unknown Error
power: set on node[1-2], node3 (00000000:3B:00.0)
    not set on node3 (00000000:86:00.0): status 255: Unable to set: Unknown Error
governor: set on node[1-3]
numa-balancing: set on node[1-3]
acs: set on node[1-3]
peermem: set on node[1,3]
    not set on node2: status 1: modprobe: FATAL: Module nvidia_peermem not found
memlock: set on node[1-3]

""",
        )
    )
    assert fresh.prepare(*_BACK)[0] == 0
    assert fresh.changed() == {}


def test_a_host_is_cut_while_it_is_changed(fresh: Hosts) -> None:
    _slow_down(fresh, "node2")
    started = fresh.start(*_ASKED, "--apply", "--timeout", "6")
    _await_record(fresh, "unknown")
    _await_change(fresh, "node2")
    fresh.lab.cut("node2")
    started.communicate(timeout=120)
    assert started.returncode == 3
    assert fresh.states()["node2"] <= {"applied", "unknown"}
    assert "unknown" in fresh.states()["node2"]
    assert fresh.states()["node3"] == {"applied"}
    status, text = fresh.prepare(*_BACK)
    assert (status, "not reached: node2" in text) == (3, True)
    assert fresh.changed().keys() == {"node2"}
    fresh.lab.join("node2")
    assert fresh.prepare(*_BACK)[0] == 0
    assert fresh.changed() == {}


@pytest.mark.parametrize(
    ("number", "after_s"),
    [(signal.SIGKILL, 0), (signal.SIGKILL, 0.4), (signal.SIGKILL, 0.8), (signal.SIGINT, 0.6), (signal.SIGTERM, 1.1)],
)
def test_slowlink_ends_at_any_moment(fresh: Hosts, number: signal.Signals, after_s: float) -> None:
    """The rollback follows at once: what is still on its way to a host must not arrive after it."""
    _slow_down(fresh, "node3")
    started = fresh.start(*_ASKED, "--apply", *_SOON)
    pid = fresh.lab.pid_of(started)
    _await_record(fresh, "planned", "unknown")
    time.sleep(after_s)
    _end(pid, number)
    started.communicate(timeout=60)
    status, text = fresh.prepare(*_BACK)
    assert status == 0, text
    assert set().union(*fresh.states().values()) <= {"restored", "planned", "failed"}
    assert fresh.changed() == {}
    # Nothing is still at work, nor on its way.
    assert fresh.lab.left() == {}
    assert fresh.changed() == {}


def test_a_rollback_ends_at_any_moment(fresh: Hosts) -> None:
    _slow_down(fresh, "node1")
    assert fresh.prepare(*_ASKED, "--apply")[0] == 0
    for turn in range(3):
        started = fresh.start(*_SOON, *_BACK)
        pid = fresh.lab.pid_of(started)
        time.sleep(0.4 + 0.4 * turn)
        _end(pid, signal.SIGKILL)
        started.communicate(timeout=60)
    assert fresh.prepare(*_BACK)[0] == 0
    assert fresh.changed() == {}


def _end(pid: int, number: signal.Signals) -> None:
    """On a fast machine it may be done by then: that is a moment, too."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _slow_down(hosts: Hosts, node: str) -> None:
    """setpci takes its time there: moments in between last longer."""
    (hosts.root(node) / "slow").touch()
    hosts.before[node] = tree(hosts.root(node))


def _await_record(hosts: Hosts, *states: str) -> None:
    deadline = time.monotonic() + 60
    while not (list(hosts.records.glob("prepared-*.json")) and set().union(*hosts.states().values()) & set(states)):
        assert time.monotonic() < deadline, "no record came"
        time.sleep(0.01)


def _await_change(hosts: Hosts, node: str) -> None:
    deadline = time.monotonic() + 60
    while node not in hosts.changed():
        assert time.monotonic() < deadline, f"{node} was not touched"
        time.sleep(0.01)
