"""Asking many nodes at once, with shells of this machine in place of theirs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from msgspec import Struct

from slowlink.launch.fanout.ask import Answer, ask
from slowlink.launch.fanout.end_sessions import members
from slowlink.launch.fanout.ways import Here
from slowlink.model.plan import Node

ROOT = Path(__file__).resolve().parents[2]


class ByName(Struct, frozen=True):
    """A way that tells the shell which node it stands for: ``$1``."""

    name: ClassVar[str] = "ssh"

    def argv(self, node: Node) -> tuple[str, ...]:
        return ("sh", "-s", node.name)

    def lost(self, status: int, stderr: str) -> bool:
        return status == 255


def nodes(count: int) -> list[Node]:
    return [Node(f"node{number}") for number in range(1, count + 1)]


def said(answers: Sequence[Answer]) -> list[tuple[str, int | None, str, str, str]]:
    return [(each.node, each.status, each.stdout, each.stderr, each.trouble) for each in answers]


def test_every_node_answers_in_the_order_asked() -> None:
    heard: list[str] = []
    found = ask(
        nodes(40), 'echo "I am $1"', ByName(), timeout_s=30, fanout=4, on_answer=lambda each: heard.append(each.node)
    )
    assert [each.stdout for each in found] == [f"I am node{number}\n" for number in range(1, 41)]
    assert sorted(heard) == sorted(each.node for each in found)
    assert all(each.trouble == "" and each.seconds < 30 and each.started_at > 1e9 for each in found)


def test_a_script_that_fails_is_no_trouble_of_the_way() -> None:
    script = 'echo out; echo err >&2; [ "$1" = node2 ] && exit 255; exit 3'
    assert said(ask(nodes(2), script, ByName(), timeout_s=30)) == [
        ("node1", 3, "out\n", "err\n", ""),
        ("node2", 255, "out\n", "err\n", "err"),
    ]


def test_what_ssh_says_is_said_in_our_words() -> None:
    script = """case $1 in
    a) echo 'ssh: connect to host a port 22: No route to host' >&2;;
    b) echo 'me@b: Permission denied (publickey).' >&2;;
    c) echo 'ssh: connect to host c port 22: Connection refused' >&2;;
    e) echo half;;
    esac
    exit 255"""
    found = ask([Node(name) for name in "abcde"], script, ByName(), timeout_s=30)
    assert [each.trouble for each in found] == [
        "no route to it",
        "a node refuses the login",
        "no ssh server there",
        "the login ended with 255 and printed nothing",
        "the connection was lost",
    ]


def test_a_node_without_an_answer_costs_its_own_time_out_alone() -> None:
    script = "case $1 in node1) sleep 600;; node2) echo half; sleep 600;; esac; echo whole"
    began = time.monotonic()
    found = ask(nodes(4), script, ByName(), timeout_s=1.5, fanout=4)
    assert said(found) == [
        ("node1", None, "", "", "no answer within 1.5 s"),
        ("node2", None, "half\n", "", "not finished within 1.5 s"),
        ("node3", 0, "whole\n", "", ""),
        ("node4", 0, "whole\n", "", ""),
    ]
    # Both waited side by side; far below two time-outs and their graces on any machine.
    assert time.monotonic() - began < 60


def test_silent_nodes_do_not_keep_the_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.launch.fanout.ask._SILENT_S", 0.2)
    order: list[str] = []
    script = "case $1 in node1|node2) sleep 600;; esac; echo here"
    ask(nodes(6), script, ByName(), timeout_s=4, fanout=2, on_answer=lambda each: order.append(each.node))
    assert sorted(order[:4]) == ["node3", "node4", "node5", "node6"]


def test_any_bytes_and_no_end_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.launch.fanout.ask.MOST_OUTPUT", 1 << 20)
    many = "i=0; while [ $i -lt 40 ]; do head -c 65536 /dev/zero | tr '\\0' x; i=$((i+1)); done"
    (cut,) = ask([Node("a")], f"{many}; echo end >&2", Here(), timeout_s=60)
    assert (len(cut.stdout), cut.stderr, cut.status) == (1 << 20, "end\n", 0)
    assert cut.trouble == "more than 1 MiB of output; the rest was dropped"
    (odd,) = ask([Node("a")], r"printf 'a\377\000b'", Here(), timeout_s=60)
    assert odd.stdout == "a\ufffd\0b"


def test_a_large_script() -> None:
    script = "".join(f": {'x' * 100} {number}\n" for number in range(5000)) + "echo read\n"
    assert [each.stdout for each in ask(nodes(2), script, ByName(), timeout_s=60)] == ["read\n", "read\n"]


def test_what_runs_in_the_background_ends_too() -> None:
    script = "echo $$; sleep 600 & exec >/dev/null 2>&1; timeout 600 sleep 600 & exit 0"
    (answer,) = ask([Node("a")], script, Here(), timeout_s=60)
    assert answer.trouble == ""
    assert members([int(answer.stdout)]) == []


def test_a_program_that_is_not_there() -> None:
    class Nowhere(ByName, frozen=True):
        def argv(self, node: Node) -> tuple[str, ...]:
            return ("/nonexistent/ssh", node.name)

    (answer,) = ask([Node("a")], "echo", Nowhere(), timeout_s=60)
    assert (answer.status, answer.trouble) == (None, "cannot start /nonexistent/ssh: No such file or directory")


def test_no_nodes() -> None:
    assert ask([], "echo", Here(), timeout_s=1) == []


_ENDLESS = """
import sys
from slowlink.launch.fanout.ask import ask
from slowlink.launch.fanout.ways import Here
from slowlink.model.plan import Node
try:
    ask([Node(str(number)) for number in range(3)], "echo $$ >>$PIDS; timeout 900 sleep 900 | cat", Here(), timeout_s=900)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all(number: signal.Signals, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    environment = {**os.environ, "PIDS": str(pids)}
    process = subprocess.Popen([sys.executable, "-c", _ENDLESS], env=environment)
    deadline = time.monotonic() + 60
    while not pids.is_file() or len(pids.read_text().splitlines()) < 3:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(timeout=60) == 7
    assert members([int(line) for line in pids.read_text().split()]) == []


def test_the_script_has_no_name_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (answer,) = ask(nodes(1), f"ls -A {tmp_path}; echo $1", ByName(), timeout_s=20)
    assert (answer.stdout, answer.trouble) == ("node1\n", "")
