"""A comparison for people: plain lines, the answer first. The same order in a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from slowlink import __version__
from slowlink.model.comparison import Comparison, MeasuredChange
from slowlink.model.report import Diagnosis
from slowlink.report.escape import cleaned
from slowlink.report.wording import count
from slowlink.units import format_size

_MOST = 20
_WIDTH = 100
_LEAST_WIDTH = 40
_STYLES = {"SLOWER": "31", "WORSE": "31", "FASTER": "32", "SAME": "32", "UNCHANGED": "32"}
_OTHER_STYLE = "35"


def render_comparison(comparison: Comparison, *, color: bool = False, width: int | None = None) -> str:
    """Lines for a terminal of ``width`` columns; without one the headline stays one line, for grep and tickets.

    Every text of the inputs is made safe.
    """
    clean = cleaned(comparison)
    columns = _WIDTH if width is None else max(_LEAST_WIDTH, min(_WIDTH, width))
    lines = _first_lines(_word(clean), _headline(clean), None if width is None else columns, color=color)
    for title, rows in _sections(clean):
        if rows:
            lines += [f"\x1b[1m{title}\x1b[0m" if color else title]
            for row in rows:
                lines += wrap(row, columns, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _first_lines(word: str, headline: str, width: int | None, *, color: bool) -> list[str]:
    """The word of the outcome, in its colour, and the sentence behind it; then an empty line."""
    whole = f"{word}  {headline}"
    lines = wrap(whole, width, subsequent_indent=" " * (len(word) + 2), break_on_hyphens=False) if width else [whole]
    if color:
        lines[0] = f"\x1b[1;{_STYLES.get(word, _OTHER_STYLE)}m{word}\x1b[0m{lines[0][len(word) :]}"
    return [*lines, ""]


def comparison_markdown(comparison: Comparison) -> str:
    """The same as Markdown, for issues and tickets."""
    from slowlink.report.markdown import MARK, escaped

    clean = cleaned(comparison)
    lines = [MARK, f"## {_word(clean)}: {escaped(_headline(clean))}", ""]
    for title, rows in _sections(clean):
        if rows:
            lines += [f"### {title}", "", *(f"* {escaped(row)}" for row in rows), ""]
    return "\n".join(lines).rstrip() + f"\n\n<sub>slowlink {escaped(__version__)}</sub>\n"


def comparison_rows(comparison: Comparison) -> tuple[str, ...]:
    """Everything that the comparison holds, one row each, behind the title of its section. Every text is made safe."""
    return tuple(f"{title}: {row}" for title, rows in _sections(cleaned(comparison), None) for row in rows)


def comparison_sections(comparison: Comparison) -> tuple[str, str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """The word of the outcome, the sentence behind it, and (title, rows) of each section that has any. Made safe."""
    clean = cleaned(comparison)
    sections = ((title, tuple(rows)) for title, rows in _sections(clean) if rows)
    return _word(clean), _headline(clean), tuple(sections)


def _word(comparison: Comparison) -> str:
    """Of the measurements; where nothing was measured in both, of the nodes. What broke is not called the same."""
    if comparison.worse and comparison.outcome != "slower":
        return "WORSE"
    if (comparison.unread or comparison.unmeasured) and comparison.outcome != "slower":
        return "INCONCLUSIVE"
    if comparison.outcome != "incomparable" or not comparison.comparable:
        return comparison.outcome.upper()
    return "CHANGED" if comparison.state or comparison.nodes_gone or comparison.nodes_added else "UNCHANGED"


def _headline(comparison: Comparison) -> str:
    return comparison.headline.removeprefix(f"{comparison.outcome}: ")


def _sections(comparison: Comparison, most: int | None = _MOST) -> Iterator[tuple[str, list[str]]]:
    """At most so many rows of each section that may be long; None for all."""
    yield "What may explain it", [f"{e.text}  [{e.confidence}]  {e.test}" for e in comparison.explanations]
    yield "Measured", [_measured(change) for change in comparison.measured[:most]]
    yield "New causes", [_diagnosis(diagnosis) for diagnosis in comparison.appeared]
    yield "Causes that are gone", [_diagnosis(diagnosis) for diagnosis in comparison.gone]
    yield "Changed on nodes", _cut([change.in_words for change in comparison.state], most)
    yield (
        "Changed in the job",
        _cut([change.in_words for change in comparison.job], most),
    )
    yield (
        "Nodes",
        [
            f"{word}: {nodes}"
            for word, nodes in (
                ("no answer any more", comparison.nodes_silent),
                ("gone", comparison.nodes_gone),
                ("new", comparison.nodes_added),
            )
            if nodes
        ],
    )
    yield (
        "Compared",
        [
            f"{word} {side.name}: {side.headline}" + (f" ({side.nodes})" if side.nodes else "")
            for word, side in (("old", comparison.old), ("new", comparison.new))
        ],
    )


def _cut(rows: list[str], most: int | None) -> list[str]:
    rest = len(rows) - (len(rows) if most is None else most)
    return [*rows[:most], f"and {rest} more (all of them with --format json)"] if rest > 0 else rows


def _measured(change: MeasuredChange) -> str:
    sizes = f"{format_size(change.sizes[0])} to {format_size(change.sizes[-1])}"
    nodes = f" on {count(change.nnodes, 'node')}" if change.nnodes else ""
    return (
        f"{change.collective}, {count(change.nranks, 'rank')}{nodes}, {change.quantity} of {sizes}: "
        f"{change.old:.4g} -> {change.new:.4g} {change.unit} ({100 * (change.ratio - 1):+.1f} %): "
        f"{change.outcome}; {change.basis}"
    )


def _diagnosis(diagnosis: Diagnosis) -> str:
    return f"{diagnosis.cause} [{diagnosis.severity}, {diagnosis.confidence}]: {diagnosis.message}"
