"""Each setting against a fake node, in the shell that a node would use: read, apply, restore."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from fake_settings import GPUS, changed, make_programs, make_root, tree
from slowlink.launch.fanout.ways import Here
from slowlink.model.plan import Node
from slowlink.model.prepared import Change
from slowlink.settings.find import settings
from slowlink.workflows.prepare_nodes.answers import read_changes, read_values
from slowlink.workflows.prepare_nodes.observe import Reach, deadline, observe
from slowlink.workflows.prepare_nodes.script import change_script, read_script

ALL = tuple(settings())
_SHELLS = [shell for shell in ("sh", "dash", "bash") if shutil.which(shell)]


@pytest.fixture(params=_SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "it's a root"
    make_root(made)
    make_programs(tmp_path / "bin", f"'{str(made).replace(chr(39), chr(39) + chr(92) + chr(39) * 2)}'")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return made


def run(shell: str, script: str) -> str:
    done = subprocess.run([shell, "-s"], input=script, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout


def do(shell: str, root: Path, *changes: Change) -> dict[tuple[str, str], tuple[str, str, str]]:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    until = int(float(Path("/proc/uptime").read_text().split()[0])) + 60
    told = read_changes(run(shell, change_script(changes, {boot: until}, str(root), sudo=False)))
    assert told.complete, told
    return {key: (done.outcome, done.now, done.words) for key, done in told.done.items()}


def test_what_is_read(shell: str, root: Path) -> None:
    before = tree(root)
    observed = read_values(Node("a"), run(shell, read_script(ALL, str(root), sudo=False)), "", ALL)
    assert (observed.trouble, observed.uid, observed.missing) == ("", 0, ())
    assert [(value.setting, value.part, value.value, value.detail) for value in observed.values] == snapshot(
        [
            ("persistence", "00000000:3B:00.0", "off", ""),
            ("persistence", "00000000:86:00.0", "off", ""),
            ("clocks", "00000000:3B:00.0", "?", "1980"),
            ("clocks", "00000000:86:00.0", "?", "1980"),
            ("power", "00000000:3B:00.0", "700.00", "200.00-700.00"),
            ("power", "00000000:86:00.0", "700.00", "200.00-700.00"),
            ("governor", "policy0", "powersave", "performance,powersave"),
            ("governor", "policy1", "powersave", "performance,powersave"),
            ("numa-balancing", "-", "1", ""),
            ("acs", "0000:3a:00.0", "001d", ""),
            ("acs", "0000:85:00.0", "005f", ""),
            ("peermem", "-", "absent", ""),
            ("memlock", "-", "absent", ""),
        ]
    )
    assert changed(before, tree(root)) == {}


def test_every_setting_is_set_and_restored(shell: str, root: Path) -> None:
    values = read_values(Node("a"), run(shell, read_script(ALL, str(root), sudo=False)), "", ALL).values
    given_values = {"clocks": "1410,1980", "power": "500.00"}
    pairs = [
        (value, settings()[value.setting].before or value.value, settings()[value.setting].wanted) for value in values
    ]
    there = [
        Change(value.setting, value.part, (before,), wanted or given_values[value.setting])
        for value, before, wanted in pairs
    ]
    back = [Change(change.setting, change.part, (change.wanted,), change.expected[0]) for change in reversed(there)]
    before = tree(root)
    assert {outcome for outcome, _, _ in do(shell, root, *there).values()} == {"set"}
    assert changed(before, tree(root)) == snapshot(
        {
            "config/0000:3a:00.0": ("001d", "0000"),
            "config/0000:85:00.0": ("005f", "0000"),
            "etc/security/limits.d/90-slowlink-memlock.conf": (
                "-",
                """\
# made by slowlink prepare; slowlink prepare --rollback removes it
* soft memlock unlimited
* hard memlock unlimited
root soft memlock unlimited
root hard memlock unlimited\
""",
            ),
            "gpu/00000000:3B:00.0/locked": ("none", "1410,1980"),
            "gpu/00000000:3B:00.0/persistence_mode": ("Disabled", "Enabled"),
            "gpu/00000000:3B:00.0/power.limit": ("700.00", "500.00"),
            "gpu/00000000:86:00.0/locked": ("none", "1410,1980"),
            "gpu/00000000:86:00.0/persistence_mode": ("Disabled", "Enabled"),
            "gpu/00000000:86:00.0/power.limit": ("700.00", "500.00"),
            "proc/sys/kernel/numa_balancing": ("1", "0"),
            "sys/devices/system/cpu/cpufreq/policy0/scaling_governor": ("powersave", "performance"),
            "sys/devices/system/cpu/cpufreq/policy1/scaling_governor": ("powersave", "performance"),
            "sys/module/nvidia_peermem": ("-", "directory"),
        }
    )
    assert {outcome for outcome, _, _ in do(shell, root, *back).values()} == {"set"}
    assert changed(before, tree(root)) == {}


def test_clocks_are_locked_in_the_mode_that_is_asked_for(shell: str, root: Path) -> None:
    before = tree(root)
    there = Change("clocks", GPUS[0], ("unlocked",), "1980:1")
    assert do(shell, root, there) == {("clocks", GPUS[0]): ("set", "?", "")}
    assert changed(before, tree(root)) == {f"gpu/{GPUS[0]}/locked": ("none", "1980 mode=1")}
    assert settings()["clocks"].commands(GPUS[0], "1980:1") == f"nvidia-smi -i {GPUS[0]} -lgc 1980 --mode=1"
    assert settings()["clocks"].misfit("2100:1", "1980") == "2100 MHz is more than the 1980 MHz of this GPU"


def test_only_what_is_expected_is_overwritten(root: Path) -> None:
    before = tree(root)
    assert do("sh", root, Change("governor", "policy0", ("ondemand",), "performance")) == snapshot(
        {("governor", "policy0"): ("other", "powersave", "")}
    )
    assert do("sh", root, Change("numa-balancing", "-", ("2",), "1")) == snapshot(
        {("numa-balancing", "-"): ("same", "1", "")}
    )
    assert changed(before, tree(root)) == {}


def test_a_write_that_fails_says_why(root: Path) -> None:
    (root / "gpu" / GPUS[0] / "broken").touch()
    (root / "no-module").touch()
    before = tree(root)
    assert do(
        "sh",
        root,
        Change("persistence", GPUS[0], ("off",), "on"),
        Change("clocks", GPUS[0], ("unlocked",), "1980"),
        Change("peermem", "-", ("absent",), "loaded"),
    ) == snapshot(
        {
            ("persistence", "00000000:3B:00.0"): ("failed", "off", "status 255: Unable to set: Unknown Error"),
            ("clocks", "00000000:3B:00.0"): ("failed", "?", "status 255: Unable to set: Unknown Error"),
            ("peermem", "-"): ("failed", "absent", "status 1: modprobe: FATAL: Module nvidia_peermem not found"),
        }
    )
    assert changed(before, tree(root)) == {}


def test_a_torn_file_of_ours_is_known_and_a_foreign_one_is_left(root: Path) -> None:
    file = root / "etc/security/limits.d/90-slowlink-memlock.conf"
    back = Change("memlock", "-", ("set", "unfinished"), "absent")
    for text in ("", "# made by slowlink prepare; slowlink"):
        file.write_text(text)
        assert do("sh", root, back)["memlock", "-"][:2] == ("set", "absent")
        assert not file.exists()
    file.write_text("* hard memlock 64\n")
    assert do("sh", root, back)["memlock", "-"][:2] == ("other", "other")
    assert file.read_text() == "* hard memlock 64\n"


def test_nothing_is_removed_through_a_link_below_the_root(root: Path, tmp_path: Path) -> None:
    folder = root / "etc/security/limits.d"
    back = Change("memlock", "-", ("set", "unfinished"), "absent")
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    theirs = elsewhere / "90-slowlink-memlock.conf"
    theirs.write_text("")
    assert do("sh", root, back)["memlock", "-"][0] == "failed"
    assert theirs.exists()


def test_what_stands_against_a_setting(root: Path) -> None:
    for path in ("sys/bus/pci/drivers/vfio-pci/0000:3b:00.0", "sys/module/nv_peer_mem/version"):
        (root / path).parent.mkdir(parents=True)
        (root / path).touch()
    names = ("acs", "peermem")
    observed = read_values(Node("a"), run("sh", read_script(names, str(root), sudo=False)), "", names)
    assert observed.values == ()
    assert dict(observed.missing) == snapshot(
        {
            "acs": "devices are passed to virtual machines (vfio-pci), and ACS keeps those apart",
            "peermem": "nv_peer_mem is loaded, which does the same",
        }
    )


def test_a_bare_machine_has_nothing_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "id", "cat", "grep", "sed", "tr", "sort"):
        (tools / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(tools))
    (tmp_path / "root").mkdir()
    observed = read_values(Node("a"), run("sh", read_script(ALL, str(tmp_path / "root"), sudo=False)), "", ALL)
    assert observed.values == ()
    assert dict(observed.missing) == snapshot(
        {
            "persistence": "no nvidia-smi here",
            "clocks": "no nvidia-smi here",
            "power": "no nvidia-smi here",
            "governor": "no CPU frequency scaling here",
            "numa-balancing": "this kernel has none",
            "acs": "no PCIe bridge above a GPU or HCA",
            "peermem": "no NVIDIA driver here",
            "memlock": "no /etc/security/limits.d here",
        }
    )


def test_who_comes_late_or_after_a_reboot_or_without_root_touches_nothing(root: Path, tmp_path: Path) -> None:
    before = tree(root)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    change = (Change("governor", "policy0", ("powersave",), "performance"),)
    late = change_script(change, {boot: 1}, str(root), sudo=False)
    rebooted = change_script(change, {"0000-0000": 1 << 40}, str(root), sudo=False)
    assert [read_changes(run("sh", script)).refused for script in (late, rebooted)] == snapshot(
        ["not begun in time", "rebooted since it was asked"]
    )
    (tmp_path / "bin" / "id").write_text("#!/bin/sh\necho 1000\n")
    assert read_changes(run("sh", change_script(change, {boot: 1 << 40}, str(root), sudo=False))).refused == snapshot(
        "needs root there"
    )
    assert changed(before, tree(root)) == {}


def uptime_s() -> int:
    return int(float(Path("/proc/uptime").read_text().split()[0]))


@pytest.mark.skipif(shutil.which("flock") is None, reason="no flock (util-linux)")
def test_two_scripts_are_kept_apart(root: Path) -> None:
    before = tree(root)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    change = (Change("governor", "policy0", ("powersave",), "performance"),)
    held = os.open(root / "sys", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        script = change_script(change, {boot: uptime_s() + 1}, str(root), sudo=False)
        assert read_changes(run("sh", script)).refused == snapshot("another slowlink prepare is at work there")
    finally:
        os.close(held)
    assert changed(before, tree(root)) == {}


def test_a_rollback_waits_for_what_may_still_come(root: Path) -> None:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    change = (Change("governor", "policy0", ("powersave",), "performance"),)
    earlier = uptime_s() + 1
    script = change_script(change, {boot: earlier + 60}, str(root), sudo=False, settle={boot: earlier})
    assert read_changes(run("sh", script)).complete
    assert uptime_s() > earlier


def test_a_script_that_comes_in_part_changes_nothing(root: Path) -> None:
    """ssh hands it over as it comes; a connection may break anywhere."""
    before = tree(root)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    script = change_script(
        (Change("governor", "policy0", ("powersave",), "performance"),), {boot: 1 << 40}, str(root), sudo=False
    )
    last = len("main </dev/null\n")
    for end in (*range(0, len(script) - last, 97), *range(len(script) - last - 8, len(script) - last + len("main"))):
        subprocess.run(["sh", "-s"], input=script[:end], capture_output=True, text=True, timeout=60, check=False)
        assert changed(before, tree(root)) == {}
    run("sh", script)
    assert changed(before, tree(root)) != {}


@pytest.mark.parametrize("value", ["$(reboot)", "a b", "x\n", "", "a|b", "'"])
def test_no_value_outside_of_the_pattern_becomes_part_of_a_script(value: str) -> None:
    for change in (
        Change("governor", "policy0", (value,), "performance"),
        Change("governor", "policy0", ("powersave",), value),
        Change("governor", value, ("powersave",), "performance"),
    ):
        with pytest.raises(ValueError, match="not a value of governor"):
            change_script((change,), {}, "", sudo=False)


def test_over_the_fan_out(root: Path) -> None:
    reach = Reach(Here(), str(root))
    (seen,) = observe([Node("here")], ("governor",), reach)
    assert [value.value for value in seen.observed.values] == ["powersave", "powersave"]
    assert deadline(seen.observed.uptime_s, seen.asked_at, reach) >= seen.observed.uptime_s + reach.start_s


@pytest.mark.parametrize("name", ALL)
def test_every_fragment_is_posix_sh(name: str) -> None:
    setting = settings()[name]
    subprocess.run(["sh", "-n"], input=setting.script, text=True, check=True)
    for function in ("read", "write"):
        assert f"{setting.function}_{function}()" in setting.script
    assert all(re.fullmatch(setting.values, value) for value in setting.right | setting.fixed.keys() | setting.torn)
    assert setting.wanted is None or re.fullmatch(setting.values, setting.wanted)
