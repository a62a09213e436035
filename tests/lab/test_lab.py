"""The lab itself: hosts are apart, speak to one another, and leave nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.lab import faults, make, process
from slowlink.lab.lab import Lab
from slowlink.lab.network import make_bridge
from slowlink.lab.state import boot_id, directory, get, load
from slowlink.lab.tools import find

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

_KINDS = ("net", "uts", "pid", "mnt", "ipc")


def wait_until(true: Callable[[], bool], patience_s: float = 10) -> bool:
    deadline = time.monotonic() + patience_s
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return true()


def devices() -> set[str]:
    return {device.name for device in Path("/sys/class/net").iterdir()}


def namespaces_of_all() -> set[str]:
    found = (process.namespace(pid, kind) for pid in process.pids() for kind in _KINDS)
    return {one for one in found if one}


def test_hosts_are_apart_and_down_leaves_nothing(lab_possible: None) -> None:
    before = devices()
    with Lab(nodes=2) as lab:
        made = lab.state.processes()
        ours = {process.namespace(one.pid, kind) for one in made for kind in _KINDS}
        ours -= {process.namespace(os.getpid(), kind) for kind in _KINDS}
        # Two hosts with five namespaces each, and the network of the bridge. The holder of a host keeps its own pid
        # namespace, which is ours.
        assert len(ours) == 2 * len(_KINDS) + 1
        assert devices() == before
        assert lab.exec("node1", ["sh", "-c", "touch /tmp/mine /run/mine /dev/shm/mine; hostname"]).stdout == "node1\n"
        there = lab.exec("node2", ["ls", "/tmp", "/run", "/dev/shm", "/sys/class/net"]).stdout
        assert "mine" not in there
        assert "eth0" in there
        lab.popen("node2", ["sleep", "1000"])
        assert wait_until(lambda: [one.argv for one in lab.processes("node2")] == [("sleep", "1000")])
        own = directory(lab.name)
    assert not any(process.alive(one) for one in made)
    assert not ours & namespaces_of_all()
    assert str(own) not in Path("/proc/self/mountinfo").read_text()
    assert devices() == before
    assert not own.exists()
    assert make.down(lab.name) is False


def test_two_labs_live_side_by_side(lab_possible: None, lab: Lab) -> None:
    with Lab(nodes=1) as other:
        other.kill("node1")
        assert other.processes("node1") == []
        with pytest.raises(SlowlinkError, match="node1 is dead"):
            other.exec("node1", ["true"])
    assert lab.exec("node1", ["hostname"]).stdout == "node1\n"


def test_a_half_made_lab_is_taken_down(lab_possible: None, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def fail(fabric: int) -> None:
        make_bridge(fabric)
        made.append(fabric)
        raise SlowlinkError("no bridge today")

    monkeypatch.setattr("slowlink.lab.network.make_bridge", fail)
    with pytest.raises(SlowlinkError, match="no bridge today"):
        make.up("half-made", 1)
    assert len(made) == 1
    assert process.identify(made[0]) is None
    assert load("half-made") is None


def test_a_lab_that_is_up_is_not_made_again(lab: Lab) -> None:
    with pytest.raises(SlowlinkError, match="is up already"):
        make.up(lab.name, 1)
    assert lab.exec("node4", ["true"]).returncode == 0


def test_a_pid_of_somebody_else_is_not_killed(lab_possible: None) -> None:
    own = process.identify(os.getpid())
    assert own is not None
    # The same pid with another start time: what a state file from before says about a recycled pid.
    assert process.end([process.Process(own.pid, own.start - 1)], patience_s=0.2) == []


def test_state_of_another_boot_names_no_process(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    assert get(lab.name).boot == boot_id()
    monkeypatch.setattr("slowlink.lab.state.boot_id", lambda: "another boot")
    state = load(lab.name)
    assert state is not None
    assert state.processes() == []


def test_hosts_reach_one_another_by_ssh_with_keys_of_the_lab(lab: Lab) -> None:
    for node in lab.nodes:
        done = lab.exec("node1", ["ssh", node, "hostname; cat /etc/hostname; ls -A ~/.ssh 2>/dev/null"])
        assert (done.stdout, done.stderr) == (f"{node}\n{node}\n", "")
    chosen = lab.exec("node1", ["ssh", "-G", "node2"]).stdout
    own = directory(lab.name)
    assert "stricthostkeychecking accept-new\n" in chosen
    assert f"identityfile {own}/key\n" in chosen
    assert "node4" in (own / "known_hosts").read_text()


def test_a_changed_host_key_is_refused(lab: Lab) -> None:
    known = directory(lab.name) / "known_hosts"
    lab.exec("node1", ["ssh", "node2", "true"])
    before = known.read_text()
    other = (directory(lab.name) / "key.pub").read_text().split()[1]
    known.write_text(f"node2 ssh-ed25519 {other}\n")
    try:
        assert lab.exec("node1", ["ssh", "node2", "true"]).returncode == 255
    finally:
        known.write_text(before)


def test_exec_keeps_the_directory_and_the_exit_status(lab: Lab, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared)
    assert lab.exec("node3", ["pwd"]).stdout == f"{shared}\n"
    assert lab.exec("node3", ["sh", "-c", "exit 7"]).returncode == 7
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    assert lab.exec("node3", ["printenv", "SSH_AUTH_SOCK"]).returncode == 1


def test_a_cut_host_is_silent_until_it_joins(lab: Lab) -> None:
    lab.cut("node2")
    silent = lab.exec("node1", ["ssh", "-o", "ConnectTimeout=1", "node2", "hostname"])
    assert silent.returncode == 255
    assert "timed out" in silent.stderr or "No route to host" in silent.stderr
    assert lab.exec("node2", ["hostname"]).stdout == "node2\n"
    lab.join("node2")
    assert wait_until(lambda: lab.exec("node1", ["ssh", "node2", "hostname"]).stdout == "node2\n")


def test_a_killed_host_takes_everything_with_it_and_comes_back(lab: Lab) -> None:
    lab.slow("node3", "1gbit")
    started = lab.popen("node3", ["sleep", "1000"])
    inner = process.identify(lab.pid_of(started))
    assert inner is not None
    lab.kill("node3")
    assert wait_until(lambda: not process.alive(inner))
    assert lab.exec("node1", ["ssh", "-o", "ConnectTimeout=1", "node3", "true"]).returncode == 255
    lab.join("node3")
    assert lab.exec("node1", ["ssh", "node3", "hostname"]).stdout == "node3\n"
    assert lab.state.host("node3").slow == "1gbit"


def test_a_path_is_limited_at_both_ends_beside_the_hosts_own_limit(lab: Lab) -> None:
    def classes(node: str) -> str:
        return lab.exec(node, ["tc", "class", "show", "dev", "eth0"]).stdout

    try:
        lab.slow("node1+node2", "200mbit")
    except SlowlinkError:
        pytest.skip("this kernel has no htb or no u32")
    lab.slow("node2", "1gbit")
    assert ["200Mbit" in classes(node) for node in ("node1", "node2", "node3")] == [True, True, False]
    assert "1Gbit" in classes("node2")
    assert "dst 10.77.0.2" in lab.exec("node1", ["tc", "-p", "filter", "show", "dev", "eth0"]).stdout
    lab.slow("node1+node2", None)
    assert ["200Mbit" in classes(node) for node in ("node1", "node2")] == [False, False]
    assert "tbf" in lab.exec("node2", ["tc", "qdisc", "show", "dev", "eth0"]).stdout
    lab.slow("node2", None)
    assert "tbf" not in lab.exec("node2", ["tc", "qdisc", "show", "dev", "eth0"]).stdout


def test_load_runs_on_one_host_only(lab: Lab) -> None:
    lab.load("node2", 2)
    assert len(lab.processes("node2")) == 2
    assert [lab.processes(node) for node in ("node1", "node3", "node4")] == [[], [], []]
    lab.load("node2", 0)
    assert lab.processes("node2") == []


@pytest.mark.parametrize("rate", ["fast", "200", "-1mbit", "200mbit;reboot", "0mbit", "1e9gbit", "1kbit", ""])
def test_bad_rates_are_refused(lab: Lab, rate: str) -> None:
    with pytest.raises(SlowlinkError, match="no rate of a link"):
        faults.slow(lab.name, "node1", rate)
    assert lab.state.host("node1").slow is None


def test_an_unknown_host_is_named(lab: Lab) -> None:
    with pytest.raises(SlowlinkError, match="no host 'node9'") as raised:
        lab.cut("node9")
    assert raised.value.hint == "hosts: node1 to node4"


def test_hosts_end_with_a_test_that_is_killed(
    lab_possible: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not find("setpriv"):
        pytest.skip("no setpriv (apt-get install util-linux)")
    code = "from slowlink.lab.lab import Lab; lab = Lab(1, 'killed'); lab.__enter__(); print('up', flush=True); input()"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as made:
        assert made.stdout is not None
        assert made.stdout.readline() == "up\n"
        processes = get("killed").processes()
        assert [process.alive(one) for one in processes] == [True] * 3
        made.kill()
    try:
        assert wait_until(lambda: not any(process.alive(one) for one in processes))
    finally:
        make.down("killed")
