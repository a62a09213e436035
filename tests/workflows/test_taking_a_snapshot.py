"""Whom a snapshot asks, what it stores, and who is asked about the fabric. Shells of this machine stand for nodes."""

from __future__ import annotations

import json
import os
import platform
import re
import stat
from pathlib import Path
from typing import ClassVar

import pytest
from msgspec import Struct
from msgspec.structs import replace

from slowlink.bundle import BundleWriter, disk
from slowlink.collectors.catalogue import Collector, collector
from slowlink.errors import SlowlinkError
from slowlink.launch.fanout.ask import Answer
from slowlink.launch.fanout.pods import running
from slowlink.launch.fanout.ways import Here, OverKubernetes, OverSlurm, OverSsh
from slowlink.model.plan import Allocation, Node
from slowlink.parsers.context.collector_frames import NODE
from slowlink.workflows.analyze import analyze
from slowlink.workflows.snapshot import Question, Taken, take, transcript
from slowlink.workflows.snapshot_nodes import Given, destination

MARK = "00112233445566778899aabbccddeeff"
PROGRAMS = {"ssh": "/usr/bin/ssh", "srun": "/usr/bin/srun", "kubectl": "/usr/bin/kubectl"}
NAMED = Allocation((Node("gpu01"), Node("gpu02")), "--nodes gpu[01-02]")


class ByName(Struct, frozen=True):
    """A way that tells the shell which node it stands for."""

    name: ClassVar[str] = "ssh"

    def argv(self, node: Node) -> tuple[str, ...]:
        return ("env", f"NODE={node.name}", "sh", "-s")

    def lost(self, status: int, stderr: str) -> bool:
        return status == 255


def made(name: str, body: str, **header: str) -> Collector:
    return collector(name, "".join(f"# {k}: {v}\n" for k, v in {"title": "made up", **header}.items()) + body)


def question(*collectors: Collector, nodes: int = 3, limit_s: float = 30) -> Question:
    allocation = Allocation(tuple(Node(f"gpu0{number}") for number in range(1, nodes + 1)), "test")
    return Question(allocation, ByName(), collectors, limit_s, sample_s=0)


def taken(asked: Question, place: Path) -> Taken:
    with BundleWriter(place) as bundle:
        return take(asked, bundle, MARK, lambda answer: None)


def stored(place: Path, name: str) -> str:
    return (place / "captures" / name / "stdout").read_text()


def test_each_node_has_its_transcript(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    went = taken(question(made("who", 'echo "I am $NODE"')), place)
    assert (sorted(went.answered), went.lost) == (["gpu01", "gpu02", "gpu03"], {})
    text = stored(place, "state/gpu02")
    assert re.match(rf"#slowlink-transcript 1 {MARK} host \S+ node gpu02 at [\d.]+\n", text)
    assert "\nI am gpu02\n" in text
    report = analyze(place)
    assert (report.facts["nodes_asked"], report.facts["not_collected"]) == ("gpu[01-03]", [])


def test_what_was_not_collected_is_folded(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    root = made("acs", '[ "$NODE" = gpu03 ] || { echo "needs root" >&2; exit 77; }')
    broken = made("broken", '[ "$NODE" != gpu01 ] || { echo "no device" >&2; exit 2; }')
    taken(question(root, broken), place)
    assert analyze(place).facts["not_collected"] == [
        {"collector": "acs", "outcome": "skipped", "why": "needs root", "nodes": "gpu[01-02]"},
        {"collector": "broken", "outcome": "failed", "why": "exit status 2: no device", "nodes": "gpu01"},
    ]


def test_one_node_is_asked_about_the_fabric(tmp_path: Path) -> None:
    place, seen = tmp_path / "bundle", tmp_path / "seen"
    net = made("ibnet", f'echo "$NODE" >>{seen}; echo the fabric', when="fabric", needs="fabric-tool")
    program = tmp_path / "bin" / "fabric-tool"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(stat.S_IRWXU)
    asked = question(made("who", "echo here"), net)

    class SecondHasIt(ByName, frozen=True):
        def argv(self, node: Node) -> tuple[str, ...]:
            path = f"{program.parent}:{os.environ['PATH']}" if node.name != "gpu01" else os.environ["PATH"]
            return ("env", f"NODE={node.name}", f"PATH={path}", "sh", "-s")

    went = taken(Question(asked.allocation, SecondHasIt(), asked.collectors, 30, 0), place)
    assert went.offers == {"ibnet": "gpu02"}
    assert seen.read_text() == "gpu02\n"
    assert "\nthe fabric\n" in stored(place, "fabric/gpu02")
    assert "the fabric" not in stored(place, "state/gpu02")


class Breaking(ByName, frozen=True):
    """The connection is lost when the shell is killed: as ssh, it then ends with 255."""

    def argv(self, node: Node) -> tuple[str, ...]:
        script = "sh -c 'SHELL_PID=$$ exec sh -s'; [ $? -lt 128 ] || exit 255"
        return ("env", f"NODE={node.name}", "sh", "-c", script)


def test_a_node_that_is_lost_half_way_is_unknown(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    asked = question(made("a", "echo first"), made("b", '[ "$NODE" != gpu02 ] || kill -9 "$SHELL_PID"'))
    went = taken(Question(asked.allocation, Breaking(), asked.collectors, 30, 0), place)
    assert list(went.lost) == ["gpu02"]
    text = stored(place, "state/gpu02")
    assert "\nfirst\n" in text
    assert text.splitlines()[-1].startswith(f"#slowlink-frame {MARK} lost {NODE} at ")
    report = analyze(place)
    assert (report.verdict, [each.cause for each in report.diagnoses]) == ("inconclusive", ["nodes-unanswered"])


def test_what_a_transcript_says_of_itself() -> None:
    silent = Answer("gpu07", None, "", "", 1767225600.0, 20.0, "no answer within 20 s")
    assert transcript(silent, MARK) == (
        f"#slowlink-transcript 1 {MARK} host gpu07 at 1767225600.000\n"
        f"#slowlink-frame {MARK} lost node at 1767225620.000: no answer within 20 s\n"
    )
    # A banner of the login, and somebody else's head.
    said = f"Welcome!\n#slowlink-transcript 1 77 host x at 1\n#slowlink-transcript 1 {MARK} host a.b at 5.25\nrest"
    assert transcript(Answer("gpu01", 0, said, "", 5.0, 1.0, ""), MARK) == said.replace(
        "host a.b", "host a.b node gpu01"
    )


def test_of_many_captures_the_manifest_follows_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "bundle"
    written: list[Path] = []
    replace_text = disk.replace_text

    def counted(path: Path, text: str) -> None:
        written.append(path)
        replace_text(path, text)

    monkeypatch.setattr(disk, "replace_text", counted)
    monkeypatch.setattr("slowlink.bundle.writer._SELDOM_S", 3600.0)
    with BundleWriter(place) as bundle:
        with bundle.many():
            for number in range(200):
                with bundle.capture(f"state/gpu{number}", "state", (), node=f"gpu{number}") as capture:
                    capture.write_stdout("x\n")
        manifest = json.loads((place / "manifest.json").read_text())
        # At the beginning, and at the end of the many.
        assert len(written) == 2
    assert [each["ended"]["reason"] for each in manifest["captures"]] == ["written"] * 200


def test_who_is_asked() -> None:
    inside = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "gpu[01-02]"}
    assert destination(Given(allocation=NAMED), inside, PROGRAMS) == (
        NAMED,
        OverSsh("/usr/bin/ssh"),
        "nodes were named",
    )
    allocation, way, reason = destination(Given(), inside, PROGRAMS)
    assert ([node.name for node in allocation.nodes], way) == (["gpu01", "gpu02"], OverSlurm("/usr/bin/srun"))
    assert reason == "inside the allocation of Slurm job 7"
    allocation, way, _ = destination(Given(), {}, PROGRAMS)
    assert ([node.name for node in allocation.nodes], way) == ([platform.node()], Here())
    given = Given(on="kubernetes", allocation=NAMED, namespace="hpc")
    assert destination(given, {}, PROGRAMS)[1] == OverKubernetes("/usr/bin/kubectl", None, "hpc")


@pytest.mark.parametrize(
    ("given", "programs", "slug"),
    [
        (Given(on="slurm"), PROGRAMS, "no-nodes"),
        (Given(on="ssh"), PROGRAMS, "no-nodes"),
        (Given(on="kubernetes"), PROGRAMS, "no-nodes"),
        (Given(on="local", allocation=NAMED), PROGRAMS, "usage"),
        (Given(allocation=NAMED), {}, "no-ssh"),
        (Given(pods="app=x"), {}, "no-kubectl"),
    ],
)
def test_nobody_to_ask(given: Given, programs: dict[str, str], slug: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        destination(given, {}, programs)
    assert (caught.value.slug, bool(caught.value.hint)) == (slug, True)


PODS = {
    "items": [
        {"metadata": {"name": name}, "spec": {"nodeName": node}, "status": {"phase": "Running"}}
        for name, node in (("a-1", "gpu01"), ("a-2", "gpu01"), ("a-3", "gpu02"))
    ]
}


def test_one_pod_stands_for_its_node_or_each_is_asked_by_its_own_name(tmp_path: Path) -> None:
    program = tmp_path / "kubectl"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(PODS)}\nEND\n")
    program.chmod(0o755)
    given = Given(pods="app=x", container="main")
    allocation, way, _ = destination(given, {}, {"kubectl": str(program)})
    assert allocation.nodes == (Node("gpu01", address="a-1"), Node("gpu02", address="a-3"))
    assert way == OverKubernetes(str(program), None, None, "main")
    every, _, _ = destination(replace(given, every_pod=True), {}, {"kubectl": str(program)})
    assert every.nodes == tuple(Node(name, address=name) for name in ("a-1", "a-2", "a-3"))


def test_pods_stand_for_their_nodes() -> None:
    def pod(name: str, node: str, phase: str = "Running") -> dict[str, object]:
        return {"metadata": {"name": name}, "spec": {"nodeName": node}, "status": {"phase": phase}}

    document = json.dumps(
        {"items": [pod("a-1", "gpu01"), pod("a-2", "gpu02", "Pending"), {"spec": 7}, pod("a-3", "gpu03")]}
    )
    assert list(running(document)) == [Node("gpu01", address="a-1"), Node("gpu03", address="a-3")]
    for text in ("", "7", "[]", '{"items": 7}', '{"items": [1, null]}'):
        assert list(running(text)) == []
