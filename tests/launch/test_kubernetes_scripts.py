"""The scripts of pods and of the one that follows them, run with a kubectl that answers as a cluster would."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from launch_situations import JOB, NASTY, surroundings
from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch.choose import launchers
from slowlink.launch.interface import KubernetesOptions, LaunchOptions
from slowlink.launch.kubernetes_exec import ask_script, hand_on_script
from slowlink.launch.kubernetes_scripts import (
    MPIJOB_WORKER_SCRIPT,
    SSH_SCRIPT,
    WITHOUT_SSHD_SCRIPT,
    WORKER_SCRIPT,
    collect_script,
    follow_script,
    launch_script,
    mpijob_launch_script,
)
from slowlink.model.plan import Allocation, NodeScripts

AROUND = replace(JOB, around=NodeScripts("exit 0\n", "exit 0\n", "5e2f"))
FAKE_KUBECTL = """\
#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
*exitCode*) echo "${STATUS-0}" ;;
*waiting*) echo "tests-0: Pending 0/4 nodes are available: Insufficient nvidia.com/gpu." ;;
*phase*) echo "${PHASE-Running}" ;;
logs*) echo "# a table"; echo "# another line" ;;
esac
"""


def follow(tmp_path: Path, limit: int = 5, **answers: str) -> subprocess.CompletedProcess[str]:
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(FAKE_KUBECTL)
    kubectl.chmod(stat.S_IRWXU)
    script = tmp_path / "follow.sh"
    script.write_text(follow_script((str(kubectl),), "a=b", limit))
    environment = {**os.environ, "LOG": str(tmp_path / "log"), **answers}
    return subprocess.run(["sh", script], env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("status", [0, 7])
def test_the_log_and_the_status_of_the_pod_come_back(tmp_path: Path, status: int) -> None:
    done = follow(tmp_path, STATUS=str(status))
    assert done.stdout == "# a table\n# another line\n"
    assert done.returncode == status


def test_a_pod_that_is_already_over_is_read_too(tmp_path: Path) -> None:
    assert follow(tmp_path, PHASE="Failed", STATUS="1").stdout.startswith("# a table")


def test_pods_that_never_start_are_explained(tmp_path: Path) -> None:
    done = follow(tmp_path, limit=1, PHASE="Pending")
    assert done.returncode == 3
    assert "did not start within 1 s" in done.stderr
    assert "Insufficient nvidia.com/gpu" in done.stderr


def collect(tmp_path: Path, phase: str) -> tuple[str, list[str]]:
    """What is printed, and what kubectl was asked."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(FAKE_KUBECTL)
    kubectl.chmod(stat.S_IRWXU)
    environment = {**os.environ, "LOG": str(tmp_path / "log"), "PHASE": phase}
    script = collect_script((str(kubectl),), "a=b", "job/one")
    done = subprocess.run(
        ["sh", "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    return done.stdout, (tmp_path / "log").read_text().splitlines()


def test_a_pod_that_still_runs_is_ended_while_its_log_is_read(tmp_path: Path) -> None:
    printed, asked = collect(tmp_path, "Running")
    assert printed == "# a table\n# another line\n"
    assert sorted(words.split()[0] for words in asked) == ["delete", "get", "logs"]
    assert "delete job/one --ignore-not-found --cascade=foreground --timeout=60s" in asked


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed", ""])
def test_a_pod_that_does_not_run_is_left_to_the_clean_up(tmp_path: Path, phase: str) -> None:
    printed, asked = collect(tmp_path, phase)
    assert printed == ""
    assert len(asked) == 1


@pytest.mark.parametrize(
    "script",
    [
        WORKER_SCRIPT,
        SSH_SCRIPT,
        launch_script(JOB, ("a-0.a", "a-1.a"), ()),
        launch_script(JOB, ("a-0.a", "a-1.a"), (), sshd=False),
        WITHOUT_SSHD_SCRIPT,
        MPIJOB_WORKER_SCRIPT,
        mpijob_launch_script(AROUND, ["mpirun", "it's"], "ssh -p 2222"),
        ask_script("/tmp/state"),
        hand_on_script(("kubectl", "--context=my cluster"), "a=b,c=0", "a=b", "/tmp/state"),
        follow_script(("kubectl",), "a=b,c=d", 600, "/scratch/hand_on.sh"),
        launch_script(NASTY, ("a-0.a",), ("--mca", "btl", "^vader")),
        launch_script(AROUND, ("a-0.a",), ()),
        follow_script(("kubectl", "--context=my cluster"), "a=b,c=d", 600),
        collect_script(("kubectl", "--context=my cluster"), "a=b,c=d", "job/it"),
    ],
)
def test_a_shell_reads_each_script(script: str) -> None:
    done = subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_nobody_takes_ends_and_says_so(tmp_path: Path) -> None:
    script = ask_script(str(tmp_path)).replace("left=60", "left=2")
    done = subprocess.run(
        ["sh", "-c", script, "ask", "-x", "a-1.a", "true"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (255, "slowlink: nobody hands commands on to a-1.a\n")


def test_a_command_waits_for_its_end_and_gives_what_it_printed(tmp_path: Path) -> None:
    asking = subprocess.Popen(
        ["sh", "-c", ask_script(str(tmp_path)), "ask", "a-1.a", "echo", "$HOME;", "id"],
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not (ready := list(tmp_path.glob("asked/*/ready"))) and time.monotonic() < deadline:
        time.sleep(0.05)
    place = ready[0].parent
    assert (place / "host").read_text() == "a-1.a\n"
    assert (place / "command").read_text() == "echo $HOME; id\n"  # as ssh joins them
    (place / "taken").touch()
    (place / "stdout").write_text("printed\n")
    (place / "status").write_text("7\n")
    assert asking.communicate(timeout=30)[0] == "printed\n"
    assert (asking.returncode, place.exists()) == (7, False)


def test_an_mpijob_needs_sshd() -> None:
    options = LaunchOptions(image="tests:1", kubernetes=KubernetesOptions(operator="mpijob", sshd=False))
    with pytest.raises(SlowlinkError, match="starts ranks by ssh"):
        launchers()["kubernetes"].plan(JOB, Allocation((), ""), surroundings(), options)


def test_the_launcher_of_an_mpijob_prints_what_all_workers_wrote(tmp_path: Path) -> None:
    (tmp_path / "hostfile").write_text("run-worker-0.run.team.svc slots=8\nrun-worker-1.run.team.svc slots=8\n")
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\necho "on $1: $*"\n')
    ssh.chmod(stat.S_IRWXU)
    script = mpijob_launch_script(AROUND, ["sh", "-c", "echo rows; exit 7"], str(ssh))
    done = subprocess.run(
        ["sh", "-c", script],
        env={**os.environ, "OMPI_MCA_orte_default_hostfile": str(tmp_path / "hostfile")},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 7
    assert [line for line in done.stdout.splitlines() if line] == snapshot(
        [
            "rows",
            "#slowlink-nodes 5e2f  run-worker-0.run.team.svc run-worker-1.run.team.svc",
            "#slowlink-node 5e2f run-worker-0.run.team.svc",
            "on run-worker-0.run.team.svc: run-worker-0.run.team.svc timeout 30 sh /etc/slowlink/run/after.sh",
            "#slowlink-node 5e2f run-worker-1.run.team.svc",
            "on run-worker-1.run.team.svc: run-worker-1.run.team.svc timeout 30 sh /etc/slowlink/run/after.sh",
            "#slowlink-all 5e2f",
        ]
    )
