"""From the text of nodes to what one rule proves of them, through the real parsers."""

from __future__ import annotations

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import discover, run


def proofs_of(rule: str, *texts: str) -> list[tuple[str, int]]:
    """(message, weight) of each proof. A rule that breaks fails the test."""
    inputs = [Input(f"node{number}.txt", None, [text.encode()]) for number, text in enumerate(texts)]
    checked = run(assemble(read(inputs, workers=1)), None, rules=[r for r in discover() if r.id == rule])
    assert [outcome.reason for outcome in checked.outcomes if outcome.outcome == "broken"] == []
    return [(proof.message, proof.weight) for proof in checked.proofs]


def on_nodes(**texts: str) -> str:
    """Outputs of several nodes, each behind the prompt of its node."""
    return "".join(f"[root@{node} ~]# nvidia-smi\n{text}\n" for node, text in texts.items())
