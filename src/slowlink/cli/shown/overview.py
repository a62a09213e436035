"""What ``slowlink --help`` says: each command in one line, below what it is for. No command is imported for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Rows = Sequence[tuple[str, str]]

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "You have logs": {
        "analyze": "Find the cause in logs, outputs of tools, archives, bundles",
        "compare": "Say what changed between two of them, and what it costs",
        "act": "Say which nodes of a report not to use; tickets, drain, cordon",
        "report": "Show a saved report in another format",
    },
    "You have nodes": {
        "nodes": "Show which nodes a run would use; --check: can they be used?",
        "snapshot": "Ask every node for its state, and say what is wrong or differs",
        "node-check": "Say in seconds whether a job may start on this node",
        "prepare": "Show what is set wrong; --apply sets it, --rollback undoes it",
        "policy": "Write down what nodes must be, from one that is right",
        "accept": "Say of a cluster handed over which nodes and HCAs passed",
    },
    "You have a job that runs": {
        "attach": "Ask NCCL's RAS which ranks are lost or behind",
        "follow": "Say who holds the job up, from NCCL's Inspector",
        "watch": "Say who else is at work on its nodes",
    },
    "Measure": {
        "check": "Measure layer after layer, and show where bandwidth is lost",
        "run": "Run a collective on real ranks, and analyze it",
        "isolate": "Find the slow nodes and the slow paths among many",
        "tune": "Find the settings that make a collective faster here",
        "interfere": "Find out what a load or a setting costs",
        "build-tests": "Build nccl-tests with MPI",
        "manifest": "Print what run hands to Kubernetes or Slurm; or --lint yours",
    },
    "Know what is usual": {
        "expect": "Print what this hardware should give, and why",
        "rules": "List what is checked; rules explain ID tells what one means",
        "history": "List and plot what was measured before",
        "baseline": "Name runs as what is usual, and hold later ones against them",
        "serve": "Show the history to a team, in a browser",
        "exporter": "Tell Prometheus what the history knows",
    },
    "Try it, and pass it on": {
        "simulate": "Write what the tools of a sick cluster would print",
        "lab": "Make a small cluster with faults on this machine",
        "bundle": "Look into bundles of evidence, pack and unpack them",
        "mcp": "Give an assistant tools that only read",
    },
}
"""Heading, commands and their lines, in the order in which somebody who is new looks for them."""


def sections(commands: Sequence[str]) -> list[tuple[str, Rows]]:
    """The commands that there are, each below its heading; those without one come last."""
    told = {name for rows in SECTIONS.values() for name in rows}
    rest = [(name, "") for name in commands if name not in told]
    known = [
        (heading, [(name, text) for name, text in rows.items() if name in commands])
        for heading, rows in SECTIONS.items()
    ]
    return [*known, *([("More", rest)] if rest else [])]
