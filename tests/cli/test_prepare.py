"""``slowlink prepare`` on this machine, whose settings are files below a fake root: options, words, exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from fake_settings import GPUS, changed, make_programs, make_root, tree
from slowlink.cli.prepare import command
from slowlink.errors import SlowlinkError
from slowlink.model.prepared import Prepared
from slowlink.settings.find import settings
from slowlink.workflows.prepare_nodes.record import read, write
from slowlink.workflows.prepare_nodes.words import record_lines


class Said(NamedTuple):
    status: int
    out: str


class Machine:
    """This machine, as far as ``prepare`` sees it."""

    def __init__(self, place: Path) -> None:
        self.root, self.records, self.programs = place / "root", place / "records", place / "bin"
        make_root(self.root)
        make_programs(self.programs, str(self.root))

    def prepare(self, *words: str) -> Said:
        root = () if "--root" in words else ("--root", str(self.root))
        done = CliRunner().invoke(command, ["-o", str(self.records), *root, *words], standalone_mode=False)
        if isinstance(done.exception, SlowlinkError):
            return Said(2, done.exception.message)
        assert done.exception is None, done.exception
        output = done.output.replace(str(self.records), "RECORDS").replace(str(self.root), "ROOT")
        return Said(int(str(done.return_value)), output)

    def record(self) -> Path:
        (found,) = self.records.glob("prepared-*.json")
        return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{made.programs}:/usr/bin:/bin")
    monkeypatch.setattr("socket.gethostname", lambda: "gpu01")
    return made


def test_a_plan_changes_nothing(machine: Machine) -> None:
    before = tree(machine.root)
    assert machine.prepare("--skip", "peermem,memlock") == snapshot(
        Said(
            status=0,
            out="""\
1 node: gpu01

persistence: off -> on on gpu01 (2 each)
    nvidia-smi -i 00000000:3B:00.0 -pm 1
    nvidia-smi -i 00000000:86:00.0 -pm 1
governor: powersave -> performance on gpu01 (2 each)
    echo performance > /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
    echo performance > /sys/devices/system/cpu/cpufreq/policy1/scaling_governor
numa-balancing: 1 -> 0 on gpu01
    sysctl -w kernel.numa_balancing=0
acs: 001d -> 0000 on gpu01; 005f -> 0000 on gpu01
    setpci -s 0000:3a:00.0 ECAP_ACS+6.w=0000
    setpci -s 0000:85:00.0 ECAP_ACS+6.w=0000

Nothing was changed. --apply does it.
""",
        )
    )
    assert machine.prepare("--only", "governor", "--check").status == 1
    assert changed(before, tree(machine.root)) == {}
    assert not machine.records.exists()


def test_a_plan_as_json(machine: Machine) -> None:
    said = machine.prepare(
        "--only", "acs,clocks", "--clocks", "1410,1980", "--clocks-before", "1200", "--format", "json"
    )
    assert json.loads(said.out) == snapshot(
        {
            "schema": "slowlink.prepare-plan/1",
            "nodes": [
                {
                    "node": "gpu01",
                    "trouble": "",
                    "uid": 0,
                    "items": [
                        {
                            "setting": "clocks",
                            "part": "00000000:3B:00.0",
                            "before": "1200",
                            "before_is_assumed": True,
                            "wanted": "1410,1980",
                            "command": "nvidia-smi -i 00000000:3B:00.0 -lgc 1410,1980",
                        },
                        {
                            "setting": "clocks",
                            "part": "00000000:86:00.0",
                            "before": "1200",
                            "before_is_assumed": True,
                            "wanted": "1410,1980",
                            "command": "nvidia-smi -i 00000000:86:00.0 -lgc 1410,1980",
                        },
                        {
                            "setting": "acs",
                            "part": "0000:3a:00.0",
                            "before": "001d",
                            "before_is_assumed": False,
                            "wanted": "0000",
                            "command": "setpci -s 0000:3a:00.0 ECAP_ACS+6.w=0000",
                        },
                        {
                            "setting": "acs",
                            "part": "0000:85:00.0",
                            "before": "005f",
                            "before_is_assumed": False,
                            "wanted": "0000",
                            "command": "setpci -s 0000:85:00.0 ECAP_ACS+6.w=0000",
                        },
                    ],
                    "right": [],
                    "obstacles": [],
                }
            ],
        }
    )


def test_apply_and_rollback(machine: Machine) -> None:
    before = tree(machine.root)
    said = machine.prepare("--apply", "--power", "650.5")
    assert (said.status, said.out.replace(machine.record().name, "RECORD")) == snapshot(
        (
            0,
            """\
persistence: set on gpu01
power: set on gpu01
governor: set on gpu01
numa-balancing: set on gpu01
acs: set on gpu01
peermem: set on gpu01
memlock: set on gpu01

record: RECORDS/RECORD
to undo it: slowlink prepare --rollback RECORDS/RECORD --root ROOT
""",
        )
    )
    assert machine.prepare("--check").status == 0
    back = machine.prepare("--rollback", str(machine.record()))
    assert (back.status, back.out.replace(machine.record().name, "RECORD")) == snapshot(
        (
            0,
            """\
persistence: as before on gpu01
power: as before on gpu01
governor: as before on gpu01
numa-balancing: as before on gpu01
acs: as before on gpu01
peermem: as before on gpu01
memlock: as before on gpu01

record: RECORDS/RECORD
""",
        )
    )
    assert changed(before, tree(machine.root)) == {}
    stamp = machine.record().read_bytes()
    again = machine.prepare("--rollback")
    assert (again.status, again.out.splitlines()[-2:-1]) == (0, ["Nothing is left to undo there."])
    assert machine.record().read_bytes() == stamp


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("redirection", "status", "first"),
    [
        (">/dev/full", 3, ""),
        (">&-", 0, "slowlink: standard output is closed; what it would show is lost\n"),
        ("", 0, ""),  # into a pipe whose reader has left
    ],
)
def test_how_to_undo_it_is_said_where_standard_output_is_lost(
    machine: Machine, redirection: str, status: int, first: str
) -> None:
    """A real process. Without this line nobody knows that nodes were changed, nor how to set them back."""
    words = ["--apply", "--only", "governor", "-o", str(machine.records), "--root", str(machine.root)]
    argv = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "slowlink", "prepare", *words]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(argv, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    os.close(writer)
    assert done.returncode == status
    record = machine.record()
    last = "slowlink: cannot write to standard output: No space left on device\n  make room, or choose another place\n"
    assert done.stderr == (
        f"{first}record: {record}\n"
        f"to undo it: slowlink prepare --rollback {record} --root {machine.root}\n"
        f"{last if status else ''}"
    )
    back = machine.prepare("--rollback")
    assert (back.status, back.out.split(" on ")[0]) == (0, "governor: as before")


def test_a_lock_that_was_named_comes_back(machine: Machine) -> None:
    lock = machine.root / "gpu" / GPUS[0] / "locked"
    assert machine.prepare("--apply", "--only", "clocks", "--clocks", "1980", "--clocks-before", "1200").status == 0
    assert lock.read_text() == "1980\n"
    assert machine.prepare("--rollback").status == 0
    assert lock.read_text() == "1200\n"


def test_parts_of_a_node_that_come_to_different_ends_are_named(machine: Machine) -> None:
    (machine.root / "gpu" / GPUS[1] / "broken").touch()
    said = machine.prepare("--apply", "--only", "persistence")
    assert (said.status, said.out.splitlines()[:2]) == snapshot(
        (
            1,
            [
                "persistence: set on gpu01 (00000000:3B:00.0)",
                "    not set on gpu01 (00000000:86:00.0): status 255: Unable to set: Unknown Error",
            ],
        )
    )
    back = machine.prepare("--rollback")
    assert (back.status, back.out.splitlines()[:2]) == snapshot(
        (
            0,
            [
                "persistence: as before on gpu01 (00000000:3B:00.0)",
                "    not set on gpu01 (00000000:86:00.0): status 255: Unable to set: Unknown Error",
            ],
        )
    )


def test_earlier_records_that_still_stand_are_named(machine: Machine) -> None:
    assert machine.prepare("--apply", "--only", "governor").status == 0
    earlier = machine.record().name
    assert machine.prepare("--apply", "--only", "numa-balancing").status == 0
    assert f"not undone yet: RECORDS/{earlier}" in machine.prepare("--rollback").out


def test_nothing_to_do_writes_no_record(machine: Machine) -> None:
    assert machine.prepare("--apply", "--only", "governor").status == 0
    said = machine.prepare("--apply", "--only", "governor")
    assert said == snapshot(
        Said(
            status=0,
            out="""\
1 node: gpu01

governor: already right on 1

Nothing was changed.
""",
        )
    )
    assert machine.record().exists()


def test_without_a_record_nothing_is_changed(machine: Machine) -> None:
    before = tree(machine.root)
    machine.records.write_text("a file in the way")
    said = machine.prepare("--apply")
    assert (said.status, "for records" in said.out) == (2, True)
    assert changed(before, tree(machine.root)) == {}


def test_a_disk_that_fills_up_leaves_a_record_that_can_be_undone(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(machine.root)
    calls = 0

    def full(record: Prepared, path: Path) -> None:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise SlowlinkError(f"cannot write the record {path}: No space left on device", slug="record-unwritable")
        write(record, path)

    monkeypatch.setattr("slowlink.workflows.prepare_nodes.carry_out.write", full)
    said = machine.prepare("--apply", "--start-within", "4")
    assert (said.status, "make room, then slowlink prepare --rollback" in said.out) == (3, True)
    assert changed(before, tree(machine.root)) != {}
    monkeypatch.undo()
    monkeypatch.setenv("PATH", f"{machine.programs}:/usr/bin:/bin")
    assert machine.prepare("--rollback", "--start-within", "4").status == 0
    assert changed(before, tree(machine.root)) == {}


def test_root_is_asked_for_and_sudo_only_when_allowed(machine: Machine) -> None:
    _program(machine, "id", 'echo "${AS_ROOT-1000}"')
    before = tree(machine.root)
    plan = machine.prepare("--only", "numa-balancing,acs")
    assert plan == snapshot(
        Said(
            status=0,
            out="""\
1 node: gpu01

numa-balancing: 1 -> 0 on gpu01
    sysctl -w kernel.numa_balancing=0
acs: nothing to set
    not on gpu01: needs root to be read
needs root on gpu01: log in as root, or --sudo

Nothing was changed. --apply does it.
""",
        )
    )
    said = machine.prepare("--only", "numa-balancing", "--apply")
    assert (said.status, said.out.splitlines()[0]) == snapshot(
        (1, "numa-balancing: not set on gpu01: needs root there")
    )
    assert changed(before, tree(machine.root)) == {}
    _program(machine, "sudo", "echo no >&2; exit 1")
    assert machine.prepare("--only", "numa-balancing", "--sudo") == snapshot(
        Said(
            status=3,
            out="""\
1 node: gpu01

not read: gpu01: sudo asks for a password, or is not there

Nothing was changed.
""",
        )
    )
    _program(machine, "sudo", '[ "$1" = -n ] || exit 1; shift; AS_ROOT=0; export AS_ROOT; exec "$@"')
    assert machine.prepare("--only", "numa-balancing", "--sudo", "--apply").status == 0
    assert changed(before, tree(machine.root)) == {"proc/sys/kernel/numa_balancing": ("1", "0")}
    assert machine.prepare("--rollback").status == 1
    assert machine.prepare("--rollback", "--sudo").status == 0
    assert changed(before, tree(machine.root)) == {}


def _program(machine: Machine, name: str, text: str) -> None:
    (machine.programs / name).write_text(f"#!/bin/sh\n{text}\n")
    (machine.programs / name).chmod(0o755)


def test_a_value_that_cannot_be_is_never_written_back(machine: Machine) -> None:
    governor = machine.root / "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
    governor.write_text("$(reboot)\x1b[2J\n")
    said = machine.prepare("--only", "governor")
    assert said == snapshot(
        Said(
            status=0,
            out="""\
1 node: gpu01

governor: powersave -> performance on gpu01
    echo performance > /sys/devices/system/cpu/cpufreq/policy1/scaling_governor
    not on gpu01: it reads '$(reboot)\\x1b[2J', which is no value of it

Nothing was changed. --apply does it.
""",
        )
    )


def test_the_help_names_every_setting() -> None:
    text = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert f"Settings: {', '.join(settings())}. Clocks" in text


@pytest.mark.parametrize(
    "words, said",
    [
        (("--only", "governer"), "there is no setting 'governer'"),
        (("--only", "power"), "--only power: to which value?"),
        (("--clocks", "fast"), "'fast' is no value of clocks"),
        (("--apply", "--dry-run"), "--apply changes nodes; --dry-run and --check do not"),
        (("--rollback", "--nodes", "a"), "--rollback goes by its record alone"),
        (("--rollback",), "there is no record in "),
        (("--rollback", "/nowhere/x.json"), "cannot read the record /nowhere/x.json"),
        (("--nodes", "a", "--on", "local"), "--on local is this machine"),
        (("--root", "relative"), "--root relative: not an absolute path"),
    ],
)
def test_what_cannot_work_is_refused(machine: Machine, words: tuple[str, ...], said: str) -> None:
    before = tree(machine.root)
    status, out = machine.prepare(*words)
    assert (status, out.startswith(said)) == (2, True), out
    assert changed(before, tree(machine.root)) == {}


def test_a_root_that_is_not_there_is_no_node_where_all_is_right(machine: Machine) -> None:
    machine.root = machine.root.parent / "host"
    said = machine.prepare("--only", "governor,numa-balancing")
    assert said.status == 3
    assert "there is no ROOT there" in said.out


def test_a_choice_that_leaves_nothing_is_a_slip(machine: Machine) -> None:
    assert machine.prepare("--only", "acs", "--skip", "acs") == Said(2, "--only and --skip leave no setting")


def test_a_wrong_clock_is_answered_with_what_a_clock_looks_like(machine: Machine) -> None:
    done = CliRunner().invoke(command, ["--root", str(machine.root), "--clocks", "fast"], standalone_mode=False)
    assert isinstance(done.exception, SlowlinkError)
    assert done.exception.hint == (
        "MHz: 1980, or the lowest and the highest: 1410,1980; with nvidia-smi's mode of locking behind it: 1980:1"
    )


def test_what_a_rollback_could_not_reach_is_still_set(machine: Machine) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    assert record_lines(read(machine.record()), undone=True) == ["numa-balancing: still set on gpu01"]


def test_a_record_that_others_may_write_is_refused(machine: Machine) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    before = tree(machine.root)
    machine.record().chmod(0o666)
    status, out = machine.prepare("--rollback")
    assert (status, out) == (2, f"{machine.record()} is not taken for a record: others may write to it")
    assert changed(before, tree(machine.root)) == {}


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_record_in_a_directory_where_others_may_write_is_refused(machine: Machine, mode: int) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    before = tree(machine.root)
    machine.records.chmod(mode)
    status, out = machine.prepare("--rollback", str(machine.record()))
    said = f"{machine.record()} is not taken for a record: {machine.records} may be written to by others"
    assert (status, out) == (2, said)
    assert changed(before, tree(machine.root)) == {}


def test_a_directory_where_each_may_remove_its_own_files_alone_will_do(machine: Machine) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    machine.records.chmod(0o1777)
    assert machine.prepare("--rollback").status == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_record_in_a_directory_of_somebody_else_is_refused(machine: Machine) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    os.chown(machine.records, 12345, -1)
    status, out = machine.prepare("--rollback")
    assert (status, out.endswith("belongs to user 12345, and you are user 0")) == (2, True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_record_of_somebody_else_is_refused(machine: Machine) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    os.chown(machine.record(), 12345, -1)
    status, out = machine.prepare("--rollback")
    assert (status, "it belongs to user 12345, and you are user 0" in out) == (2, True)


def test_a_record_that_was_unpacked_is_refused(machine: Machine, tmp_path: Path) -> None:
    """It belongs to whoever unpacked it; what lies in the state directory was put there by its user."""
    machine.prepare("--only", "numa-balancing", "--apply")
    before, content = tree(machine.root), machine.record().read_bytes()
    copies = [tmp_path / "unpacked", Path(os.environ["XDG_STATE_HOME"]) / "slowlink" / "prepared"]
    for copy in copies:
        copy.mkdir(mode=0o700, parents=True)
        (copy / machine.record().name).write_bytes(content)
        (copy / machine.record().name).chmod(0o600)
    unpacked, own = (copy / machine.record().name for copy in copies)
    status, out = machine.prepare("--rollback", str(unpacked))
    said = f"{unpacked} was not written in this place by your slowlink on this machine"
    assert (status, out, changed(before, tree(machine.root))) == (2, said, {})
    assert machine.prepare("--rollback", str(own)).status == 0


def test_where_no_marks_can_be_kept_a_record_is_taken(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container without a home must be able to set nodes back."""
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    machine.prepare("--only", "numa-balancing", "--apply")
    assert machine.prepare("--rollback").status == 0


def test_a_link_to_a_record_is_refused(machine: Machine) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    link = machine.records / "linked.json"
    link.symlink_to(machine.record())
    status, out = machine.prepare("--rollback", str(link))
    assert (status, out.startswith(f"cannot read the record {link}")) == (2, True)


def test_a_record_about_another_root_is_refused(machine: Machine) -> None:
    machine.prepare("--only", "numa-balancing", "--apply")
    before = tree(machine.root)
    status, out = machine.prepare("--rollback", "--root", "/elsewhere")
    assert (status, "is about nodes whose root is" in out, out.endswith("/elsewhere was asked for")) == (2, True, True)
    assert changed(before, tree(machine.root)) == {}


def test_nothing_is_written_through_a_symbolic_link(machine: Machine, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("1\n")
    switch = machine.root / "proc" / "sys" / "kernel" / "numa_balancing"
    switch.unlink()
    switch.symlink_to(victim)
    said = machine.prepare("--only", "numa-balancing", "--apply")
    assert (said.status, "is a symbolic link, not written" in said.out) == (1, True)
    assert victim.read_text() == "1\n"
