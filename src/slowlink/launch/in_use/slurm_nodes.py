"""Nodes of Slurm, through scontrol: draining keeps new jobs away and lets those that run end.

``State=UNDRAIN`` takes back the drain alone; RESUME would also bring back a node that is down. Slurm keeps one reason a
node, so draining one that is drained or down would write over somebody's reason.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch.in_use.interface import NO_ANSWER, REFUSED, answer_of
from slowlink.model.acting import SchedulerNode

_STATE = re.compile(r"\sState=(\S+)")
_HOST = re.compile(r"\sNodeHostName=(\S+)")
_CLUSTER = re.compile(r"^ClusterName\s*=\s*(\S+)", re.MULTILINE)
_WHO = re.compile(r" \[[^\[\]]*@[^\[\]]*\]$")
"""``[root@2026-11-28T14:02:18]`` behind a reason."""
_OUT = (("DRAIN", "drained"), ("DOWN", "down"), ("FAIL", "failing"))
_UNKNOWN = "Slurm knows no node of this name"
_REFUSALS = (
    (r"Invalid user id|[Pp]ermission denied", REFUSED, "Slurm does not allow it to this user"),
    (r"Invalid node name|Node \S+ not found", REFUSED, _UNKNOWN),
    (r"\(connect failure\)|configuration (?:file|source)", REFUSED, "Slurm's controller is not reached"),
    (r"Unable to contact slurm controller|timed out", NO_ANSWER, "Slurm's controller did not answer"),
)


class SlurmNodes:
    """Through ``scontrol``, the path of the program."""

    title = "Slurm"
    word = "drained"

    def __init__(self, scontrol: str) -> None:
        self._scontrol = scontrol
        self._cluster: str | None = None

    def nodes(self) -> dict[str, SchedulerNode]:
        return nodes_in(self._answer("show", "node"))

    def node(self, name: str) -> SchedulerNode:
        found = nodes_in(self._answer("show", "node", "--", name)).get(name)
        if found is None:
            raise SlowlinkError(_UNKNOWN, slug=REFUSED)
        if self._cluster is None:
            told = _CLUSTER.search(self._answer("show", "config"))
            self._cluster = told[1] if told is not None else ""
        return replace(found, identity=self._cluster)

    def take_out(self, node: SchedulerNode, reason: str) -> None:
        self._answer("update", f"NodeName={node.name}", "State=DRAIN", f"Reason={reason}")

    def give_back(self, node: SchedulerNode) -> None:
        self._answer("update", f"NodeName={node.name}", "State=UNDRAIN")

    def _answer(self, *words: str) -> str:
        # The time behind a reason is told as it always is, whatever this user likes to see.
        return answer_of((self._scontrol, *words), self.title, _REFUSALS, {"SLURM_TIME_FORMAT": "standard"})


def nodes_in(text: str) -> dict[str, SchedulerNode]:
    """Of ``scontrol show node``: a block a node. Reasons and comments are anybody's text, each on a line of its own (in
    the one-line form nothing would tell where it ends): fields are taken from the lines that Slurm begins with them."""
    found: dict[str, SchedulerNode] = {}
    for block in re.split(r"^(?=NodeName=)", text, flags=re.MULTILINE):
        if block.startswith("NodeName="):
            node = _node(block)
            found[node.name] = node
    return found


def _node(block: str) -> SchedulerNode:
    lines = block.splitlines()
    name = lines[0].partition("=")[2].partition(" ")[0]
    host, state, reason = name, "", ""
    for line in lines:
        if line.startswith("   NodeAddr=") and (match := _HOST.search(line)):
            host = match[1]
        elif line.startswith("   State=") and not state and (match := _STATE.search(line)):
            state = match[1]
        elif line.startswith("   Reason=") and not reason:
            reason = _WHO.sub("", line.partition("=")[2].rstrip())
    words = set(re.findall(r"[A-Z_]+", state))
    out = next((said for flag, said in _OUT if any(word.startswith(flag) for word in words)), "")
    # A node that is down for no stated reason may come back by itself, so it is drained like one that is up.
    return SchedulerNode(name, host, "" if out == "down" and not reason else out, reason)
