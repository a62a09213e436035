"""What may stand between a name and its value, in all that people and programs write."""

from __future__ import annotations

import re

from slowlink.patterns import regex

_HERE = (
    r"(?:\$\(\s{0,4}cat\s{1,4})?(?:<<[-~]?|(?:(?<==)|(?<== ))<<<)\s{0,4}\\?[\"']?(?P<end>[A-Za-z_]\w{0,40})[\"']?\s*$"
)
HERE_DOCUMENT = regex(_HERE)
"""What begins a value that goes on up to a line of its own: of shells, HCL, Ruby and PHP."""
_DECLARED = r"(?:\[\d{0,6}\]|\s{1,4}(?:str|string|&str|char \*|\[\]byte)|\s{0,4}\{[\sa-z;]{1,40}\})"
"""Between a name and ``=``: the type or the size of a variable, or the accessors of a property."""
_TYPED = (
    r":\s{0,4}(?:\([\w.*\[\]{}]{1,60}\)\s?){1,3}\(len=\d{1,9}(?: cap=\d{1,9})?\)\s(?=[\"`])"
    r"|\s{1,40}REG_(?:(?:EXPAND_|MULTI_)?SZ|BINARY)\s{1,40}"
)
"""The type of a value, and perhaps its size: Go's spew, a query of Windows' registry."""
NUMBERED = r"(?:arg[vs]?|Arg)\s?[\[(]?\d{1,4}[\])]?\s{0,4}[:=]\s{0,4}"
"""Before an argument, where each is printed with its number: ``argv[2] = ``."""
_WHOSE = (
    r"\s{1,4}(?:for|of|on|di|de|du|del|da|para|pour|von|voor|van|f\u00fcr)(?:\s{1,4}(?!is\s|was\s)[\w.@/-]{1,100}){1,3}"
)
"""Whose or of what it is: ``password of user root: x``."""
GAP = regex(
    rf"[\"']?\s{{0,4}}(?:[:=]>?|=>)?\s{{0,4}}(?={_HERE})"
    r"|:\s{0,4}&?(?:'[a-z]\w{0,20}\s{1,4})?[A-Za-z][\w.\[\]<>]{0,30}\s{0,4}=\s{0,4}(?=[bBrRuUfF]{0,2}[\"']|[A-Za-z_][\w.]{0,60}\()"
    r"|\\{0,3}[\"'](?:,[^,()\n]{1,60}){0,4},\s{0,4}default\s{0,4}=\s{0,4}(?=[bBrRuUfF]{0,2}[\"'])"
    rf"|[\"']?,?\s{{1,4}}{NUMBERED}(?=\S)|[\"'],\s{{1,4}}0x[\da-f]{{4,16}}\s{{1,4}}(?=[\"'])"
    rf"|{_DECLARED}\s{{0,4}}=\s{{0,4}}(?=[\"'])"
    rf"|{_TYPED}"
    r"|\\{0,3}[\"'`]?[\])}%]{0,2}(?:\[[\"']?\w{1,40}[\"']?\])?\*{0,2}\s{0,200}(?:<(?:const|close)>\s{1,4})?(?P<sign>[:?+]{0,2}={1,3}>?|(?:\|\||&&|[-!|~?]{1,2})={1,3}(?=\s{0,4}[\"'`])|:(?!:)|::(?=\s{1,4}[^\s:{*<])|[\uff1a\uff1d]|&gt;|<<<|\\(?:x|u00)3[dDaA])(?:\*\*)?\s{0,200}"
    r"|(?P<comma>\\{0,3}[\"'](?=\s{0,4},\s{0,4}[bBrRuUfF]{0,2}\\{0,3}[\"']))\s{0,4},\s{0,4}"
    r"|(?P<tuple>\s{0,4},\s{0,4}(?:<<)?(?=\")|\s{1,4}\.\s{1,4}(?=\"))"
    r"|\.{2,200}\s{0,4}[:=]\s{0,200}"
    r"|(?P<leader>\s{1,4}\.{2,200}\s{1,4})"
    r"|(?P<said>(?:\s{1,4}for(?:\s{1,4}(?!is\s|was\s)[^\s:=]{1,100}){1,3})?"
    r"\s{1,4}(?:(?:is|was|has been)(?:\s{1,4}(?:re)?set to)?\s{0,4}:?|(?:re)?set to"
    r"|set by (?:the )?environment to|changed to|->)\s{1,4})"
    rf"|(?P<of>{_WHOSE}\s{{0,4}}[:=]\s{{1,4}}(?=\S))"
    r"|\\{0,3}[\"'`]?\]?\)?\s{0,4}(?P<other>\|\||\?\?|<{1,2}-|(?<=\s)or)\s{0,4}(?=[\"'])"
    r"|(?P<call>\(|\{)\s{0,4}(?=(?P<literal>[\"'])[^\"'\n]{1,400}(?P=literal)\s{0,4}[)}])"
    r"|(?P<asked>\s{1,4}(?:\[(?:[A-Za-z :,.'-]{1,40}|\*{4,40}[A-Za-z\d]{0,8})\]"
    r"|\([A-Za-z ,.'-]{1,40}\))\s{0,4}:\s{1,4})"
    r"|(?P<bracket>\s{1,4}\[(?=\S{8,400}\](?![^\s.,;:])))"
    r"|(?P<blank>[\s\0]{1,200})"
)
_ONE_WORD = regex(r"[^\s\"'<]{4,400}\s*$")


def is_said_to_the_end(gap: re.Match[str], text: str) -> bool:
    """Does one word alone end the line behind ``the password is:``? A sentence goes on."""
    return gap[0].rstrip().endswith("is:") and _ONE_WORD.match(text, gap.end()) is not None
