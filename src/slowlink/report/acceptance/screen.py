"""An acceptance on one screen: the result, the counts, who failed and why, what is open, where the files lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from slowlink.model.acceptance import Acceptance, AcceptedNode, Cell, Level
from slowlink.nodes import fold
from slowlink.report.acceptance.words import RESULTS, STATES, contract_words, limit_of, measured_of
from slowlink.report.escape import terminal_safe

_MOST_FAILED, _MOST_LEFT = 5, 6
_MOST_NAMED = 2
_MOST_WIDE = 200
_LEVELS: Mapping[Level, str] = {"cluster": "whole", "node": "nodes", "hca": "HCAs"}


def screen_text(record: Acceptance, files: Sequence[str] = ()) -> str:
    """``files``: where it was written to."""
    return "".join(f"{_cut(terminal_safe(line))}\n" for line in (*_lines(record), *_where(record, files)))


def _cut(line: str) -> str:
    return line if len(line) <= _MOST_WIDE else f"{line[: _MOST_WIDE - 4]} ..."


def _lines(record: Acceptance) -> Iterator[str]:
    yield f"{RESULTS[record.result]}  {record.headline}"
    yield f"  contract   {contract_words(record)}"
    for level, title in _LEVELS.items():
        if words := _counted(record, level):
            yield f"  {title:<9}  {words}"
    yield from _failed(record)
    yield from _left(record)
    if record.beside:
        yield f"beside     {record.beside}: in the evidence, and not in the contract"


def _counted(record: Acceptance, level: Level) -> str:
    """``10 checks: 78 PASS, 1 FAIL`` of the cells of that level that are required, and of others what failed."""
    titles = {check.id: check for check in record.checks if check.level == level}
    states = Counter(
        cell.state
        for _, _, cell in record.rows()
        if cell.check in titles and (titles[cell.check].required or cell.state == "fail")
    )
    required = sum(check.required for check in titles.values())
    said = ", ".join(f"{states[state]} {word}" for state, word in STATES.items() if states[state])
    checks = f"{required} required check{'s' if required != 1 else ''}"
    return f"{checks}: {said}" if said else ""


_Rows = list[tuple[str, str, Cell]]


def _failed(record: Acceptance) -> Iterator[str]:
    """What failed, by check and cause, with nodes and HCAs folded."""
    checks = {check.id: check for check in record.checks}
    groups: dict[tuple[str, str], _Rows] = {}
    for node, hca, cell in record.rows():
        if cell.state == "fail":
            groups.setdefault((cell.check, cell.causes[0] if cell.causes else ""), []).append((node, hca, cell))
    if groups:
        yield "failed"
    for (check, _), rows in list(groups.items())[:_MOST_FAILED]:
        yield f"  {_who(rows)}: {checks[check].title}"
        yield from _said(record, rows[0][2], several=len(rows) > 1)
    yield from _more(len(groups) - _MOST_FAILED)


def _left(record: Acceptance) -> Iterator[str]:
    """What is required and was not settled. A node of which nothing is known is told once."""
    checks = {check.id: check for check in record.checks}
    required = {name for name, check in checks.items() if check.required}
    blank = {
        node.name for node in record.nodes if all(cell.state == "not-measured" for cell in _required(node, required))
    }
    groups: dict[tuple[str, str, str], _Rows] = {}
    for node, hca, cell in record.rows():
        if cell.check in required and cell.state in ("open", "not-measured") and node not in blank:
            groups.setdefault((cell.state, cell.check, cell.why), []).append((node, hca, cell))
    if groups or blank:
        yield "open, or not measured"
    if blank:
        whys = list(dict.fromkeys(node.cells[0].why for node in record.nodes if node.name in blank))
        them = "it" if len(blank) == 1 else "them"
        yield f"  {fold(sorted(blank))}: nothing of {them} was measured: {'; '.join(whys[:_MOST_NAMED])}"
    for (state, check, why), rows in list(groups.items())[:_MOST_LEFT]:
        word = "" if state == "not-measured" else " is open"
        yield f"  {_who(rows)}: {checks[check].title}{word}: {why} ({checks[check].settles})"
    yield from _more(len(groups) - _MOST_LEFT)


def _required(node: AcceptedNode, required: set[str]) -> Iterator[Cell]:
    for cells in (node.cells, *(hca.cells for hca in node.hcas)):
        yield from (cell for cell in cells if cell.check in required)


def _more(number: int) -> Iterator[str]:
    if number > 0:
        yield f"  and {number} more; the files have all of them"


def _who(rows: _Rows) -> str:
    """``gpu[01-02] mlx5_3; gpu03 mlx5_[0-7]``: of each node its own HCAs, and of no other."""
    of_nodes: dict[str, list[str]] = {}
    for node, hca, _ in rows:
        of_nodes.setdefault(node, []).extend([hca] if hca else [])
    if "" in of_nodes:
        return _first(dict.fromkeys(cell.subject for _, _, cell in rows if cell.subject)) or "the whole"
    alike: dict[tuple[str, ...], list[str]] = {}
    for node, hcas in of_nodes.items():
        alike.setdefault(tuple(dict.fromkeys(hcas)), []).append(node)
    return _first(f"{fold(nodes)} {_hcas(hcas)}".strip() for hcas, nodes in alike.items())


def _hcas(names: Sequence[str]) -> str:
    """An HCA that nobody named is ``(HCA 8 of 8)``, which is no name to fold."""
    return fold(names) if all(" " not in name for name in names) else ", ".join(names)


def _first(words: Iterable[str]) -> str:
    every = list(words)
    more = f" and {len(every) - _MOST_NAMED} more" if len(every) > _MOST_NAMED else ""
    return "; ".join(every[:_MOST_NAMED]) + more


def _said(record: Acceptance, cell: Cell, *, several: bool) -> Iterator[str]:
    limit = limit_of(record, cell)
    value = measured_of(cell)
    if value and limit.expected and cell.state == "fail":
        yield f"    {value}, expected {limit.expected}{' (the first of them)' if several else ''}"
    causes = "[" + ", ".join(cell.causes) + "] " if cell.causes else ""
    if cell.why or causes:
        yield f"    {causes}{cell.why}"
    if cell.evidence and cell.state == "fail":
        yield f"    {cell.evidence[0]}"


def _where(record: Acceptance, files: Sequence[str]) -> Iterator[str]:
    size = len(record.evidence)
    yield f"evidence   {size} file{'s' if size != 1 else ''}, each with its SHA-256 in the record"
    yield f"seal       {record.seal}"
    if files:
        yield f"written    {', '.join(files)}"
    else:
        yield "written    nothing; -o acceptance.html -o acceptance.csv -o acceptance.json writes it down"
