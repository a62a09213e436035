"""Tokens of issuers that no list names: a short word, a separator, and a long run of characters that is no name.

What tells the run from a name is how often its characters change their kind. Names are made of words, also those
that are written together (``Qwen2MoeForCausalLM``): their pieces are longer than what chance makes. Hosts, pods,
packages of Spack and identifiers of clouds have small letters and digits behind hyphens and dots as some tokens have,
digests and commits have hex behind anything: these are left to the lists.
"""

from __future__ import annotations

import re

from slowlink.patterns import regex
from slowlink.redact.form import Form

_OF_OTHERS = (
    "req|request|msg|resp|chatcmpl|cmpl|call|toolu|run|thread|asst|file|batch|ftjob|evt|event|trace|span|nonce|etag"
    r"|id|job|task|build|commit|digest|hash|cache|integrity|sha\d{1,3}|md5"
)
"""Before identifiers and digests, which are as random and no secret."""
_TAKES_TURNS = r"(?:(?=(?:[A-Za-z]{0,24}\d){2})|(?=[A-Za-z]{0,118}\d)(?=[A-Za-z\d]{0,20}(?:[a-z\d]{1,4}[A-Z]{1,4}){5}))"
UNLISTED = Form(
    "an issuer that is not listed",
    (),
    # Capitals, small letters and digits, behind any separator; small letters and digits only behind an underscore,
    # and not where it may be hex or Base32.
    rf"(?!(?:{_OF_OTHERS})[_~-])[A-Za-z][A-Za-z\d]{{1,11}}(?:_v?\d)?[_~-](?P<unlisted>"
    rf"(?=[a-z\d]{{0,24}}[A-Z])(?=[A-Z\d]{{0,24}}[a-z]){_TAKES_TURNS}[A-Za-z\d]{{24,120}}"
    r"|(?<=_)(?=[a-f\d]{0,31}[g-z])(?=[a-z2-7]{0,31}[0189])[a-z\d]{32,120})(?![\w-])",
    "the usual form of newer issuers: prefix, separator, Base62 or Base36",
)
_PIECES = regex(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_CASES = regex(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])")
_LONGEST_PIECE, _SHORTEST_RUN, _FOR_ONE_MORE = 8, 24, 12
"""So long chance makes no piece in the shortest run; in one that is so much longer it may make one of one more."""


def is_name(match: re.Match[str]) -> bool:
    """Is what ``UNLISTED`` found made of words?"""
    run = match["unlisted"]
    if run is None:
        return False
    pieces = _PIECES.findall(run)
    if run.islower():
        return len(run) > 3.2 * len(pieces)
    if max(map(len, pieces)) > _LONGEST_PIECE + (len(run) - _SHORTEST_RUN) // _FOR_ONE_MORE:
        return True
    if match.string[match.start("unlisted") - 1] == "_":
        return False
    return len(run) > 2.6 * len(pieces) or len(_CASES.findall(run)) < len(run) / 8
