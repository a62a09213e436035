"""One node, asked and judged in a few seconds, and the answer in a line."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink import exits
from slowlink.collectors.catalogue import Collector, chosen
from slowlink.model.policy import Policy
from slowlink.model.report import Report
from slowlink.report.escape import terminal_safe
from slowlink.workflows.analyze import analyze
from slowlink.workflows.one_node.answers import asked
from slowlink.workflows.snapshot import Question

_SLOW = ("ethtool-counters", "lspci", "mlnx-qos", "nvidia-smi-topo")
"""They take seconds on a large node and tell what hardly changes while it runs: asked where a policy needs them."""
_WORDS = {exits.HEALTHY: "ok", exits.FINDINGS: "not ok", exits.INCONCLUSIVE: "unknown"}
_CUT = "..."


def quick_collectors(policy: Policy | None) -> tuple[Collector, ...]:
    """What is asked of a node before each job: all that takes a moment, and what the policy's values come from (all,
    where it does not say). The quick ones come first: what a time limit cuts off is the rest."""
    needed = (policy.collectors or _SLOW) if policy is not None else ()
    return tuple(sorted((each for each in chosen() if each.name not in _SLOW or each.name in needed), key=_is_slow))


def _is_slow(collector: Collector) -> bool:
    return collector.name in _SLOW


def check_node(
    question: Question, policy: Policy | None, tolerances: Mapping[str, Mapping[str, object]] | None = None
) -> Report:
    """The report on the nodes of ``question``. Raises KeyboardInterrupt when it was interrupted."""
    texts, _ = asked(question)
    return analyze(texts, tolerances=tolerances, policy=policy)


def one_line(report: Report, node: str, fail_on: str, width: int) -> str:
    """``gpu07 not ok: gpu-missing: 7 GPUs, the other nodes have 8``; no longer than ``width`` characters."""
    status = exits.decide(report.verdict, [each.severity for each in report.diagnoses], fail_on)
    failed = [each for each in report.diagnoses if exits.fails(each.severity, fail_on)]
    if failed:
        said = "; ".join(f"{each.cause}: {_without_node(each.message, node)}" for each in failed)
    else:
        said = _without_node(report.headline.removeprefix(f"{report.verdict}: "), node)
    line = terminal_safe(f"{node} {_WORDS[status]}: {said}").replace("\n", " ")
    return line if len(line) <= width else f"{line[: width - len(_CUT)]}{_CUT}"


def _without_node(message: str, node: str) -> str:
    """The line begins with the node's name."""
    return message.removeprefix(f"{node}: ")
