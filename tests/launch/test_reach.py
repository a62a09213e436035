"""What is said of the connections between nodes: only what was tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from slowlink.launch.fanout.ways import OverSsh
from slowlink.launch.node_check import CONNECTIONS, NOT_TRIED, Questions, Verdict, verdicts
from slowlink.launch.reach import tried
from slowlink.model.plan import Node

NODES = [Node("n1"), Node("n2")]


@pytest.fixture
def ssh(tmp_path: Path) -> str:
    """A way to nodes that run the script here, where there is no Python."""
    program = tmp_path / "ssh"
    program.write_text("#!/bin/sh\nPATH=/nonexistent exec /bin/sh -s\n")
    program.chmod(0o755)
    return str(program)


def test_connections_that_nobody_tried_do_not_work(ssh: str) -> None:
    assert tried(NODES, OverSsh(ssh), "/nonexistent/python").nodes == frozenset()
    said = verdicts(NODES, ssh, Questions((), "/nonexistent/python"))
    assert [each for each in said if each.subject == CONNECTIONS] == [
        Verdict(CONNECTIONS, NOT_TRIED, ("n1", "n2"), good=True)
    ]
