"""What launchers and log drivers put before each line of a program: its rank, its pod, a stamp.

Open MPI's ``--tag-output``, ``srun --label``, ``kubectl logs --timestamps`` and ``--prefix``, the journal, the files of
container runtimes, Ray, Compose. What one line opens goes on in the next line of the same program only.
"""

from __future__ import annotations

from slowlink.patterns import regex

_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_DAY = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
_STAMP = rf"{_TIME}(?: std(?:out|err) [FP])?|{_DAY}"
_TAG = (
    r"\[\d{1,6},\d{1,6}\]<\w{1,10}>:|\d{1,6}:|\[pod/[\w./-]{1,200}\]|\([\w.-]{1,60} pid=\d{1,9}[^()]{0,80}\)"
    r"|[\w.-]{1,64} {1,20}\|"
)
_JOURNAL = r"(?: [\w.-]{1,64} [\w.@/-]{1,64}(?:\[\d{1,9}\])?:)?"
_LEAD = regex(rf"(?:(?:{_TAG}|(?:{_STAMP}){_JOURNAL}) ?){{1,3}}")
_WHEN = regex(rf"{_TIME}(?P<stream> std(?:out|err))?(?: [FP] )?|{_DAY}")


def split_lead(text: str) -> tuple[str, str]:
    """What stands before the words of the program, and these."""
    match = _LEAD.match(text)
    return (match[0], text[match.end() :]) if match is not None else ("", text)


def who(lead: str) -> str:
    """Whose line it is: the lead without its time, but with the stream that a container runtime tells. A blank at its
    end may be the line's own."""
    return _WHEN.sub(lambda match: match["stream"] or "", lead).rstrip()
