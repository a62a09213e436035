"""Data diagnosis of SuperBench (``sb result diagnosis``): the metrics of a node that fall short of their baseline::

    {"index": "gpu07", "diagnosis/accept": false, "diagnosis/category": "NCCL",
     "diagnosis/issue_details": "nccl-bw/allreduce_8388608_busbw:0(B/L: 232.0000 VAL: 190.1000 VAR: -18.06% Rule:..)"}

As a list (json) or an object a line (jsonl, with ``Category`` and ``Defective Details``). Nodes that are not listed
were accepted or not tested; only ``--output-all`` lists accepted ones.

Source: SuperBench 0.10 to 0.12, ``superbench/analyzer/data_diagnosis.py`` and ``diagnosis_rule_op.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_DETAILS = ("diagnosis/issue_details", "Defective Details")
_CATEGORY = ("diagnosis/category", "Category")
_ACCEPT = ("diagnosis/accept", "Accept")
_NUMBER = r"-?\d{1,15}(?:\.\d{1,8})?"
_ISSUE = regex(
    rf"(?P<metric>[^\s(),]{{3,200}})\((?:B/L: (?P<baseline>{_NUMBER}) )?VAL: (?P<value>{_NUMBER})"
    rf"(?: VAR: (?P<by>{_NUMBER})%)? Rule:"
    r"|(?P<missing>[^\s(),]{3,200})_miss(?:,|$)"
)
_HOST = regex(r"[A-Za-z0-9][\w.-]{0,120}")
_MOST_NODES = Limit(100_000, "nodes")


class SuperbenchDiagnosis:
    """A failed test for each metric of a defective node; a passed one for a node that was accepted."""

    kind: ClassVar[str] = "superbench-diagnosis"

    @staticmethod
    def wants_document(value: object) -> bool:
        return any(_is_node(each) for each in _nodes(value)[:3])

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        at = Line(source, line, "")
        found: list[Reading] = []
        for node in _nodes(value):
            if _is_node(node) and MAX_READINGS.has_room(len(found)):
                found += _of_node(node, at)
        return found


def _nodes(value: object) -> list[Mapping[str, object]]:
    entries = _MOST_NODES.first(value) if isinstance(value, list) else [value]
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _is_node(entry: Mapping[str, object]) -> bool:
    return isinstance(entry.get("index"), str) and any(key in entry for key in _DETAILS)


def _of_node(node: Mapping[str, object], at: Line) -> Iterator[Reading]:
    name = str(node["index"])
    host = name if _HOST.fullmatch(name) else None
    details = next((str(node[key]) for key in _DETAILS if isinstance(node.get(key), str)), "")
    issues = list(_ISSUE.finditer(details[:20_000]))
    accepted = next((node[key] for key in _ACCEPT if key in node), None)
    if accepted is True and not issues:
        yield replace(reading("health-test", Part("test", "superbench/all checks"), "pass", at), host=host)
    category = next((str(node[key]) for key in _CATEGORY if isinstance(node.get(key), str)), "")
    if not issues and (accepted is False or (accepted is None and category)):
        part = Part("test", f"superbench/{category[:80] or 'diagnosis'}")
        yield replace(reading("health-test", part, "fail", at), host=host)
    for issue in issues:
        yield from (replace(each, host=host) for each in _of_issue(issue.groupdict(), at))


def _of_issue(issue: Mapping[str, str | None], at: Line) -> Iterator[Reading]:
    part = Part("test", f"superbench/{(issue['metric'] or issue['missing'] or '')[:160]}")
    yield reading("health-test", part, "fail", at)
    value, baseline, by = issue["value"], issue["baseline"], issue["by"]
    if value is None:
        yield reading("health-test-detail", part, "the test has no result", at)
        return
    yield reading("health-test-value", part, float(value), at)
    words = f"measured {float(value):g}"
    if baseline is not None:
        yield reading("health-test-expected", part, float(baseline), at)
        words += f", baseline {float(baseline):g} ({by}%)"
    yield reading("health-test-detail", part, words, at)


DOCUMENT = SuperbenchDiagnosis
