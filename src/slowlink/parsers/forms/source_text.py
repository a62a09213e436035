"""Tells lines of source text and of file listings from what programs print: their words are names, and complain of
nothing::

    LOG(ERROR) << "NVLink is down";
    drwxr-xr-x 2 user user 4096 Mar  2 10:11 link down
"""

from __future__ import annotations

from slowlink.patterns import regex

_STATEMENT = regex(
    r"^\s*(?:[+-]\s*)?(?:"
    r"(?:const|let|var|static|public|private|protected|inline|constexpr|class|struct|enum|typedef|def|async def|func|fn"
    r"|void|bool|char|unsigned|auto|export|local|readonly)\b[ *&][\w:<>*&,. \[\]]{1,80} ?(?:[=({;]|:\s*$)"
    r"|from \S{1,80} import |import [\w.]{1,80};?\s*$|raise \w{1,60}\(|throw (?:new )?[\w:]{1,80}\("
    r"|#(?:define|include|ifdef|ifndef|pragma) "
    r"|case [\w:.\"']{1,80}: ?(?:return|break|\w{1,60}\()"
    r"|(?:\w{1,60}(?:\.|->|::)){1,6}\w{1,60}\(f?[\"'].{0,400}[\"'].{0,80}\)[;,]?\s*$"
    r"|\[{1,2} .{1,200} \]{1,2} (?:\|\||&&) "
    r"|(?:return|if|while|for) ?\(.{0,200}[;{]\s*$)"
)
_INSIDE = regex(r"(?:<<|>>) ?(?:\"|std::|\w{1,40}\()|\|\| \{ |\(void\)|\bNULL\)|->\w{1,60}\(|\w\(\);\s*$|\belse \{\s*$")
_LISTED = regex(
    r"(?i)^\s*(?:\d{1,12} +){0,2}[dlcbps-](?:[r-][w-][xsStT-]){3}[.+@]? +\d{1,9} "  # ls -l, find -ls
    r"|^\s*[MADRCU?!]{1,2} {1,3}\S{1,200}/\S{1,200}$"  # git status
    r"|^(?:Only in|Binary files|Files) \S"  # diff -r
    r"|^[\w.~+-]{0,80}/\S{1,300}$"  # a path alone
)
_MAY_STATE = ("(", "{", "<<", ">>", "[", "#", "->", "=", "def ", "import ", "class ", "raise ")


def is_source(text: str) -> bool:
    """Is this a line of a program's text rather than of its output?"""
    if not any(mark in text for mark in _MAY_STATE):
        return False
    return _STATEMENT.match(text) is not None or _INSIDE.search(text) is not None


def is_listing(text: str) -> bool:
    """Is this a row of a file listing?"""
    return _LISTED.match(text) is not None
