"""Every string of a report may come from a log or a file name: here all of them do, in every format."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from sample_reports import SAMPLES

from slowlink.report import render
from slowlink.report.json import report_from_json

HOSTILE = (
    "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>[go](javascript:alert(3)) `a` | ]]> "
    "\x1b[31m\x9b2J\u202e\x07 <!--"
)
KEPT = ("schema", "verdict", "severity", "confidence", "layer", "outcome", "kind", "placement", "cause")
"""Keys whose values are words of ours."""


def spoiled(value: object, key: str = "") -> object:
    if isinstance(value, str):
        return value if key in KEPT else HOSTILE
    if isinstance(value, dict):
        return {name: spoiled(item, name) for name, item in value.items()}
    return [spoiled(item, key) for item in value] if isinstance(value, list) else value


def hostile(name: str, form: str) -> str:
    document = spoiled(json.loads(render(SAMPLES[name](), "json")))
    assert isinstance(document, dict)
    for number, entry in enumerate(document["inputs"]):
        entry["path"] = f"{entry['path']} {number}"
        entry["copy_of"] = HOSTILE
    return render(report_from_json(document), form)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_tag_and_no_link_of_theirs_is_left_in_markdown(name: str) -> None:
    outside = re.sub(r"^( *)(`{3,}).*?^\1\2$", "", hostile(name, "markdown"), flags=re.S | re.M)
    assert not re.search(r"<(?:img|script)|(?<!\\)\]\(javascript", outside)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_tag_of_theirs_is_left_in_html(name: str) -> None:
    page = hostile(name, "html")
    assert "<img src=x" not in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("name", SAMPLES)
def test_junit_stays_xml(name: str) -> None:
    ElementTree.fromstring(hostile(name, "junit"))


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", ["terminal", "full", "json", "markdown", "html", "junit"])
def test_nothing_steers_a_terminal(name: str, form: str) -> None:
    assert not set(hostile(name, form)) & set("\x1b\x9b\u202e\x07")
