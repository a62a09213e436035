"""Tells what is from what may be: conditions, advice, plans, repairs, documentation and source text."""

from __future__ import annotations

from slowlink.parsers.forms.marked_lines import quotes_code
from slowlink.parsers.forms.source_text import is_listing, is_source
from slowlink.patterns import regex

MOST_WORDS = 40
"""A line of more words is a paragraph; what it says of a part is not about this machine now."""

_CONDITION = regex(
    r"\b(?:if|when|whenever|whether|unless|until|once|in case|otherwise|may|might|could|can|would|will|should"
    r"|shall|must"
    r"|ensure|make sure|verify|check(?:s|ing)? (?:that|whether|if|for)|tests? (?:that|whether|if|for)"
    r"|to (?:avoid|prevent|detect|find|see|handle|simulate)|e\.g|example|how (?:to|do|can)|why|usually"
    r"|typically|sometimes|often"
    r"|always|never|expect(?:s|ed)? to (?:fail|be)|possible|potential(?:ly)?|assum\w+|suppose|imagine"
    r"|because of a|after an?"
    r"|(?:such )?as|any|each|every|threshold|tolerat\w+|allowed|baseline|simulat\w+|inject\w*|mock\w*)\b"
)
"""Before a state in its sentence: it is not said that it holds."""
_FUTURE = regex(
    r"\b(?:will|would|shall|may|might|could|can) (?:be|not|result|cause|lead|get|have|make)\b"
    r"|^[^,;:(]{0,12} (?:when|if|whenever|unless|until|before you)\b"
)
_OVER = regex(
    r"\b(?:recovered|restored|fixed|resolved|repaired|replac(?:ed|ing)|changed from|cleared|came back|is back"
    r"|are back"
    r"|ago|used to be|(?:was|were|had) .{1,80}\b(?:before the|last (?:week|month|year)|at first|on the first try)"
    r"|previously|formerly|was .{1,40}\bnow|all ok|works? (?:again|now)|no longer (?:down|missing|failing))\b"
)
_PAPER = regex(
    r"\b(?:e\.g|i\.e|etc|factor of|or more|indicat(?:es|ion|or)|describes?|refers? to|means that"
    r"|is used (?:to|for)|specif(?:y"
    r"|ies)|returns?"
    r"|supported"
    r"|see also|for more|this is an?|variables?|fields?|columns?|parameters?|attributes?|arguments?|hierarchy"
    r"|(?:exit|return|status|error) codes|recommended|(?:alert|alarm|recording) rules?|of type)\b"
)
"""Documentation, and what is said of settings and fields rather than of parts."""
_GOOD = regex(r"^\W{0,4}(?:\S{1,40} )?(?:pass(?:ed)?|ok|okay|success)\b|[\s\[(|](?:pass(?:ed)?|ok|success)\W{0,4}$")
_NOT_GOOD = regex(r"\b(?:not|isn.t|nok|n't) (?:ok|okay|pass|a success)|\b(?:error|fail(?:ed|ure)?)\b")
_SOURCE = (
    "==",
    "!=",
    "&&",
    "=>",
    "$(",
    "${",
    "::",
    "();",
    "</",
    "/>",
    "`",
    "%s",
    "%d",
    "\\n",
    "def ",
    "return ",
    "{{",
    '"expr":',
)
_KEY = r"[A-Za-z_][\w.-]{0,60}"
_SHOULD = (
    r"expect\w*|min(?:imum)?|max(?:imum)?|thresholds?|required?|requires|want(?:ed)?|limits?|tolerance|allow(?:ed)?"
)
_SET = regex(rf"(?<![\w.-]){_KEY}=[^\s,;=]+")
_VALUE = regex(r"(?<![\w.-])(?P<key>[\w.-]{1,200})(?:=|: ?(?=\d))[^\s,;=]+")
_IS_WISH = regex(rf"(?:^|[_.-])(?:{_SHOULD})(?:[_.-]|$)")
"""In a key: its name says what should be, as that of ``min_bandwidth_gbs=300`` does."""
_BEGIN = regex(
    r"^(?:\W{0,4}\[[^\]]{1,60}\]|\W{0,4}\d[\d:.,/tz-]{3,40}(?![\d:.,/tz-])|\W{0,4}(?:info|debug|notice)\b){0,6}[\s:>|-]{0,6}"
    r"(?:re)?(?:start(?:s|ed|ing)?|launch(?:es|ed|ing)?|begin(?:s|ning)?|running|run|init(?:iali[sz]\w+)?|using|with|config\w*"
    r"|arg(?:ument)?s|options?|param(?:eter)?s|settings?|command|called|invoked)\b"
)
"""A tool tells how it was started; a word of a stamp, a level or a name in brackets may stand in front."""
_FEW_SETTINGS = 2
_COMMENT = (
    "#",
    "//",
    "/*",
    "* ",
    "- [",
    "--",
    ";",
    "<!--",
    "usage:",
    "note:",
    "tip:",
    "hint:",
    "todo",
    "q:",
    "a:",
    "skipped,",
    "skipped:",
)
_NAMING = regex(r"^[\s-]{0,20}[\"']?(?:name|title|expr|record|help|id)[\"']?: ")
"""A key of a settings file whose value is a name, whatever it sounds like."""
_LEGEND = regex(r"\b[a-z]{1,2} ?[=:] ?[a-z]{2,20}\b[,;/)\s]{1,4}(?:and |or )?[a-z]{1,2} ?[=:] ?[a-z]{2,20}\b")
"""What letters in a table stand for: ``A = Active, D = Down``."""
_OPTION = regex(r"(?:^|[\s\[])--[a-z][a-z-]{2,}")


def is_about_other_things(text: str) -> bool:
    """Is ``text`` (in lower case) a comment, source, help, a name, a paragraph or the news of a repair?"""
    stripped = text.strip()
    if stripped.startswith(_COMMENT) or _NAMING.match(text) is not None or quotes_code(text):
        return True
    if is_source(text) or is_listing(text):
        return True
    if any(sign in text for sign in _SOURCE) or _LEGEND.search(text) is not None or _OPTION.search(text) is not None:
        return True
    if len(text.split()) > MOST_WORDS or _OVER.search(text) is not None or _PAPER.search(text) is not None:
        return True
    return _GOOD.search(stripped) is not None and _NOT_GOOD.search(stripped) is None


def without_wishes(text: str) -> str:
    """``text`` (in lower case) with blanks where a key and its value name what should be; as long as before.

    Where a tool tells how it was started, all its keys do."""
    starts = _BEGIN.match(text.strip()) is not None and len(_SET.findall(text)) >= _FEW_SETTINGS
    if starts:
        return _SET.sub(lambda found: " " * len(found[0]), text)
    return _VALUE.sub(lambda found: " " * len(found[0]) if _IS_WISH.search(found["key"]) else found[0], text)


def is_condition(sentence: str) -> bool:
    """Does what stands before a state in its sentence (in lower case) make it a condition, advice or a rule?"""
    return _CONDITION.search(sentence) is not None


def is_future(behind: str) -> bool:
    """Does what stands behind a state say what would come of it?"""
    return _FUTURE.search(behind) is not None
