"""What ``slowlink act`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.acting import AccusedNode, FabricPortAt, NodesApart
from slowlink.model.report import Claim
from slowlink.nodes import fold
from slowlink.report.escape import terminal_safe

_MOST_SHOWN = 40


def apart_text(found: NodesApart) -> str:
    """Who should not be used, who is good, who is open and why."""
    return "".join(f"{terminal_safe(line)}\n" for line in _apart(found))


def _apart(found: NodesApart) -> Iterator[str]:
    total = len(found.accused) + len(found.good) + len(found.open)
    yield f"{len(found.accused)} of {total} nodes should not be used"
    groups = _alike(found.accused)
    for nodes, claims in groups[:_MOST_SHOWN]:
        yield from _group(nodes, claims)
    if (more := sum(len(nodes) for nodes, _ in groups[_MOST_SHOWN:])) > 0:
        yield f"  and {more} more"
    for diagnosis in found.unplaced[:_MOST_SHOWN]:
        yield f"  of no single node: {_in_words(diagnosis)}"
    yield f"good  {fold(found.good)}" if found.good else "good  none"
    reasons: dict[str, list[str]] = {}
    for each in found.open:
        reasons.setdefault(each.why, []).append(each.node)
    for why, nodes in [*reasons.items()][:_MOST_SHOWN]:
        yield f"open  {fold(nodes)}: {why}"


def _alike(accused: Sequence[AccusedNode]) -> list[tuple[list[str], tuple[Claim, ...]]]:
    """Nodes of which the same is said, together: a diagnosis may name hundreds."""
    groups: dict[tuple[int, ...], tuple[list[str], tuple[Claim, ...]]] = {}
    for each in accused:
        same = tuple(map(id, each.diagnoses))  # to compare two would be to walk all nodes that they name
        groups.setdefault(same, ([], each.diagnoses))[0].append(each.node)
    return [*groups.values()]


def _group(nodes: Sequence[str], claims: Sequence[Claim]) -> Iterator[str]:
    if len(nodes) == 1:
        yield f"  {nodes[0]}: {'; '.join(map(_in_words, claims))}"
        return
    folded = fold(nodes)
    yield f"  {len(nodes)} nodes: {folded}"
    for claim in claims:
        yield f"    {_in_words(claim).replace(f'{folded}: ', '', 1)}"


def _in_words(claim: Claim) -> str:
    return f"{claim.cause}: {claim.message}"


def ports_text(ports: Sequence[FabricPortAt]) -> str:
    """The commands, for whoever decides; none holds a word of a log."""
    return "".join(f"{line}\n" for line in _ports(ports))


def _ports(ports: Sequence[FabricPortAt]) -> Iterator[str]:
    if not ports:
        yield "no link of the fabric is named that should be disabled"
        return
    yield "links to disable, where the fabric has other paths (slowlink runs none of this)"
    said = ""
    for each in ports:
        if (words := _in_words(each.diagnosis)) != said:
            yield f"  {terminal_safe(words)}"
        said = words
        yield f"    {terminal_safe(each.link)}"
        if each.lid is None or each.port is None:
            yield f"      {terminal_safe(each.why)}; iblinkinfo shows it"
            continue
        for word, operation in (("look", "query"), ("disable", "disable"), ("undo", "enable")):
            yield f"      {word:8} ibportstate {each.lid} {each.port} {operation}"
