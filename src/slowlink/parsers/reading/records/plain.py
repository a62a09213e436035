"""JSON records that say one line of text and nothing else that is read: most of what services log."""

from __future__ import annotations

from slowlink.parsers.forms.data_sets import is_data_set
from slowlink.parsers.forms.interface import DocumentParser
from slowlink.parsers.forms.json_blocks import Block, find_block, log_text, opens_block
from slowlink.parsers.reading.line_interest import Plan
from slowlink.parsers.reading.records.collected import collected_line
from slowlink.parsers.reading.told_texts import quoted_lines, told_in

VERSIONED = ("slowlink", "slowlink_probe", "schema")
"""Below these the number of a version tells who reads the record."""
_PLAIN = (str, int, float, bool, type(None))


def plain_record(line: str, plan: Plan, documents: tuple[type[DocumentParser], ...]) -> str | None:
    """The text of the record that ``line`` is as a whole, with no stream of its own; None where it is more, or another
    thing. The same for all lines of one shape, but for their digits: all that is asked here is blind to them."""
    if plan.json_at != 0 or plan.prefix.cut:
        return None
    block = find_block([line], 0, 0, 1)
    if not isinstance(block, Block) or block.cut or not isinstance(block.value, dict):
        return None
    value = block.value
    if not all(isinstance(each, _PLAIN) for each in value.values()) or not says_one_text(value):
        return None
    record = log_text(value)
    if record is None or record.stream or record.host or "CCL " in line:
        return None
    if any(parser.wants_document(value) for parser in documents):
        return None
    text = record.text
    is_plain = text.strip() and text == text.strip() and "\n" not in text and "\r" not in text
    return text if is_plain and not opens_block(text) and not quoted_lines(text) else None


def says_nothing_else(line: str, plan: Plan, documents: tuple[type[DocumentParser], ...]) -> bool:
    """Is ``line`` as a whole a value of JSON that says no more than its line does? The same for all lines of one shape
    that are values of JSON."""
    if plan.json_at != 0 or plan.prefix.cut or "\\" in line or "CCL " in line:
        return False
    block = find_block([line], 0, 0, 1)
    if not isinstance(block, Block) or block.cut or not isinstance(block.value, dict):
        return False
    value = block.value
    if not all(isinstance(each, _PLAIN) for each in value.values()) or not says_one_text(value):
        return False
    if log_text(value) is not None or collected_line(value) is not None:
        return False
    return not any(parser.wants_document(value) for parser in documents)


def says_one_text(value: dict[str, object]) -> bool:
    """Is it no record of a data set, without the number of a version, and without what a tool printed?"""
    if is_data_set(value) or any(key in value for key in VERSIONED):
        return False
    return next(told_in(value), None) is None
