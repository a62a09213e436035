"""Pages and XML documents: tags taken off, entities undone, and each block of text in lines of its own.

What stands in one line is parted by carriage returns, so that lines keep their numbers; what is long and was written
without lines gets some.

Source: HTML Living Standard, 15.3 (which elements begin a line), XML 1.0, 4.6; ECMA-376, 17.3 (paragraphs, runs and
texts), 18.4 (shared strings); OpenDocument 1.3, 5.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from slowlink.patterns import regex

Undo = Callable[[str], str]

_NAMES = (
    "a|abbr|article|b|blockquote|body|br|button|center|code|dd|div|dl|dt|em|font|h[1-6]|head|hr|html|i|kbd|label|li"
    "|main|meta|ol|option|p|pre|s|samp|section|select|small|span|strong|sub|sup|svg|table|tbody|td|textarea|th|thead"
    "|title|tr|tt|u|ul|!doctype"
)
_TAG = regex(rf"</?(?:{_NAMES})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_MARKUP = regex(r"</(?:pre|code|span|div|td|p|body|html|li)>|<br ?/?>", re.IGNORECASE)
"""What a page has and a log does not."""
_CELL_END = regex(r"</(?:td|th)>", re.IGNORECASE)
_BLOCK_END = regex(
    r"</(?:article|blockquote|dd|div|dt|h[1-6]|li|option|p|pre|section|table|textarea|title|tr)>|<[bh]r(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_ROW = regex(r"<tr[\s>]|</tr>", re.IGNORECASE)
_ENTITY = regex(
    r"&(?:(?P<name>lt|gt|amp|quot|apos|nbsp|hellip|mdash|ndash)|#(?P<code>\d{1,6})|#[xX](?P<hex>[0-9a-fA-F]{1,5}));"
)
_ESCAPED = regex(r"&(?:lt|gt|quot|nbsp|#39|#x27|#34|#x22);")
"""What an escaped text has; ``&amp;`` alone stands in addresses of pages."""
_XML = "<?xml"
_TREES = (
    *("<!DOCTYPE nvidia", "<topology", "<nvidia_smi"),
    *("<!-- written by slowlink -->", '<testsuites name="slowlink"'),
)
"""Documents with a reader of their own: of nvidia-smi, hwloc, NCCL (which writes no declaration, others may), and
ours."""
_TREE_OF_NCCL = "<system version="
_DOCUMENT = ("<w:document", "<w:footnotes", "<w:comments", "<sst", "<office:document", "<a:t>")
"""Documents of office programs: text stands in runs, parted within words."""
_PARAGRAPH_END = regex(
    r"</(?:w:p|text:p|text:h|a:p|si|row|table:table-row)>|<(?:w:br|w:cr|text:line-break|a:br)\s{0,3}/>"
)
_TAB = regex(r"<(?:w:tab|text:tab)/>|</(?:w:tc|c|table:table-cell)>")
_SPACES = regex(r"<text:s(?: text:c=\"(\d{1,3})\")?/>")
_ANY_TAG = regex(r"<[/?!]?[A-Za-z_][\w:.-]{0,100}(?:\s[^<>]{0,4000})?[/?]?>")
_XML_TAG = regex(
    r"</[A-Za-z_][\w:.-]{0,100}\s{0,3}>|<!\[CDATA\[|\]\]>|<\?xml[^<>]{0,200}\?>|<!--|-->"
    r"|<[A-Za-z_][\w:.-]{0,100}(?P<attributes>(?:\s+[\w:.-]{1,100}\s?=\s?(?:\"[^\"<]{0,100000}\"|'[^'<]{0,100000}'))+)\s{0,3}/?>"
    r"|(?:(?<=>)|^\s{0,200})<[A-Za-z_][\w:.-]{0,100}\s{0,3}/?>"
)
_VALUE = regex(r"\"([^\"]*)\"|'([^']*)'")
_FEW_LINES, _MANY_CHARACTERS = 2, 1 << 15
_CHARACTERS = {
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "quot": '"',
    "apos": "'",
    "nbsp": " ",
    "hellip": "...",
    "mdash": "-",
    "ndash": "-",
}


def markup_of(head: str) -> tuple[Undo, ...]:
    """What undoes the markup of a text that begins like this; nothing for one without."""
    if any(mark in head for mark in _TREES):
        return ()
    end = "\n" if head.count("\n") <= _FEW_LINES and len(head) > _MANY_CHARACTERS else "\r"
    if _XML in head and _TREE_OF_NCCL in head:
        return ()
    if _XML in head or "<testsuite" in head:
        return (_document(end) if any(mark in head for mark in _DOCUMENT) else _xml(end), unescaped)
    if _MARKUP.search(head) is not None:
        return (_page(end), unescaped)
    return (unescaped,) if _ESCAPED.search(head) else ()


def _page(end: str) -> Undo:
    """Takes the tags of a page off; what a browser shows in lines is in lines."""

    def without_tags(text: str) -> str:
        if "<" not in text:
            return text
        whole, rest = _without_end(text)
        shown = _TAG.sub("", _blocks(_CELL_END.sub("  ", whole), end))
        return _in_lines(shown, end) + rest

    return without_tags


def _blocks(text: str, end: str) -> str:
    """``text`` with an end of a line for each end of a block; what stands in cells of one row is one line."""
    parts: list[str] = []
    at, in_row = 0, False
    for mark in _ROW.finditer(text):
        parts.append(_BLOCK_END.sub("  " if in_row else end, text[at : mark.start()]))
        in_row = mark[0][1] != "/"
        parts.append(end if not in_row else "")
        at = mark.start() if in_row else mark.end()
    parts.append(_BLOCK_END.sub("  " if in_row else end, text[at:]))
    return "".join(parts)


def _xml(end: str) -> Undo:
    """Takes the tags of a document off; each text between them, and each attribute of several words, is in lines."""

    def attributes(found: re.Match[str]) -> str:
        values = _VALUE.findall(found["attributes"]) if found["attributes"] else ()
        texts = [value for pair in values for value in pair if " " in value.strip()]
        return end + "".join(text + end for text in texts)

    def without_tags(text: str) -> str:
        if "<" not in text and "]]>" not in text:
            return text
        whole, rest = _without_end(text)
        return _in_lines(_XML_TAG.sub(attributes, whole), end) + rest

    return without_tags


def _document(end: str) -> Undo:
    """Takes all tags off; a paragraph, a string and a row are lines."""

    def without_tags(text: str) -> str:
        if "<" not in text:
            return text
        whole, rest = _without_end(text)
        spaced = _SPACES.sub(lambda found: " " * int(found[1] or 1), _TAB.sub("  ", whole))
        return _in_lines(_ANY_TAG.sub("", _PARAGRAPH_END.sub(end, spaced)), end) + rest

    return without_tags


def _without_end(text: str) -> tuple[str, str]:
    bare = text.rstrip("\r\n")
    return bare, text[len(bare) :]


def _in_lines(text: str, end: str) -> str:
    """``text`` without ends of lines before it, and without those behind it that its line has itself."""
    if end == "\r":
        return text.strip(end)
    return text


def unescaped(text: str) -> str:
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    """The character that an entity stands for; control characters stay as they are written."""
    if found["name"]:
        return _CHARACTERS[found["name"]]
    code = int(found["code"]) if found["code"] else int(found["hex"], 16)
    return (
        chr(code) if 0x20 <= code < 0x110000 and not 0x7F <= code < 0xA0 and not 0xD800 <= code < 0xE000 else found[0]
    )
