"""Names of keys whose words have blanks between them: ``Secret Key: x``, ``AWS Secret Access Key [None]: x``.

A sentence holds such words, too (``cannot access key: x``), and many keys are none (``Partition key``). So only words
that qualify a key stand before it here, and where they do not begin an entry the value has to look like chance.
"""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.names import QUALIFIERS
from slowlink.redact.over_lines.leads import looks_like_lead

_KEY = frozenset({"key", "keys"})
_NAMES_MORE = frozenset({"ssh", "gpg", "pgp", "aes", "rsa", "registry", "certificate", "docker", "cookie"})
"""Before ``key`` and a blank: what follows is as likely a fingerprint, a length or a place."""
_SECRET_BY_NAME = frozenset(
    {"api", "access", "secret", "private", "auth", "authentication", "encryption", "decryption", "signing", "master"}
    | {"subscription", "preshared", "shared", "unseal", "recovery", "admin", "account"}
)
"""Keys of others (of a session, a client, a store) are as likely the names of things."""
_WORD_BEFORE = regex(r"(?:^|(?<=[^\w.-]))(?P<word>[A-Za-z]{2,14})[ ]\Z")
_LONGEST_WORD = 16
_MOST_WORDS = 4
_IN_QUOTES = regex(r"[\"'`][\w ./-]{0,40}\Z")
_LONGEST_QUOTED = 44
_BEFORE_MEMBER = frozenset("\"'`{[(,;|*")
_ALONE = regex(r"\s*$|\\{0,3}[\"'`]?[^\s\"'`]{1,4000}[\"'`]?[\s,;}\])|\\]{0,20}$")


def begin_of_words(text: str, floor: int, begin: int, end: int) -> int:
    """Where a name begins whose last word is ``key`` at ``begin``, with the words before it; ``begin`` when there are
    none."""
    if text[begin:end].lower() not in _KEY:
        return begin
    first = begin
    for _ in range(_MOST_WORDS):
        match = _WORD_BEFORE.search(text, max(floor, first - _LONGEST_WORD), first)
        word = "" if match is None else match["word"].lower()
        if match is None or word not in QUALIFIERS or (first == begin and word in _NAMES_MORE):
            break
        first = match.start("word")
    return first


def is_entry_of_words(text: str, begin: int, end: int, value: int) -> bool:
    """May the name at ``begin`` be that of an entry, with one word at ``value`` or a later line for it, and no part of
    a sentence?"""
    if text[begin:end].lower().split()[-2] not in _SECRET_BY_NAME:
        return False
    if text[begin - 1 : begin] in _BEFORE_MEMBER and begin:
        return True
    if _IN_QUOTES.search(text, max(0, begin - _LONGEST_QUOTED), begin) is not None:
        return True
    return looks_like_lead(text, begin) and _ALONE.match(text, value) is not None
