"""Which lines could be ours: stateless, and blind to which digits stand in them."""

from __future__ import annotations

import re

from slowlink.parsers.nccl_tests.cells import is_datatype
from slowlink.parsers.nccl_tests.failures import may_be_failure
from slowlink.parsers.nccl_tests.rows import is_fragment, looks_like_row, tokens_of
from slowlink.patterns import regex

# Tags that mpirun writes where the program flushes in the middle of a line, and source locations that developer builds
# print before every piece of output.
_NOISE = regex(r"\[\d{1,6},\d{1,6}\]<std(?:out|err)>:|[A-Za-z_]\w{0,40}\(\), [\w./-]{1,60}:\d{1,6}, ?")
_WORDS = regex(
    r"algbw|busbw|out-of-place|in-place|\(GB/s\)|nThread|Using devices|Rank +\d+ .{0,60}\bon |[nrm]ccl-tests|"
    r"slowlink probe |Collective test |bus bandwidth|Out of bounds|maca version|main_process =|"
    r"Reducing maxBytes|JSON output|Blocking Enabled|Per-Iteration Report|"
    r"Parallel Init|Testing \d+ cycle|with asterisks|NCCL Tests compiled|GPU memory usage|"
    r"Bitwise mism|Network counter|NCCL_TESTS_",
    re.IGNORECASE,
)
_LONGEST = 2000
_ELISIONS = frozenset({"...", "[...]", "…", "[…]", "<snip>", "(...)", "....", ". . .", ":", "⋮"})
_PROMPT = regex(r"(?:(?:\[[^\]]{1,80}\]|\([^)]{1,40}\) \S{1,120}?|\S{0,120}?)[$#>] |\+ )\S")
_SENTENCE_END = (".", ":", "!", "?", ":**")
_LOG_LINE = regex(r"NCCL (?:INFO|WARN)|^\s*(?:export |set |\+ )|::")


def clean(text: str) -> str:
    """The line without tags in its middle; what stands behind 2000 characters is no part of a table."""
    text = text[:_LONGEST]
    return _NOISE.sub("  ", text) if "(), " in text or "<std" in text else text


def wants(text: str) -> bool:
    """Could this line be a table's, a preamble's, a footer's or a failure's?"""
    text = clean(text)
    if _WORDS.search(text) or may_be_failure(text) or is_bare_mark(text) or is_elision(text):
        return True
    tokens = tokens_of(text)
    if not tokens or not (tokens[0][:1].isdigit() or tokens[0][:1] in {"-", "N"}):
        return False
    if len(tokens) >= 3 and is_fragment(tokens):
        return True
    return looks_like_row(tokens) and (len(tokens) >= 3 or is_datatype(tokens[-1]))


def is_bare_mark(text: str) -> bool:
    """The line ``#``."""
    return text.strip() == "#"


def is_elision(text: str) -> bool:
    """``...``: somebody cut lines out here."""
    return text.strip() in _ELISIONS


def is_break(text: str) -> bool:
    """A sentence or a shell prompt: what stands behind it is not the same table any more."""
    bare = text[:400].strip()
    if _PROMPT.match(bare):
        return True
    words = [word for word in bare.split() if word.strip(".,:;()!?").isalpha()]
    return len(words) >= 3 and bare.endswith(_SENTENCE_END)


def caption_of(text: str) -> str | None:
    """The text above a table when it is words (a heading, a sentence), not a log line, a prompt or a trace."""
    bare = text[:500].strip()
    if not bare or len(bare) > 400 or (_PROMPT.match(bare) and not bare.startswith("# ")) or _LOG_LINE.search(bare):
        return None
    return bare if any(character.isalpha() for character in bare) else None
