"""Records of a log that are alike but for their stamps and for what they say: nearly all of a log in JSON lines::

    {"log":"node1:42:42 [0] NCCL INFO ...\\n","stream":"stdout","time":"2026-11-28T10:00:00.1Z"}

Whether a record is more than its text (a document that some parser wants, a record of a data set, output of a tool) is
asked once for all that have the same around it.
"""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.parsers.forms.interface import DocumentParser
from slowlink.parsers.forms.json_blocks import Block, LogText, find_block, log_text, opens_block, text_key_of
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.reading.records.plain import VERSIONED, says_one_text

_MOST_KNOWN = 4096
_LONGEST_AROUND = 2000
"""Characters of what stands around a text; of a longer one nothing is kept in mind."""


def wanting(documents: Iterable[type[DocumentParser]], value: object) -> list[type[DocumentParser]]:
    """Those who want a value; where somebody knows it for a format, nobody who takes what is left (``last_resort``)."""
    found = [parser for parser in documents if parser.wants_document(value)]
    return [parser for parser in found if not getattr(parser, "last_resort", False)] or found


class LogRecords:
    """The records of which ``documents`` want nothing, known by what stands around their texts, but for its digits."""

    def __init__(self, documents: tuple[type[DocumentParser], ...]) -> None:
        self._documents = documents
        self._known: dict[bytes, bool] = {}
        self._unwanted: set[bytes] = set()
        """Shapes of values in one line that nobody wants: a trainer logs its numbers in thousands of them."""

    def readers(self, block: Block) -> list[type[DocumentParser]]:
        """Those of ``documents`` who want a value; of values that differ by digits alone asked once."""
        value = block.value
        alike = block.span == 1 and isinstance(value, dict) and value.keys().isdisjoint(VERSIONED)
        text = repr(value) if alike else ""
        shape = shape_of(text) if 0 < len(text) <= _LONGEST_AROUND else b""
        if shape in self._unwanted:
            return []
        readers = wanting(self._documents, value)
        if not readers and shape:
            if len(self._unwanted) >= _MOST_KNOWN:
                self._unwanted.clear()
            self._unwanted.add(shape)
        return readers

    def of(self, line: str) -> LogText | None:
        """What the record says that ``line`` is as a whole: one line of text. None where it is more, or another thing:
        those are read the long way."""
        block = find_block([line], 0, 0, 1)
        if not isinstance(block, Block) or block.cut or not isinstance(block.value, dict):
            return None
        value = block.value
        record, key = log_text(value), text_key_of(value)
        if record is None or key is None or "\n" in record.text or "\r" in record.text:
            return None
        said = value[key]
        if not isinstance(said, str) or opens_block(said) or opens_block(record.text):
            return None
        return record if self._is_no_more(value, key) else None

    def _is_no_more(self, value: dict[str, object], key: str) -> bool:
        around = repr({**value, key: ""})
        if len(around) > _LONGEST_AROUND:
            return self._asked(value)
        shape = shape_of(around)
        known = self._known.get(shape)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[shape] = self._asked(value)
        return known

    def _asked(self, value: dict[str, object]) -> bool:
        return says_one_text(value) and not any(parser.wants_document(value) for parser in self._documents)
