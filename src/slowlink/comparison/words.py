"""A comparison in words."""

from __future__ import annotations

from slowlink.model.comparison import Comparison, MeasuredChange
from slowlink.model.report import Diagnosis
from slowlink.units import format_size


def measured_in_words(change: MeasuredChange) -> str:
    """``all_reduce on 16 ranks: 391 -> 167 GB/s (-57 %) from 512 MiB to 8 GiB``."""
    sizes = f"from {format_size(change.sizes[0])} to {format_size(change.sizes[-1])}"
    if len(change.sizes) == 1:
        sizes = f"at {format_size(change.sizes[0])}"
    return (
        f"{change.collective} on {change.nranks} ranks: {change.old:.4g} -> {change.new:.4g} {change.unit} "
        f"({100 * (change.ratio - 1):+.0f} %) {sizes}"
    )


def headline(comparison: Comparison) -> str:
    """One sentence: the change of the measurement and what most probably explains it; else what changed beside it.

    ``comparison`` is whole but for its headline.
    """
    outcome = comparison.outcome
    if outcome in ("slower", "faster"):
        lead = next(change for change in comparison.measured if change.outcome == outcome)
        said = [
            f"{outcome}: {measured_in_words(lead)}",
            _why(comparison),
            *_untold_errors(comparison),
            *_unmeasured(comparison),
            *_unread(comparison),
        ]
        return "; ".join(part for part in (*said, _silent(comparison)) if part)
    parts = [_silent(comparison), *(f"new: {each.message}" for each in _untold(comparison)[:1])]
    if outcome == "same":
        parts.append(f"the same within what is ordinary: {measured_in_words(comparison.measured[0])}")
    parts += [_beside(comparison), *([_not_measured(comparison)] if outcome == "incomparable" else [])]
    parts += [*_unmeasured(comparison), *_unread(comparison)]
    return "; ".join(part for part in parts if part)


def _silent(comparison: Comparison) -> str:
    """The nodes that answered before and do not now; "" where there are none."""
    return f"no answer any more: {comparison.nodes_silent}" if comparison.nodes_silent else ""


def _unread(comparison: Comparison) -> list[str]:
    return [f"not everything was read of {side.name}: {side.unread}" for side in comparison.unread]


def _unmeasured(comparison: Comparison) -> list[str]:
    """The sizes of which nothing is known now."""
    return [
        f"{each.collective} on {each.nranks} ranks was not measured again beyond {format_size(each.sizes[-1])}, up to "
        f"{format_size(each.not_again[-1])} as the old one was"
        for each in comparison.unmeasured[:1]
    ]


def _untold(comparison: Comparison) -> list[Diagnosis]:
    """Root causes that appeared, but for the nodes without an answer that are named already."""
    told = "nodes-unanswered" if comparison.nodes_silent else ""
    return [each for each in comparison.appeared if each.cause != told]


def _why(comparison: Comparison) -> str:
    if not comparison.explanations:
        return "nothing that is known of the nodes or the job explains it"
    lead, *others = comparison.explanations
    sure = "likely" if lead.confidence != "possible" else "possible"
    more = f" (and {_counted(len(others), 'other possible one')})" if others else ""
    return f"{sure} cause: {lead.text}{more}"


def _untold_errors(comparison: Comparison) -> list[str]:
    """The gravest new one that explains no bandwidth: wrong data matters more than any change of speed."""
    told = {each.text for each in comparison.explanations}
    return [f"new: {each.message}" for each in comparison.new_errors if each.message not in told][:1]


def _beside(comparison: Comparison) -> str:
    """What changed on nodes or in the job, told by the first unless a cause tells it; "" where neither is known."""
    changes = [change.in_words for change in comparison.state] + [change.in_words for change in comparison.job]
    if comparison.nodes_gone or comparison.nodes_added:
        words = [("gone: ", comparison.nodes_gone), ("added: ", comparison.nodes_added)]
        changes.insert(0, "nodes " + ", ".join(word + nodes for word, nodes in words if nodes))
    if changes and comparison.appeared:
        return f"{_counted(len(changes), 'change')} of nodes or job"
    if changes:
        return changes[0] + (f" and {_counted(len(changes) - 1, 'other change')}" if changes[1:] else "")
    return f"nothing changed on {comparison.new.nodes}" if comparison.nodes_compared else ""


def _not_measured(comparison: Comparison) -> str:
    """Why no measurement could be compared: each side in words."""
    old, new = comparison.old, comparison.new
    if old.measured and new.measured:
        return f"the benchmarks cannot be compared: {old.measured} and then {new.measured}"
    if not old.measured and not new.measured:
        known = [side for side in (old, new) if not side.nodes]
        return "; ".join(f"{side.name}: {side.headline}" for side in known) or "no benchmark in either"
    return f"a benchmark only in the {'old' if old.measured else 'new'} one" + "".join(
        f"; {side.name}: {side.headline}" for side in (old, new) if not side.measured and not side.nodes
    )


def _counted(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"
