"""``slowlink act --drain``: what it prints and asks for, with a scontrol of our own."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from slowlink.cli.main import cli
from slowlink.model.report import Diagnosis, Report, Suspect
from slowlink.report.json import plain_json

NODES = ["gpu01", "gpu02", "ALL", "-oProxyCommand=reboot", "$(reboot)"]

SCONTROL = """\
#!/bin/sh
# Nodes gpu01 to gpu30, that hold what was last said of them.
printf '%s|' "$@" >>HERE/asked; echo >>HERE/asked
show() {
    printf 'NodeName=%s Arch=x86_64\\n   NodeAddr=%s NodeHostName=%s\\n' $1 $1 $1
    if [ -e HERE/$1 ]; then
        printf '   State=IDLE+DRAIN ThreadsPerCore=1\\n   Reason=%s [root@2026-11-28T14:02:18]\\n\\n' "$(cat HERE/$1)"
    else
        printf '   State=IDLE ThreadsPerCore=1\\n\\n'
    fi
}
name=${2#NodeName=}
case "$1 $2 $3" in
"show config ") echo "ClusterName             = lab" ;;
"show node --") show $4 ;;
"show node ") for n in $(seq -f %02g 30); do show gpu$n; done ;;
"update $2 State=DRAIN") [ $name != gpu02 ] || { echo 'slurm_update error: Invalid user id' >&2; exit 1; }
    printf %s "${4#Reason=}" >HERE/$name ;;
"update $2 State=UNDRAIN") rm HERE/$name ;;
*) exit 9 ;;
esac
"""


def found(node: str) -> Diagnosis:
    return Diagnosis("gpu-missing", "A GPU is missing", "7 of 8", "node", "error", "certain", (Suspect("node", node),))


def slowlink(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["act", *arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved report, and a scontrol on PATH that writes down what it is asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "scontrol").write_text(SCONTROL.replace("HERE", str(tmp_path)))
    (tmp_path / "bin" / "scontrol").chmod(0o755)
    save(NODES)
    return tmp_path


def save(nodes: list[str]) -> str:
    """The id of the report."""
    facts: dict[str, object] = {"state_nodes": [*nodes, "gpu03"]}
    report = Report("slowlink.report/1", "0.1.0", "degraded", "so", diagnoses=tuple(map(found, nodes)), facts=facts)
    Path("report.json").write_text(plain_json(report))
    return hashlib.sha256(Path("report.json").read_bytes()).hexdigest()[:12]


def asked(here: Path) -> list[str]:
    return (here / "asked").read_text().splitlines() if (here / "asked").exists() else []


def test_without_apply_it_is_only_shown(here: Path) -> None:
    number = save(NODES)
    for words in ((), ("--dry-run",)):
        done = slowlink("report.json", "--drain", *words)
        assert done.return_value == 1
        assert done.stdout.partition("open")[2].partition("\n")[2].replace(number, "REPORT") == snapshot("""\
to be drained in Slurm: 2 nodes of 30
  gpu[01-02]: slowlink: gpu-missing REPORT
left as they are
  ALL,-oProxyCommand=reboot,$(reboot): no host is called so
nothing was done; --apply does it
""")
    assert asked(here) == ["show|node|"] * 2
    assert not (here / "state").exists()


def test_with_apply_it_is_done_and_given_back(here: Path) -> None:
    number = save(NODES)
    done = slowlink("report.json", "--drain", "--apply")
    assert done.return_value == 1
    assert done.stdout.partition("called so\n")[2].replace(number, "REPORT") == snapshot("""\
drained
  gpu01: slowlink: gpu-missing REPORT
not drained
  gpu02: Slurm does not allow it to this user (slurm_update error: Invalid user id)
""")
    record, way_back = done.stderr.splitlines()
    path = Path(record.removeprefix("record: "))
    assert path.parent == here / "state" / "slowlink" / "drained"
    assert way_back == f"to give them back: slowlink act --rollback {path}"
    assert [line for line in asked(here) if line.startswith("update")] == [
        f"update|NodeName=gpu01|State=DRAIN|Reason=slowlink: gpu-missing {number}|",
        f"update|NodeName=gpu02|State=DRAIN|Reason=slowlink: gpu-missing {number}|",
    ]
    back = slowlink("--rollback", "--nodes", "gpu01,gpu09")
    assert back.return_value == 1
    assert back.stderr == f"slowlink: gpu09 is not in {path}\n"
    assert back.stdout == f"given back\n  gpu01\nrecord: {path}\n"
    assert asked(here)[-1] == "update|NodeName=gpu01|State=UNDRAIN|"
    assert slowlink("--rollback").stdout == f"nothing is left to give back there\nrecord: {path}\n"


def test_done_twice_is_done_once(here: Path) -> None:
    save(["gpu01"])
    assert slowlink("report.json", "--drain", "--apply").return_value == 0
    assert slowlink("report.json", "--drain", "--apply").return_value == 0
    assert sum(line.startswith("update") for line in asked(here)) == 1
    assert len([*(here / "state" / "slowlink" / "drained").iterdir()]) == 1


def test_a_program_that_is_missing_or_does_not_answer(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "bin" / "scontrol").write_text("#!/bin/sh\necho 'slurm_load_node error: Socket timed out' >&2\nexit 1\n")
    done = slowlink("report.json", "--drain", "--apply")
    assert done.return_value == 3
    assert done.stderr.startswith("slowlink: cannot list the nodes: Slurm's controller did not answer")
    (here / "bin" / "scontrol").unlink()
    monkeypatch.setattr("slowlink.workflows.draining.session.find_programs", dict)
    for option, program in (("--drain", "scontrol"), ("--cordon", "kubectl")):
        done = slowlink("report.json", option)
        assert getattr(done.exception, "message", "") == f"there is no {program} on PATH"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "which report? None was named"),
        (["report.json", "--apply"], "--apply of what?"),
        (["report.json", "--most", "3"], "--most of what?"),
        (["report.json", "-o", "records"], "-o of what?"),
        (["report.json", "--drain", "--cordon"], "--drain is Slurm's and --cordon Kubernetes'"),
        (["report.json", "--drain", "--apply", "--dry-run"], "--apply changes nodes; --dry-run does not"),
        (["report.json", "--rollback"], "--rollback goes by its record alone"),
        (["--rollback", "--apply"], "--rollback goes by its record alone"),
        (["--rollback", "--tickets", "t"], "--rollback goes by its record alone"),
        (["--resume"], "act gives nodes back with --rollback"),
    ],
)
def test_options_that_say_nothing_together(here: Path, words: list[str], message: str) -> None:
    done = slowlink(*words)
    assert getattr(done.exception, "slug", "") == "usage"
    assert getattr(done.exception, "message", "") == message
    assert asked(here) == []


def test_without_a_record_there_is_nothing_to_give_back(here: Path) -> None:
    done = slowlink("--rollback")
    assert getattr(done.exception, "slug", "") == "no-record"


def test_who_is_not_given_back_is_told_so(here: Path) -> None:
    """Of another cluster, and where the scheduler refuses."""
    save(["gpu01"])
    slowlink("report.json", "--drain", "--apply")
    scontrol = here / "bin" / "scontrol"
    whole = scontrol.read_text()
    for old, new, words in (
        ("= lab", "= other", "this is not the node that was taken out"),
        ("rm HERE/$name".replace("HERE", str(here)), "echo 'Invalid user id' >&2; exit 1", "Slurm does not allow it"),
    ):
        scontrol.write_text(whole.replace(old, new))
        done = slowlink("--rollback")
        assert done.return_value == 1
        assert done.stdout.startswith(f"not given back\n  gpu01: {words}")
    scontrol.write_text(whole)
    assert slowlink("--rollback").stdout.startswith("given back\n  gpu01\n")
