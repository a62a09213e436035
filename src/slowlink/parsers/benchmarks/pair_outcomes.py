"""What columns of somebody's sheet say of how a test ended: its status, its error, how many results were wrong."""

from __future__ import annotations

from collections.abc import Sequence
from re import Pattern

from slowlink.parsers.benchmarks.pair_amounts import number_in
from slowlink.patterns import regex

FAILED = regex(
    r"(?i)fail(?:ed|ure)?|time[d-]?[ _-]?out|hung|hang|error|aborted|killed|crash(?:ed)?|missing(?:_data)?|no[ _-]?data"
)
_STATUS = regex(r"(?i)\W*(?:test[ _-]?)?(?:status|state|result|outcome|verdict|conclusion)\W*")
_SAYS_FAILED = regex(
    r"(?i)(?<!no )(?<!0 )(?<!not )(?<!without )(?:fail|error|time[d-]?[ _-]?out|abort|kill|crash|hang|hung|cancel"
    r"|out[ _]of[ _]|\boom\b|dead|unreach|refused|lost|wrong|corrupt|broken)"
)
_CODE = regex(r"(?i)\W*(?:exit|return|ret)[ _-]?(?:code|status|value)\W*|\W*(?:rc|exit|retval|returncode|errno)\W*")
_ERROR = regex(
    r"(?i)\W*(?:num[ _-]?|n[ _-])?(?:error|err|failure|exception|fail(?:ed)?)"
    r"(?:s|[ _-]?(?:message|msg|text|count|reason))?\W*"
)
_WRONG = regex(
    r"(?i)\W*(?:num[ _-]?)?(?:wrong|incorrect|mismatch(?:es)?|oob|out[ _-]of[ _-]bounds|corrupt(?:ed|ions)?)"
    r"(?:[ _-]?(?:values?|results?|elements?|count))?\W*"
)
_WELL = regex(r"(?i)\W*(?:success(?:ful)?|succeeded|pass(?:ed)?|ok|valid(?:ated)?|completed|finished|correct)\W*")
_NONE = regex(
    r"(?i)|0+(?:\.0+)?|-{1,3}|n/?a|nan|none|null|no(?: errors?| failures?)?|false|ok|pass(?:ed)?|success|nil|\[\]|\{\}"
)
_NOT = regex(r"(?i)0|no|false|n|f|fail(?:ed)?")


class Outcomes:
    """Columns by their names, and what their cells say."""

    def __init__(self, heading: Sequence[str]) -> None:
        self._status, self._code, self._well = (_named(each, heading) for each in (_STATUS, _CODE, _WELL))
        self._errors = _named(_ERROR, heading) + _named(_WRONG, heading)
        self.columns = frozenset((*self._status, *self._code, *self._well, *self._errors))

    def failed(self, cells: Sequence[str]) -> bool:
        """Does any cell say that the test failed?"""
        texts = [cell.strip().strip("\"'*`") for cell in cells]
        return (
            any(map(FAILED.fullmatch, texts))
            or any(_SAYS_FAILED.search(texts[at]) for at in self._status)
            or any(number_in(texts[at].lstrip("-")) for at in self._code)
            or any(not _NONE.fullmatch(texts[at]) for at in self._errors)
            or any(_NOT.fullmatch(texts[at]) for at in self._well)
        )


def _named(pattern: Pattern[str], heading: Sequence[str]) -> tuple[int, ...]:
    return tuple(at for at, name in enumerate(heading) if pattern.fullmatch(name))
