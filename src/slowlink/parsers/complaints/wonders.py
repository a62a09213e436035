"""Tells what people ask and what they guess from what they say: a question states nothing, a guess is a hint."""

from __future__ import annotations

from slowlink.patterns import regex

_SENTENCE = regex(r"[.!?][\"')]{0,2}(?:\s+|$)")
_ASKS = regex(r"\?[\"')!?.\s]{0,12}$")
_OPENS = regex(
    r"(?:^|: )\W{0,6}(?:(?:so|and|but|or|also|please|hi|hello),? )?"
    r"(?:(?:is|are|was|were|does|do|did|can|could|has|have|had|should|would|will|might|may)(?:n.t)? "
    r"(?:the|an?|my|our|your|its?|this|that|these|those|there|any\w*|some\w*|one|all|we|i|you|they)\b"
    r"|(?:what|how|which|who|where|why)(?:.s| (?:is|are|does|do|did|can|could|would|should|if))\b)"
)
"""Nobody ends every question with its mark; a verb before its subject asks, too."""
_GUESSES = regex(
    r"\b(?:maybe|perhaps|possibly|presumably|not sure|unsure|no idea (?:if|whether)"
    r"|(?:i|we)(?: \w+)? (?:think|guess|suspect|believe|wonder|fear|suppose)|my (?:guess|suspicion|theory|hunch)"
    r"|(?:it|this|that)(?: \w+)? (?:seems?|looks|feels|sounds) (?:like|that|as))\b"
)

_WHETHER = regex(
    r"\W{0,6}(?:(?:so|and|but),? )?(?:could|can|may|might|would|should|is it possible)\b[^?]{0,300}\?\W{0,6}"
)


def asks_whether(text: str) -> bool:
    """Is the whole line a question whether something may be? What it quotes need not have happened."""
    return "?" in text and _WHETHER.fullmatch(text.lower()) is not None


def without_questions(text: str) -> str:
    """``text`` (in lower case) with blanks in place of each sentence that asks; as long as before."""
    parts, begin = [], 0
    for mark in _SENTENCE.finditer(text):
        parts.append(_blank_question(text[begin : mark.end()]))
        begin = mark.end()
    return "".join((*parts, _blank_question(text[begin:])))


def is_guess(sentence: str) -> bool:
    """Does somebody guess in this sentence (in lower case)?"""
    return _GUESSES.search(sentence) is not None


def _blank_question(sentence: str) -> str:
    asks = _ASKS.search(sentence) is not None or _OPENS.search(sentence) is not None
    return " " * len(sentence) if asks else sentence
