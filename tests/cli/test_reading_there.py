"""``slowlink analyze --nodes`` as it is typed, with a program in place of ssh that opens a shell in a node's folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from heaps import job, nccl_lines, table
from slowlink.cli.analyze import command
from slowlink.errors import SlowlinkError

SSH = """\
#!/bin/sh
while [ "$1" != -- ]; do shift; done
cd NODES/"$2" 2>/dev/null || { echo "ssh: connect to host $2 port 22: No route to host" >&2; exit 255; }
exec sh -s
"""


@pytest.fixture
def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of nodes: gpu01 and gpu02 have the log of a sick job."""
    place = tmp_path / "nodes"
    log = job("gpu01", "gpu02", sick=True)
    for node, more in (("gpu01", table(log)), ("gpu02", "")):
        (place / node / "log").mkdir(parents=True)
        (place / node / "log" / "job-7.out").write_text(nccl_lines(log, node) + more)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ssh").write_text(SSH.replace("NODES", str(place)))
    (tmp_path / "bin" / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def test_logs_of_two_nodes(nodes: Path) -> None:
    done = invoke("--nodes", "gpu[01-02]", "log/job-*", "--format", "json", "-o", "report.html")
    report = json.loads(done.stdout)
    assert (done.return_value, report["verdict"], report["diagnoses"][0]["cause"]) == (1, "degraded", "gdr-disabled")
    assert [each["path"] for each in report["inputs"]] == ["gpu01:log/job-7.out", "gpu02:log/job-7.out"]
    assert done.stderr == "# reading on gpu[01-02] (--nodes gpu[01-02]); ssh: nodes were named\n"
    assert "gpu02:log/job-7.out" in (nodes / "report.html").read_text()


def test_a_hostfile_a_gate_and_the_headline(nodes: Path) -> None:
    (nodes / "hosts").write_text("gpu01 slots=8\ngpu02 slots=8\n")
    done = invoke("--hostfile", "hosts", "log/job-7.out", "--min-busbw", "350", "--quiet")
    assert done.return_value == 1
    assert done.stdout == snapshot(
        "DEGRADED: gpu01, gpu02: GPUDirect RDMA is off: all 8 channels that receive over NET/IB are staged through host memory; this explains why all_reduce with 16 ranks on 2 nodes reaches 9.4 GB/s of an expected 23, 38% of the ring bound of 2 x 100 Gb/s and a100-sxm (25 GB/s) on the least hardware that the nodes can have\n"
    )
    assert done.stderr == snapshot("""\
# reading on gpu[01-02] (hostfile hosts); ssh: nodes were named
passed: measurement: 1 table complete, nothing wrong in the results
FAILED: busbw >= 350 GB/s: plateau 9.37 GB/s
passed: everything was read: 2 inputs to the end
passed: nothing is broken: what was read failed nowhere
""")


def test_nobody_answers(nodes: Path) -> None:
    (nodes / "job.log").write_text("")
    done = invoke("--nodes", "gpu[07-08]", "job.log", "--quiet")
    assert done.return_value == 3
    assert done.stdout == snapshot(
        "INCONCLUSIVE: 2 of 2 nodes did not answer: gpu[07-08]: no route to it; what these 2 nodes do is unknown\n"
    )
    assert done.stderr == snapshot("""\
# reading on gpu[07-08] (--nodes gpu[07-08]); ssh: nodes were named
# PATH is here, too: to say how many nodes the job has, give a number: --nodes N
""")


def test_a_number_says_how_many_nodes_there_are(nodes: Path) -> None:
    done = invoke("--nodes", "2", "nodes/gpu01/log/job-7.out", "nodes/gpu02", "--format", "json")
    assert [each["path"] for each in json.loads(done.stdout)["inputs"]] == [
        "nodes/gpu01/log/job-7.out",
        "nodes/gpu02/log/job-7.out",
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--nodes", "a", "--hostfile", "x", "y"), "nodes come from one place (one of --nodes, --hostfile)"),
        (("--nodes", "a", "-"), "- is standard input here, not on nodes (name files there)"),
        (("--nodes", "a", "--workers", "2", "y"), "--workers reads here, and --nodes there (leave one of them away)"),
        (("--nodes", "a", "\udcff"), "'\\udcff' is no UTF-8 (name its folder, or use * for such letters)"),
        (("--nodes", "a[", "y"), "cannot read the node set 'a[': "),
        (("--on", "ssh", "y"), "which nodes? None were given"),
        (("--hostfile", "absent", "y"), "cannot read the hostfile absent: No such file or directory (check the path)"),
    ],
)
def test_what_cannot_be_asked(nodes: Path, words: tuple[str, ...], told: str) -> None:
    with pytest.raises((SlowlinkError, click.UsageError)) as error:
        invoke(*words)
    assert isinstance(error.value, SlowlinkError)
    assert f"{error.value.message} ({error.value.hint})".startswith(told)
