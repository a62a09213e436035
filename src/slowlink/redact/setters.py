"""Commands and files in which a name has its value after a blank."""

from __future__ import annotations

from slowlink.patterns import regex
from slowlink.redact.harmless import looks_secret

_OWN = r"(?=\S{0,99}\w)\S{1,100}"
"""Of netrc; between two headings of a table a bar stands."""
_TAKES_BLANK = regex(
    r"(?:\b(?:setenv|pushenv|ENV|ARG)|(?<![\w-])-g?env|\bpasswd/[\w-]{1,60}|\bset(?:\s{1,3}-{1,2}\w{1,12}){1,4}|\bconfig(?:ure)?(?:\s{1,3}--?[\w-]{1,20}|\s{1,3}set){0,3}"
    rf"|\bmachine\s{{1,4}}{_OWN}(?:\s{{1,4}}(?:login|port)\s{{1,4}}{_OWN}){{0,2}}"
    rf"|\blogin (?:{_OWN}|\s{{0,3}}{_OWN}(?= [\"']?\Z))|(?P<wide>\blogin\s{{1,4}}{_OWN}"
    r"|\buser\s{1,4}\S{1,100}|\bset|(?P<define>#\s{0,4}define)))"
    r"\s{1,4}[\"']?\Z|(?P<cmake>(?<![\w.-])set\()\s{0,4}\Z"
)
"""What stands before a name that has its value after a blank: csh, fish, module files, Dockerfiles, ``netrc``, the
launcher of MPICH and Intel MPI, Debian's installer. ``wide``: so far apart headings stand, too, and
sentences say it; a text in quotes is sure behind ``#define``."""
_FIRST = regex(r"\S{1,400}")
_LONGEST = 140


def takes_pair(text: str, floor: int, begin: int, value: int) -> bool:
    """Does what stands before the name at ``begin`` take it and the value at ``value`` after a blank, or after a null
    byte, as /proc/PID/cmdline has it?"""
    looked_from = max(floor, begin - _LONGEST)
    before = text[max(0, looked_from - 1) : begin].replace("\0", " ")
    takes = _TAKES_BLANK.search(before, min(1, looked_from))
    if takes is None or (takes["wide"] is None and takes["cmake"] is None):
        return takes is not None
    first = _FIRST.match(text, value)
    return first is not None and (looks_secret(first[0]) or (takes["define"] is not None and first[0][0] == '"'))
