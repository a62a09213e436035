"""``slowlink nodes`` and its checks, with an ssh of our own that answers for made-up nodes."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from slowlink.cli.nodes import command
from slowlink.errors import SlowlinkError

FAKE_SSH = """\
#!/bin/sh
# Stands for ssh: after -- the host and the remote command, which reads its script. Options are kept to be looked at.
echo "$*" >>"$LOG"
while [ "$1" != -- ]; do shift; done
host=$2
shift 2
case $host in
gone) echo "ssh: connect to host gone port 22: Connection timed out" >&2; exit 255 ;;
nosuch) echo "ssh: Could not resolve hostname nosuch: Name or service not known" >&2; exit 255 ;;
loud) printf 'sorry \\033]0;owned\\007\\n' >&2; exit 3 ;;
locked) echo "me@locked: Permission denied (publickey,password)." >&2; exit 255 ;;
changed) echo "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @" >&2; exit 255 ;;
bare) echo "slowlink-check path 0 missing"; echo "slowlink-check path 1 missing" ; exit 0 ;;
old) "$@" | sed 's/^slowlink-check package 0 .*/slowlink-check package 0 0.0.1/' ;;
*) "$@" ;;
esac
"""


@pytest.fixture
def ssh_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ``ssh`` that is found first, and what it was called with."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(FAKE_SSH)
    program.chmod(stat.S_IRWXU)
    mpirun = program.with_name("mpirun")
    mpirun.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 5.0.99'\n")
    mpirun.chmod(stat.S_IRWXU)
    log = tmp_path / "log"
    monkeypatch.setenv("LOG", str(log))
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return log


def invoke(*arguments: str, stdin: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(command, arguments, input=stdin, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.output


@pytest.fixture(autouse=True)
def outside_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)


def test_a_node_set() -> None:
    assert invoke("--nodes", "gpu[02-03],gpu01") == (
        0,
        "3 nodes: gpu[01-03]\n  from --nodes gpu[02-03],gpu01\n",
    )


def test_a_hostfile(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("a slots=8\nb slots=8\nc slots=4\n")
    status, text = invoke("--hostfile", str(path))
    assert (status, text) == (
        0,
        f"3 nodes: a,b,c\n  from hostfile {path}\n  8 slots: a,b\n  4 slots: c\n",
    )


def test_the_allocation_around_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "gpu[07-09]")
    monkeypatch.setenv("SLURM_JOB_CPUS_PER_NODE", "64(x2),32")
    assert invoke() == (
        0,
        "3 nodes: gpu[07-09]\n  from SLURM_JOB_NODELIST=gpu[07-09]\n  64 slots: gpu[07-08]\n  32 slots: gpu09\n",
    )


def test_json_on_standard_input() -> None:
    document = {"gpus": {"sensitive": False, "type": "list", "value": ["10.0.0.1", "10.0.0.2"]}}
    status, text = invoke("-", stdin=json.dumps(document))
    assert (status, text) == (0, "2 nodes: 10.0.0.[1-2]\n  from output gpus of standard input\n")


def test_json_out() -> None:
    status, text = invoke("--nodes", "admin@a,b", "--format", "json")
    document = json.loads(text)
    assert status == 0
    assert [(node["name"], node["user"]) for node in document["nodes"]] == [("a", "admin"), ("b", None)]
    assert document["checks"] is None


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        ((), "no-nodes"),
        (("--nodes", ""), "no-nodes"),
        (("--nodes", "gpu[1-"), "bad-node-set"),
        (("--nodes", "$(reboot)"), "bad-node-set"),
        (("--nodes", "-oProxyCommand=reboot"), "bad-node-set"),
        (("--nodes", "@no-such-group"), "no-nodes"),
        (("--hostfile", "/nonexistent/hosts"), "input-not-found"),
        (("--nodes", "a", "--hostfile", "b"), "usage"),
        (("-",), "bad-json"),
    ],
)
def test_what_names_no_nodes(arguments: tuple[str, ...], slug: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        invoke(*arguments)
    assert caught.value.slug == slug
    assert caught.value.hint


def test_nodes_like_this_one_are_good(ssh_log: Path) -> None:
    status, text = invoke("--nodes", "a,b", "--check", "--program", "/bin/sh")
    assert status == 0
    lines = text.splitlines()[2:]
    assert lines[0] == "ok  login: works: a,b"
    assert [line for line in lines if not line.startswith("ok ")] == snapshot(
        [" ?  TCP between nodes: not tried (it takes Python on the nodes, and names that they know): a,b"]
    )
    assert "ok  /bin/sh: there: a,b" in lines
    assert any(line.startswith(f"ok  slowlink in {sys.executable}: ") for line in lines)
    for call in ssh_log.read_text().splitlines():
        if "BatchMode" in call:
            assert "StrictHostKeyChecking=accept-new" in call


def test_what_differs_is_bad(ssh_log: Path) -> None:
    status, text = invoke("--nodes", "a,b,old,bare,gone,nosuch,locked,changed", "--check", "--program", "/bin/sh")
    assert status == 1
    assert "ok  login: works: a,b,bare,old" in text
    assert "BAD login: no answer on the ssh port: gone" in text
    assert "BAD login: the name of a node is not known: nosuch" in text
    assert "BAD login: a node refuses the login: locked" in text
    assert "BAD login: the host key of a node is not the one that was known: changed" in text
    assert f"BAD slowlink in {sys.executable}: 0.0.1" in text
    assert "BAD /bin/sh: missing (expected there): bare" in text


def test_what_a_node_says_steers_no_terminal(ssh_log: Path) -> None:
    _, text = invoke("--nodes", "a,loud", "--check")
    assert "\\x1b]0;owned\\x07" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("zone", ["e\nnode2 slots=9", "\x1b]0;owned\x07", "$(id)", "\u202e", ""])
def test_an_address_with_any_text_for_an_interface_is_none(zone: str) -> None:
    document = [
        {"name": "gpu\n1", "privateIpAddress": f"fe80::1%{zone}"},
        {"name": "b", "privateIpAddress": "fe80::2%eth0"},
    ]
    status, text = invoke("-", stdin=json.dumps(document))
    assert (status, text.splitlines()[0]) == (0, "1 node: b")


def test_nothing_reachable(ssh_log: Path) -> None:
    assert invoke("--nodes", "gone,nosuch", "--check")[0] == 3


def test_a_benchmark_is_named_by_its_whole_path(ssh_log: Path) -> None:
    with pytest.raises(SlowlinkError, match="not an absolute path"):
        invoke("--nodes", "a", "--check", "--program", "all_reduce_perf")
