"""Which lines could be ours: stateless, and blind to which digits stand in them."""

from __future__ import annotations

from slowlink.parsers.benchmarks.nccl_tests.cells import is_datatype
from slowlink.parsers.benchmarks.nccl_tests.columns import table_text
from slowlink.parsers.benchmarks.nccl_tests.failures import FAILURE_WORDS, may_be_failure
from slowlink.parsers.benchmarks.nccl_tests.rows import is_fragment, looks_like_row, tokens_of
from slowlink.parsers.forms.gates import Gate, anywhere, of_literals
from slowlink.parsers.forms.literals import Literals, folded
from slowlink.patterns import regex

# Tags that mpirun writes where the program flushes in the middle of a line, and source locations that developer builds
# print before every piece of output.
_NOISE = regex(r"\[\d{1,6},\d{1,6}\]<std(?:out|err)>:|[A-Za-z_]\w{0,40}\(\), [\w./-]{1,60}:\d{1,6}, ?")
_WORDS = Literals((
    "algbw", "busbw", "out-of-place", "in-place", "(gb/s)", "nthread", "using devices", "nccl-tests", "rccl-tests",
    "mccl-tests", "slowlink probe ", "collective test ", "bus bandwidth", "out of bounds", "maca version",
    "main_process =", "reducing maxbytes", "json output", "blocking enabled", "per-iteration report", "parallel init",
    "with asterisks", "nccl tests compiled", "gpu memory usage", "bitwise mism", "network counter", "nccl_tests_",
), fold=True)  # fmt: skip
"""In lower case: each is in some line of ours."""
_COUNTED_WORDS = Literals(("rank ", "testing "), fold=True)
_COUNTED = (regex(r"rank +\d+ .{0,60}\bon "), regex(r"testing \d+ cycle"))
_LONGEST = 2000
_SNIPS = Literals(("<snip>",))
_ELISIONS = frozenset({"...", "[...]", "…", "[…]", "<snip>", "(...)", "....", ". . .", ":", "⋮"})
LITERALS = Literals(
    dict.fromkeys(
        (
            *(*_WORDS.texts, *_COUNTED_WORDS.texts, *map(folded, FAILURE_WORDS)),
            *("(), ", "<std", "\n0", "\n-", "\nn", "\n|", "\n#"),
            *(f"\n{elision}\n" for elision in _ELISIONS),
        )
    ),
    fold=True,
)
"""One of them stands in each line that could be ours."""
_TELLING = Literals(
    [text for text in LITERALS.texts if not text.startswith("\n") and text not in _COUNTED_WORDS.texts], fold=True
)
_BEGINS_ROW = r"^[^A-Za-z]*(?:[\dN-]|$)"
"""A number, a sign or what stands for none; or there are no words at all."""


def gate() -> Gate:
    """More than the literals tell: half of all sentences with an N begin small, and any sentence may be of a rank."""
    counted = anywhere(*(f"(?i:{each.pattern})" for each in _COUNTED))
    return ((anywhere(of_literals(_TELLING)),), (counted,), (anywhere(_BEGINS_ROW),), (anywhere(of_literals(_SNIPS)),))


_PROMPT = regex(r"(?:(?:\[[^\]]{1,80}\]|\([^)]{1,40}\) \S{1,120}?|\S{0,120}?)[$#>] |\+ )\S")
_SENTENCE_END = (".", ":", "!", "?", ":**")
_LOG_LINE = regex(r"NCCL (?:INFO|WARN)|^\s*(?:export |set |\+ )|::")


def clean(text: str) -> str:
    """The line without tags in its middle; what comes after 2000 characters is no part of a table."""
    text = text[:_LONGEST]
    return _NOISE.sub("  ", text) if "(), " in text or "<std" in text else text


def wants(text: str) -> bool:
    """Could this line be a table's, a preamble's, a footer's or a failure's?"""
    text = clean(text)
    if _mentions_us(text):
        return True
    begin = table_text(text)[:1]
    if not (begin.isdecimal() or begin in {"-", "N"}):
        return False
    tokens = tokens_of(text)
    if len(tokens) >= 3 and is_fragment(tokens):
        return True
    return looks_like_row(tokens) and (len(tokens) >= 3 or is_datatype(tokens[-1]))


def _mentions_us(text: str) -> bool:
    return (
        _WORDS.in_(text)
        or (_COUNTED_WORDS.in_(text) and any(pattern.search(text.lower()) for pattern in _COUNTED))
        or may_be_failure(text)
        or is_bare_mark(text)
        or is_elision(text)
    )


def is_bare_mark(text: str) -> bool:
    """The line ``#``."""
    return text.strip() == "#"


def is_elision(text: str) -> bool:
    """``...``: somebody cut lines out here."""
    return text.strip() in _ELISIONS


def is_break(text: str) -> bool:
    """A sentence or a shell prompt: what comes after it is not the same table any more."""
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
