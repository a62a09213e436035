"""What pages and documents show in lines is read in lines."""

from __future__ import annotations

import html
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs.disguise import HEAD_BYTES, undisguised

WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)
LINES = st.lists(st.lists(WORDS | st.just("<0>&"), min_size=2, max_size=5).map(" ".join), min_size=1, max_size=6)
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def shown(text: str) -> list[str]:
    data = text.encode()
    found = b"".join(undisguised([data], data[:HEAD_BYTES])).decode()
    lines = found.replace("\r", "\n").split("\n")
    return [line.strip() for line in lines if line.strip()]


@given(LINES, st.booleans())
def test_blocks_of_a_page_are_lines(lines: list[str], is_long: bool) -> None:
    texts = [html.escape(line) for line in lines]
    head = f"<html><body><!--{' ' * 40_000 * is_long}--><h1>mill</h1>"
    for block in (
        *("<div class='a'><span>%s</span></div>", "<p>%s</p>", "<li>%s</li>", "%s<br>", "%s<br/>"),
        "<tr><td><div>%s</div></td></tr>",
    ):
        page = head + "".join(block % text for text in texts) + "</body></html>"
        assert shown(page)[1:] == lines


def test_cells_of_a_row_are_one_line() -> None:
    page = "<table><tr><td><p>8</p></td><td><div>2.5</div><div>us</div></td></tr><tr><th>16</th></tr></table>"
    assert [" ".join(line.split()) for line in shown(page)] == ["8 2.5 us", "16"]


@given(LINES)
def test_texts_of_a_document_are_lines(lines: list[str]) -> None:
    texts = [html.escape(line) for line in lines]
    case = '<testsuite name="t"><testcase name="a"><system-out>{}</system-out></testcase></testsuite>\n'
    assert shown(XML + case.format("\n".join(texts))) == lines
    assert shown(case.format("\n".join(texts))) == lines
    assert shown(XML + "".join(f"<v xml:space='preserve'>{text}</v>" for text in texts)) == lines
    assert shown(XML + "".join(f"<entry host='n1' msg={quoteattr(line)}/>\n" for line in lines)) == lines
    assert shown(XML + "<out><![CDATA[" + "\n".join(lines).replace("<0>&", "") + "]]></out>") == [
        " ".join(line.replace("<0>&", "").split(" ")).strip() for line in lines if line.replace("<0>&", "").strip()
    ]


@given(LINES)
def test_paragraphs_of_office_documents_are_lines(lines: list[str]) -> None:
    def runs(line: str) -> str:
        return "".join(f'<w:r><w:t xml:space="preserve">{html.escape(part)}</w:t></w:r>' for part in line)

    assert shown(XML + "<w:document><w:body>" + "".join(f"<w:p>{runs(line)}</w:p>" for line in lines)) == lines
    assert shown(XML + "<sst>" + "".join(f"<si><t>{html.escape(line)}</t></si>" for line in lines) + "</sst>") == lines


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?>\n<topology version="2.0">\n<info name="a b" value="&lt;c d&gt;"/>\n',
        '<?xml version="1.0"?>\n<!DOCTYPE nvidia_smi_log SYSTEM "x">\n<product_name>a b</product_name>\n',
        '<system version="1">\n  <cpu numaid="0 1" affinity="ff"/>\n',
    ],
)
def test_documents_with_a_reader_of_their_own_stay(text: str) -> None:
    data = text.encode()
    assert b"".join(undisguised([data], data)) == data


@given(st.text(st.sampled_from("<>/!?[]-=\"' &;atrdbp\nx") | st.characters(exclude_categories=["Cs"]), max_size=200))
def test_nothing_raises_and_lines_keep_their_numbers(text: str) -> None:
    for head in (XML, "<p>x</p>\n\n", XML + "<w:document>\n"):
        data = (head + text).encode()
        assert b"".join(undisguised([data], data)).count(b"\n") == data.count(b"\n") or b"\r" in data


def test_a_long_line_is_cut_before_a_tag() -> None:
    row = "<div>mill turns</div>"
    assert shown("<body>" + row * 30_000) == ["mill turns"] * 30_000
