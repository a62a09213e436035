"""An input without its secrets: they are taken out of its text before anything is read from it, so that no record can
hold one. Line numbers and sizes stay those of the file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from msgspec.structs import replace

from slowlink.inputs import Input
from slowlink.parsers.reading.engine import Workers
from slowlink.parsers.reading.read import guarded_by, read_one
from slowlink.parsers.reading.sent import with_texts
from slowlink.parsers.reading.sent_back import Read, alone
from slowlink.redact import Redaction


def read_redacted(item: Input, workers: Workers) -> Read:
    """As ``read_one``, of the redacted text; a defect of ours is a problem of this input alone."""
    return guarded_by(_read, item, workers)


def _read(item: Input, workers: Workers) -> Read:
    redaction = Redaction()
    if item.start:
        return with_texts(alone(read_one(item, workers)), redaction.text)
    text = _RedactedText(item, redaction)
    records, stats, digest = read_one(text, workers)
    return records, replace(stats, size_bytes=text.passed or stats.size_bytes), digest


class _RedactedText(Input):
    """The text of another input, redacted. What is no UTF-8 passes as it is."""

    def __init__(self, item: Input, redaction: Redaction) -> None:
        super().__init__(item.name, item.size)
        self.passed = 0
        """Bytes of the other that have passed."""
        self._item, self._redaction = item, redaction

    def begin(self) -> bytes:
        """Only who reads it is told by it."""
        return self._item.begin()

    def chunks(self) -> Iterator[bytes]:
        lines = self._redaction.lines()
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        for chunk in self._item.chunks():
            self.passed += len(chunk)
            yield lines.feed(decoder.decode(chunk)).encode("utf-8", "surrogateescape")
        rest = lines.feed(decoder.decode(b"", final=True)) + lines.finish()
        yield rest.encode("utf-8", "surrogateescape")
        self.problem, self.partial = self._item.problem, self._item.partial
