"""Files that lie on nodes, with shells of this machine in place of theirs."""

from __future__ import annotations

import glob
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec import Struct

from slowlink.inputs import Input
from slowlink.launch.fanout.ask import Answer
from slowlink.launch.fanout.ways import Way
from slowlink.model import plan
from slowlink.model.plan import Allocation
from slowlink.model.report import Report
from slowlink.parsers.reading.read import joined, read_one
from slowlink.parsers.reading.sent import NO_ROOM, packed, taken_out
from slowlink.parsers.reading.sent_back import alone
from slowlink.parsers.reading.source import BROKEN_OFF
from slowlink.workflows.read_there import ask, frames
from slowlink.workflows.read_there.ask import _NO_ROOM as NO_MORE
from slowlink.workflows.read_there.ask import Node, Question, ask_nodes, take
from slowlink.workflows.read_there.frames import Brought, coded, frame, heard, whole_text
from slowlink.workflows.read_there.paths import DENIED, matches_of
from slowlink.workflows.read_there.report import _believed, analyze_there, found_by_all
from slowlink.workflows.read_there.shell import script_for

OWN = (sys.executable, "-m", "slowlink")
NOWHERE = ("/nowhere/slowlink",)
NUMA = "/proc/sys/kernel/numa_balancing:1\n"
HOSTILE = (
    "$(touch ran)",
    "`touch ran`",
    "a b",
    "-rf",
    "new\nline",
    "'; touch ran; '",
    '"',
    "*",
    "[x]",
    "\\",
    "é",
    ".hid",
)


class EachItsOwn(Struct, frozen=True):
    """A way to nodes of which each has a home of its own below ``top``."""

    top: str
    name: ClassVar[str] = "ssh"

    def argv(self, node: plan.Node) -> tuple[str, ...]:
        script = 'cd "$1" 2>/dev/null && exec sh -s; echo ssh: No route to host >&2; exit 255'
        return ("sh", "-c", script, "sh", f"{self.top}/{node.name}")

    def lost(self, status: int, stderr: str) -> bool:
        return status == 255


def question(top: Path, *paths: str, nodes: int = 2, program: tuple[str, ...] = OWN, limit_s: float = 60) -> Question:
    names = [f"gpu{number:02d}" for number in range(1, nodes + 1)]
    way: Way = EachItsOwn(str(top))
    return Question(Allocation(tuple(map(plan.Node, names)), "test"), way, paths, (program,), limit_s=limit_s)


def put(top: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def inputs(report: Report) -> list[tuple[str, int, str | None]]:
    return [(each.path, each.lines, each.problem) for each in report.inputs]


@pytest.mark.parametrize("program", [OWN, NOWHERE])
def test_each_file_is_of_its_node_and_line(tmp_path: Path, program: tuple[str, ...]) -> None:
    put(
        tmp_path,
        {"gpu01/log/a.txt": f"# one\n{NUMA}", "gpu02/log/a.txt": NUMA.replace("1", "0"), "gpu02/log/b.md": "x\n"},
    )
    report = analyze_there(question(tmp_path, "log/*.txt", program=program)).report
    assert inputs(report) == [("gpu01:log/a.txt", 2, None), ("gpu02:log/a.txt", 1, None)]
    (finding,) = [each for each in report.findings if each.cause == "numa-balancing-on"]
    assert [suspect.name for suspect in finding.suspects] == ["gpu01"]
    assert [(each.source, each.line) for each in finding.evidence] == [("gpu01:log/a.txt", 2)]


@pytest.mark.parametrize("program", [OWN, NOWHERE])
def test_names_are_no_commands(tmp_path: Path, program: tuple[str, ...]) -> None:
    home = tmp_path / "gpu01"
    put(home, {f"logs/{name}": NUMA for name in HOSTILE} | {f"{name}/x": NUMA for name in HOSTILE})
    wanted = ("logs/?*", *(f"logs/{name}" for name in HOSTILE), "?*/x", "no/'; touch ran; '*")
    nodes, _ = ask_nodes(question(tmp_path, *wanted, nodes=1, program=program), lambda _: None)
    found = {stats.path for _, stats, _ in found_by_all(nodes, wanted) if stats.problem is None}
    assert found == {
        *(f"gpu01:logs/{name}" for name in HOSTILE),
        *(f"gpu01:{name}/x" for name in HOSTILE if name != ".hid"),
    }
    assert nodes[0].missing == [("no/'; touch ran; '*", "no such file there: check the path, or leave the node out")]
    assert not list(tmp_path.rglob("ran"))


NAMES = st.sampled_from(["a", "b", "ab", ".a", "[a]", "*", "a*"])
PARTS = st.sampled_from(["a", "b", "*", "?", "a*", "[ab]", "[!a]", ".*", "[a]", "*b"])


@settings(max_examples=60)
@example([[".a", "a", ".a"], ["b", "a", ".a"]], ["*", "a", ".*"])
@given(st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=6), st.lists(PARTS, min_size=1, max_size=3))
def test_wildcards_stand_for_what_they_stand_for_in_a_shell(
    tmp_path_factory: pytest.TempPathFactory, tree: list[list[str]], parts: list[str]
) -> None:
    top = tmp_path_factory.mktemp("tree")
    for names in tree:
        path = top.joinpath(*names)
        if not any(each.is_file() for each in (path, *path.parents)):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text("x")
    pattern = "/".join([str(top), *parts])
    literal = [pattern] if os.path.lexists(pattern) else None
    assert matches_of(pattern).found == (
        literal
        or sorted(
            glob.glob(pattern),  # noqa: PTH207
            key=lambda name: name.split("/"),
        )
    )
    script = script_for([pattern], "abc", [NOWHERE], limit_s=9, room=1 << 20)
    brought = heard(subprocess.run(["sh", "-s"], input=script, text=True, capture_output=True).stdout, "abc").files
    below = [each for match in matches_of(pattern).found for each in [Path(match), *Path(match).rglob("*")]]
    assert sorted(file.path for file in brought) == sorted(str(each) for each in below if each.is_file())


def test_what_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"open/a": "x", "shut/a": "x"})
    real = os.listdir

    def refusing(path: str) -> list[str]:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "listdir", refusing)
    found = matches_of(f"{tmp_path}/*/*")
    assert (found.found, found.missing) == ([f"{tmp_path}/open/a"], [(f"{tmp_path}/shut", DENIED)])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can ask as somebody else")
@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("*/a", ["open/a", "shut"]),
        ("", ["open/a", "shut"]),
        ("shut/a", ["shut/a"]),
        ("shut/*", ["shut"]),
    ],
)
def test_what_another_user_may_not_read_is_named_where_files_are_brought(path: str, missing: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        put(Path(place), {"open/a": "x", "shut/a": "x"})
        Path(place).chmod(0o755)
        (Path(place) / "open" / "a").chmod(0o600)
        (Path(place) / "shut").chmod(0o700)
        wanted = f"{place}/{path}".rstrip("/")
        script = script_for([wanted], "abc", [NOWHERE], limit_s=9, room=1 << 20)
        argv = ["setpriv", "--reuid=65534", "--clear-groups", "sh", "-s"]
        done = subprocess.run(argv, input=script, text=True, capture_output=True)
        node = Node("gpu01")
        take(node, answer(done.stdout, stderr=done.stderr), heard(done.stdout, "abc"), [wanted])
        assert sorted(node.missing) == [(f"{place}/{name}", DENIED) for name in missing]
        assert (node.lost, node.brought) == ("", [])


def test_nodes_without_an_answer_are_told_once_for_each_trouble(tmp_path: Path) -> None:
    put(tmp_path, {"gpu01/a.log": NUMA, "gpu04/b.log": ""})
    heap = analyze_there(question(tmp_path, "a.log", nodes=4))
    assert inputs(heap.report) == snapshot(
        [
            ("gpu01:a.log", 1, None),
            ("gpu04:a.log", 0, "no such file there: check the path, or leave the node out"),
            ("gpu[02-03]:a.log", 0, "no route to it"),
        ]
    )
    assert heap.report.headline == snapshot(
        "inconclusive: 2 of 4 nodes did not answer: gpu[02-03]: no route to it; what these 2 nodes do is unknown; "
        "not everything was read: gpu04:a.log: no such file there: check the path, or leave the node out"
    )


def answer(text: str, **changed: object) -> Answer:
    given = {"status": 0, "stderr": "", "trouble": "", **changed}
    return Answer("gpu01", stdout=text, started_at=0.0, seconds=1.0, **given)  # type: ignore[arg-type]


def sent(path: str, text: str = NUMA, file: tuple[int, int] | None = None) -> bytes:
    return packed(alone(read_one(Input(path, None, [text.encode()]), 1)), file)


def test_what_came_before_a_node_died_counts_and_the_node_is_lost() -> None:
    text = frame("abc", "reads") + frame("abc", "sent", coded(sent("/a")))
    node = Node("gpu01")
    take(
        node,
        answer(text + frame("abc", "sent", coded(sent("/b")))[:60], trouble="the connection was lost"),
        heard(text, "abc"),
        ["/*"],
    )
    assert ([each.stats.path for each in node.sent], node.lost) == (["/a"], "the connection was lost")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "its answer was cut"),
        (frame("abc", "reads"), "its answer was cut"),
        (
            frame("abc", "sent", coded(b"x")) + frame("abc", "done"),
            "what it sent is not what slowlink sends, and is not believed",
        ),
        (frame("abc", "ended", "137"), "slowlink there ended with status 137"),
        (frame("xyz", "sent", coded(sent("/a"))) + frame("xyz", "done"), "its answer was cut"),
    ],
)
def test_why_a_node_is_lost(text: str, why: str) -> None:
    node = Node("gpu01")
    take(node, answer(text), heard(text, "abc"), ["/a"])
    assert (node.sent, node.lost) == ([], why)


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from([
    "#slowlink-sent abc ", "#slowlink-file abc 3 0 YQ==", "#slowlink-file abc 99999999999999999999 -1 !", "#slowlink-end abc",
    "#slowlink-path abc 0", "#slowlink-path abc 999999999999", "#slowlink-missing abc YQ== YQ==", "#slowlink-denied abc YQ==",
    "#slowlink-done abc", "#slowlink-brings abc", "#slowlink-other abc \x1b[31m", "#slowlink-ended abc x", "H4sIAAAAAAAAA",
]))))  # fmt: skip
def test_whatever_a_node_prints_is_taken_apart(lines: list[str]) -> None:
    text = "\n".join(lines)
    node = Node("gpu01")
    take(node, answer(text), heard(text, "abc"), ["/a", "/b"])
    assert node.sent == []
    assert all(stats.path.startswith("gpu01:") for _, stats, _ in found_by_all([node], ["/a", "/b"]))


def test_a_file_that_nodes_share_counts_once_and_is_of_none_of_them() -> None:
    def node(name: str, *files: tuple[str, tuple[int, int]]) -> Node:
        return Node(name, [taken_out(sent(path, file=file)) for path, file in files], lost="")

    shared = [node(name, ("/home/job.out", (7, 8)), ("/var/own", (int(name[-1]), 9))) for name in ("gpu01", "gpu02")]
    found = [(stats.path, stats.node) for _, stats, _ in found_by_all(shared, ["/x"])]
    assert found == [
        ("gpu[01-02]:/home/job.out", None),
        ("gpu01:/var/own", "gpu01"),
        ("gpu02:/var/own", "gpu02"),
    ]


@pytest.mark.parametrize(("program", "problem"), [(OWN, NO_ROOM), (NOWHERE, "only a part of its 376,001 bytes came")])
def test_what_has_no_room_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: tuple[str, ...], problem: str
) -> None:
    monkeypatch.setattr(ask, "MOST_ROOM", (1 << 16) + 8000)
    monkeypatch.setattr(ask, "LEAST_ROOM", 1)
    noise = random.Random(7)
    lines = "".join(f"export NCCL_X{noise.getrandbits(64):016x}={noise.getrandbits(64):016x}\n" for _ in range(8000))
    put(tmp_path, {"gpu01/a.log": lines[: 400_000 - 1] + "\n", "gpu01/b.log": NUMA})
    heap = analyze_there(question(tmp_path, "*.log", nodes=1, program=program))
    assert (heap.report.inputs[0].path, heap.report.inputs[0].problem) == ("gpu01:a.log", problem)
    assert heap.report.verdict != "healthy"
    assert heap.nodes[0].lost == ("" if program == OWN else NO_MORE)


def test_of_a_cut_file_the_lines_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_FILE_BYTES", 20)
    monkeypatch.setattr(frames, "LAST_BYTES", 8)
    text = "".join(f"line {number:03d}\n" for number in range(1, 101))
    cut = Brought("/a", len(text), text[:12].encode() + text[-8:].encode(), is_whole=False, lines=100)
    whole = whole_text(cut).decode()
    assert whole.splitlines()[:3] == ["line 001", "lin", "[... 880 bytes are left out here ...]"]
    assert (whole.count("\n"), whole.splitlines()[-1]) == (100, "ine 100")


def test_a_node_that_makes_records_up_costs_its_own_and_no_others() -> None:
    nodes = [Node(name, [taken_out(sent(f"/{name}"))], lost="") for name in ("gpu01", "liar", "gpu03")]

    def report(of: list[Node]) -> list[tuple[str, str]]:
        if any(node.name == "liar" and node.sent for node in of):
            raise KeyError("no such attribute")
        return [(node.name, node.lost) for node in of]

    assert _believed(nodes, report) == [  # type: ignore[arg-type, comparison-overlap]
        ("gpu01", ""),
        ("liar", "what it sent makes no sense, and is not believed"),
        ("gpu03", ""),
    ]


def test_a_defect_of_ours_is_nobodys_lie() -> None:
    def broken(of: list[Node]) -> Report:
        if len(of) > 1:
            raise KeyError("ours")
        return analyze_nothing()

    def analyze_nothing() -> Report:
        from slowlink.workflows.analyze import report_of

        return report_of(joined([]))

    with pytest.raises(KeyError, match="ours"):
        _believed([Node("gpu01", [taken_out(sent("/a"))]), Node("gpu02", [taken_out(sent("/a"))])], broken)  # type: ignore[arg-type]


def test_another_version_there_reads_nothing(tmp_path: Path) -> None:
    put(tmp_path, {"gpu01/a.log": NUMA})
    old = tmp_path / "slowlink"
    own = " ".join(OWN)
    old.write_text(
        f'#!/bin/sh\nfor a; do shift; case $a in 0.*/*) a=9.9/x;; esac; set -- "$@" "$a"; done\nexec {own} "$@"\n'
    )
    old.chmod(0o755)
    heap = analyze_there(question(tmp_path, "a.log", nodes=1, program=(str(old),)))
    assert [node.reader for node in heap.nodes] == ["slowlink 0.1.0 is there"]
    assert inputs(heap.report) == [("gpu01:a.log", 1, None)]


def test_it_ends_in_time_with_what_it_has(tmp_path: Path) -> None:
    put(tmp_path, {"gpu01/a.log": "".join(f"step {number} of it\n" for number in range(600_000))})
    heap = analyze_there(question(tmp_path, "a.log", nodes=1, limit_s=0.05))
    assert {(each.path, each.problem) for each in heap.report.inputs} <= {
        (name, BROKEN_OFF) for name in ("gpu01:a.log", "gpu01:the inputs")
    }
    assert heap.report.verdict == "inconclusive"
