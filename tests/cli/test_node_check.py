"""``slowlink node-check`` and ``slowlink policy`` as they are called, on simulated nodes."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from simulated_nodes import GOOD, on_disk
from slowlink.cli.main import cli
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.workflows.analyze import analyze
from slowlink.workflows.one_node.check import one_line


def run(folder: Path, node: SimulatedNode, *words: str) -> subprocess.CompletedProcess[str]:
    """slowlink on a simulated node."""
    root, path = on_disk(node, folder / f"{node.governor}-{node.slow_port}")
    limit = ("--limit", "100") if words[0] == "node-check" else ()
    argv = [sys.executable, "-m", "slowlink", *words, *limit, "--root", root]
    env = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(argv, capture_output=True, text=True, env=env, cwd=folder, check=False)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    place = tmp_path / "policy.toml"
    done = run(tmp_path, GOOD, "policy", "from", "-o", str(place))
    assert done.returncode == 0, done.stderr
    assert place.stat().st_mode & 0o777 == 0o600
    return place


def test_one_line_and_the_exit_status(tmp_path: Path, policy: Path) -> None:
    good = run(tmp_path, GOOD, "node-check", "--policy", str(policy))
    assert (good.returncode, good.stderr) == (0, "")
    node, _, words = good.stdout.partition(" ")
    assert words.startswith("ok: 8 GPUs (NVIDIA H100")
    assert good.stdout.count("\n") == 1
    sick = run(tmp_path, replace(GOOD, slow_port=3), "node-check")
    assert sick.returncode == 1
    assert (
        sick.stdout
        == f"{node} not ok: port-rate-low: mlx5_3 runs at 200 of 400 Gb/s, the rate of its siblings on the node\n"
    )
    alike = run(tmp_path, replace(GOOD, governor="powersave"), "node-check")
    assert alike.returncode == 0
    assert alike.stdout.startswith(f"{node} ok: the CPU frequency governor is powersave")
    strict = run(tmp_path, replace(GOOD, governor="powersave"), "node-check", "--policy", str(policy))
    assert strict.returncode == 1
    assert "policy-not-met: cpu 16 CPUs: frequency governor powersave, not performance" in strict.stdout


def test_a_policy_that_names_no_questions_has_all_asked(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('schema = "slowlink.policy/1"\n[pci]\nacs-redirect = false\n')
    done = run(tmp_path, GOOD, "node-check", "--policy", "own.toml")
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_asked_is_unknown(tmp_path: Path) -> None:
    done = run(tmp_path, GOOD, "node-check", "--only", "hostname")
    assert done.returncode == 3
    assert " unknown: " in done.stdout


def test_the_line_is_as_long_as_the_caller_takes(tmp_path: Path) -> None:
    done = run(tmp_path, GOOD, "node-check", "--width", "80", "-o", "whole.json")
    assert len(done.stdout) == 81
    assert done.stdout.endswith("...\n")
    assert json.loads((tmp_path / "whole.json").read_text())["verdict"] == "healthy"


def test_the_policy_is_found_in_the_sites_settings(tmp_path: Path, policy: Path) -> None:
    (tmp_path / "slowlink.toml").write_text(f'policy = "{policy}"\n')
    done = run(tmp_path, replace(GOOD, governor="powersave"), "node-check")
    assert done.returncode == 1
    assert "policy-not-met" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("node-check", "--policy", "none.toml"), "cannot read the policy none.toml"),
        (("node-check", "--only", "hostnam"), "did you mean hostname?"),
        (("node-check", "--textfile", "metrics.txt"), "must end with .prom"),
        (("policy", "from", "a,b"), "one is asked"),
    ],
)
def test_wrong_words_end_with_a_sentence(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = run(tmp_path, GOOD, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_policy_of_a_node_in_a_bundle(tmp_path: Path) -> None:
    taken = run(tmp_path, GOOD, "snapshot", "--seconds", "0", "-o", "bundle", "--format", "json")
    node = json.loads(taken.stdout)["facts"]["nodes_asked"]
    written = run(tmp_path, GOOD, "policy", "from", "bundle", "--node", node)
    assert written.returncode == 0, written.stderr
    assert f'written_from = "{node}"' in written.stdout
    assert "\ngpu-mig = false  # MIG mode\n" in written.stdout
    wrong = run(tmp_path, GOOD, "policy", "from", "bundle", "--node", "elsewhere")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "nothing is known of elsewhere there" in wrong.stderr


def test_what_tools_print_does_not_come_to_the_terminal(tmp_path: Path) -> None:
    report = analyze(
        b"Nov 28 10:00:00 gpu01 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=1, name=a\x1b[31m\x07b, GPU has fallen off the bus.\n"
    )
    line = one_line(replace(report, headline="a\x1b[31m\nb\u202ec"), "gpu\x1b01", "never", 80)
    assert line.isprintable()
    assert len(line) <= 80
    assert one_line(report, "gpu01", "error", 4000).isprintable()


def test_secrets_come_neither_into_a_report_nor_into_a_policy(tmp_path: Path) -> None:
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    root, path = on_disk(GOOD, tmp_path / "node")
    cmdline = Path(root) / "proc/cmdline"
    cmdline.write_text(f"{cmdline.read_text().strip()} pci=x nohz={token}\n")
    env = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
    (tmp_path / "old.log").write_text(f"[root@gpu01 ~]# grep -H . /proc/cmdline\n/proc/cmdline:pci=x nohz={token}\n")
    for words in (
        ("node-check", "--limit", "100", "--root", root, "-o", "whole.json"),
        ("policy", "from", "--root", root, "-o", "policy.toml"),
        ("policy", "from", "./old.log", "-o", "old.toml"),
    ):
        argv = [sys.executable, "-m", "slowlink", *words]
        done = subprocess.run(argv, capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        text = (tmp_path / words[-1]).read_text()
        assert "nohz" in text
        assert token not in text


def test_a_policy_that_nothing_was_held_against_is_not_met(tmp_path: Path, policy: Path) -> None:
    (tmp_path / "ports.log").write_text("mlx5_0 port 1 ==> ib0 (Up)\nmlx5_1 port 1 ==> ib1 (Up)\n")
    (tmp_path / "job.log").write_text("\n".join(f"iteration {n}/50 | loss 0.5 | tokens/s 9000" for n in range(50)))
    argv = [sys.executable, "-m", "slowlink", "analyze", "-q"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def ends(*words: str) -> tuple[int, str]:
        done = subprocess.run([*argv, *words], capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
        return done.returncode, done.stderr

    assert ends("job.log") == (0, "")
    status, said = ends("job.log", "--policy", str(policy))
    assert status == 3
    assert f"nothing was held against {policy}" in said
    assert ends("ports.log", "--policy", str(policy)) == (3, "")
    (tmp_path / "slowlink.toml").write_text(f'policy = "{policy}"\n')
    assert ends("job.log")[0] == 0


def test_metrics_for_node_exporter(tmp_path: Path) -> None:
    done = run(tmp_path, replace(GOOD, slow_port=3), "node-check", "--textfile", str(tmp_path / "node.prom"))
    assert (done.returncode, done.stderr) == (1, "")
    told = (tmp_path / "node.prom").read_text()
    assert 'slowlink_node_check_state{state="not_ok"} 1.0\n' in told
    assert 'slowlink_node_check_cause_findings{cause="port-rate-low",severity="error"} 1.0\n' in told
    assert (tmp_path / "node.prom").stat().st_mode & 0o777 == 0o644


def test_a_full_disk_changes_nothing_of_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job must not be kept away from a good node, nor let onto a sick one, since a file could not be written."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    root, path = on_disk(replace(GOOD, slow_port=3), tmp_path / "node")
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr("slowlink.workflows.metrics.textfile.put_whole", full)
    words = ["node-check", "--limit", "100", "--root", root, "--textfile", str(tmp_path / "node.prom")]
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    assert done.return_value == 1
    assert "not ok: port-rate-low" in done.stdout
    assert "node.prom: No space left on device" in done.stderr
