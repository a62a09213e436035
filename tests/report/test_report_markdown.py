from __future__ import annotations

import re

import pytest
from sample_reports import SAMPLES

from slowlink.report import render
from slowlink.report.markdown import MARK, escaped, fenced


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a | b", "a \\| b"),
        ("`code` *bold* _it_ [x](y)", "\\`code\\` \\*bold\\* \\_it\\_ \\[x\\](y)"),
        ("<b>&lt;", "&lt;b&gt;&amp;lt;"),
        ("@root and #12", "@<!-- -->root and #<!-- -->12"),
        ("# heading", "\\# heading"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("2.27.7", "2.27.7"),
        ("http://x.example/", "http:<!-- -->//x.example/"),
        ("see www.x.example/a", "see www<!-- -->.x.example/a"),
    ],
)
def test_text_stays_text(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_fence_is_longer_than_what_it_holds() -> None:
    assert fenced(["a ``` b", "````"], "sh") == ["`````sh", "a ``` b", "````", "`````"]
    assert fenced(["a"], "sh")[0] == "```sh"


def test_no_html_of_a_log_is_left_outside_code() -> None:
    outside = re.sub(r"^( *)(`{3,}).*?^\1\2$", "", render(SAMPLES["hostile"](), "markdown"), flags=re.S | re.M)
    tags = set(re.findall(r"<[^>]*>", outside))
    assert tags <= {"<!-- -->", MARK, "<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>"}
    assert "@root" not in outside


def test_tables_keep_their_columns() -> None:
    rows = [line for line in render(SAMPLES["hostile"](), "markdown").split("\n") if line.startswith("| ")]
    table = [row for row in rows if row.count(" | ") != 1]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in table} == {10}
