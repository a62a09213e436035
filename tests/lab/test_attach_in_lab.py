"""``slowlink attach --nodes`` over ssh between lab hosts: each host has a loopback, and a RAS, of its own."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.ras_servers import OFF, ON, SLOWLINK, Servers
from slowlink.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]


@pytest.fixture
def servers(lab: Lab, tmp_path: Path) -> Iterator[Servers]:
    made = Servers(lab, tmp_path)
    yield made
    made.end()


def attach(lab: Lab, *words: str, nodes: str = "node[1-3]") -> tuple[int, dict[str, Any], str]:
    given = ["--nodes", nodes, "--no-history", "--no-snapshot", "--between", "5", "--format", "json"]
    done = lab.exec("node4", [*SLOWLINK, "attach", *given, *words])
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def test_one_sick_job_among_nodes(lab: Lab, servers: Servers, shared: Path) -> None:
    servers.start("node2", "behind")
    servers.start("node3", "behind")
    status, report, err = attach(lab, "-o", str(shared / "sick"))
    assert (status, [each["cause"] for each in report["findings"]]) == (1, ["rank-stuck"]), err
    assert "rank 5" in report["headline"]
    assert "3 of 3 nodes answered" in err
    again = lab.exec("node4", [*SLOWLINK, "analyze", "--format", "json", str(shared / "sick")])
    assert json.loads(again.stdout)["headline"] == report["headline"]


def test_a_node_that_does_not_answer_leaves_it_open(lab: Lab, servers: Servers, shared: Path) -> None:
    servers.start("node2", "json")
    lab.cut("node3")
    status, report, _ = attach(lab, "-o", str(shared / "cut"))
    assert (status, report["verdict"]) == (3, "inconclusive")
    assert "1 of 3 nodes did not answer: node3" in report["headline"]


def test_one_node_of_a_job_is_enough(lab: Lab, servers: Servers, shared: Path) -> None:
    servers.start("node1", "json")
    servers.start("node2", "behind")
    status, report, err = attach(lab, "--ask", "1", "-o", str(shared / "one"), nodes="node[1-2]")
    assert (status, report["findings"]) == (0, []), err


def test_the_profiler_of_a_job_on_other_nodes_is_on_for_a_while(lab: Lab, servers: Servers, shared: Path) -> None:
    """node1 has no job, that of node2 is too old to take it: node3's takes it."""
    servers.start("node2", "json")
    servers.start("node3", "control")
    status, report, err = attach(lab, "--profile", "1", "-o", str(shared / "profiled"))
    assert (status, report["findings"]) == (0, []), err
    assert servers.controls("node2") == [ON]
    assert servers.controls("node3") == [ON, OFF]
    assert "it was on for 1 s, by node3; now: none" in err


@pytest.mark.parametrize(("number", "node"), [(signal.SIGKILL, "node1"), (signal.SIGINT, "node2")])
def test_it_is_off_again_there_when_slowlink_is_ended_here(
    lab: Lab, servers: Servers, shared: Path, number: signal.Signals, node: str
) -> None:
    servers.start(node, "control")
    words = ["--nodes", node, "--no-history", "--no-snapshot", "--profile", "600", "-o", str(shared / number.name)]
    running = lab.popen("node4", [*SLOWLINK, "attach", *words])
    servers.await_controls(node, [ON])
    os.kill(lab.pid_of(running), number)
    servers.await_controls(node, [ON, OFF])
    lab.end(running)


def test_it_is_off_again_when_the_connection_is_lost(lab: Lab, servers: Servers, shared: Path) -> None:
    """Nobody tells the node that its link is cut: half a minute after its time it goes by its own clock."""
    servers.start("node3", "control")
    words = ["--nodes", "node3", "--no-history", "--no-snapshot", "--profile", "1", "-o", str(shared / "lost")]
    running = lab.popen("node4", [*SLOWLINK, "attach", *words])
    servers.await_controls("node3", [ON])
    lab.cut("node3")
    servers.await_controls("node3", [ON, OFF], patience_s=90)
    lab.end(running)
