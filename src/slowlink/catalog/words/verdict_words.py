"""What the cells of tables of nodes say, from ``verdict_words.toml``."""

from __future__ import annotations

import re
from functools import cache

from slowlink.catalog.load import table
from slowlink.patterns import regex

_FRAME = regex(r"^[\s*_`\[(\"']+|[\s*_`\])\"'.!]+$")
_TICKS = "✓✔✅✗✘❌✖\ufe0f "
_WORD = regex(r"[^\W\d_]+")
_BEHIND = regex(r"\s{0,3}[:;,(]\s{0,3}|\s{1,3}[–—-]\s{1,3}")


def verdict_of(cell: str) -> tuple[str, str] | None:
    """``pass``, ``fail`` or ``warn``, and what the cell says behind that; None where it begins with no verdict."""
    text = _FRAME.sub("", cell[:300]).lower()
    whole = _verdicts().get(text) or _verdicts().get(cell.strip().lower()) or _verdicts().get(text.lstrip(_TICKS))
    if whole is not None:
        return whole, ""
    mark = _BEHIND.search(text)
    first = _verdicts().get(text[: mark.start()].strip()) if mark is not None else None
    return (first, text[mark.end() :].strip(" ).")) if mark is not None and first is not None else None


def verdict_at_end(text: str) -> str | None:
    """The longest words at the end of a line that are a verdict."""
    found = _at_end().search(text.rstrip(" .!*`").lower())
    return found[0] if found is not None else None


def is_verdict_heading(cell: str) -> bool:
    return _FRAME.sub("", cell).lower() in _headings("verdict")


def is_node_heading(cell: str) -> bool:
    return _FRAME.sub("", cell).lower() in _headings("node")


def is_test_heading(cell: str) -> bool:
    return _FRAME.sub("", cell).lower() in _headings("test")


def is_of_other_programs(cell: str) -> bool:
    return _FRAME.sub("", cell).lower() in _headings("others")


@cache
def verdict_texts() -> frozenset[str]:
    """Every verdict and every heading of one, in small letters; one of them stands in each row that tells one."""
    return frozenset(word for word in {*_verdicts(), *_headings("verdict")} if len(word) > 1 or word > "~")


def may_tell(text: str) -> bool:
    """May one of ``verdict_texts`` stand in ``text`` as words of its own? *ok* is part of *token*."""
    return not text.isascii() or not last_words().isdisjoint(_WORD.findall(text.lower()))


def may_tell_verdict(text: str) -> bool:
    """The same of a verdict alone, without the headings of one: *check* is part of many sentences."""
    return not text.isascii() or not last_words_of_verdicts().isdisjoint(_WORD.findall(text.lower()))


def may_tell_or_head(text: str) -> bool:
    """The same, or one of ``first_headings``."""
    return not text.isascii() or not _last_words_of_all().isdisjoint(_WORD.findall(text.lower()))


def node_headings() -> frozenset[str]:
    """What a first column of nodes is headed by, in small letters."""
    return _headings("node")


@cache
def first_headings() -> frozenset[str]:
    """What a first column of nodes or of checks is headed by, in small letters."""
    return _headings("node") | _headings("test")


@cache
def check_texts() -> frozenset[str]:
    """Words of which one stands in each row of a check: what is part of most words is left out."""
    common = ("ok", "ng", "hs", "bon", "gut", "bad", "bien", "fine", "good")
    return frozenset(
        {word for word in verdict_texts() if word not in common}
        | {
            "[ok",
            " ok",
            "ok]",
            "=ok",
            '"ok',
            "[ ok",
            "[nok",
            "[error",
            "[err]",
            "[skip",
            "[n/a]",
            " gut",
            " bad",
            " good",
            "=fail",
        }
    )


@cache
def _verdicts() -> dict[str, str]:
    entries = table("words/verdict_words.toml")["verdicts"].items()
    return {_FRAME.sub("", word) or word: verdict for verdict, words in entries for word in words}


@cache
def _headings(kind: str) -> frozenset[str]:
    return frozenset(table("words/verdict_words.toml")["headings"][kind])


@cache
def last_words() -> frozenset[str]:
    """Of each of ``verdict_texts`` that may stand in a text of ASCII."""
    return _last_words(verdict_texts())


@cache
def last_words_of_verdicts() -> frozenset[str]:
    """The same of verdicts alone."""
    return _last_words(frozenset(_verdicts()) & verdict_texts())


@cache
def _last_words_of_all() -> frozenset[str]:
    return _last_words(verdict_texts() | first_headings())


def _last_words(texts: frozenset[str]) -> frozenset[str]:
    return frozenset(_WORD.findall(text)[-1] for text in texts if text.isascii())


@cache
def _at_end() -> re.Pattern[str]:
    words = sorted(_verdicts(), key=len, reverse=True)
    return regex(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, words))})$")
