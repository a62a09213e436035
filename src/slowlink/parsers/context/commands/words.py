"""Shell words: quotes, escapes, variables and simple arithmetic, as a shell would split them. Total and linear.

Nothing is executed: an expansion that needs the machine (``$(cmd)``, globs, unknown variables) stays as it is
written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from slowlink.patterns import regex

MAX_WORDS = 600
MAX_TEXT = 16_000

_WORD = regex(
    r"""(?P<space>\s+)
      |(?P<stop>\|\||&&|[|;&]|\d?>>?|<<?<?)
      |(?P<single>'[^']*(?:'|$))
      |(?P<double>"(?:[^"\\]|\\.)*(?:"|$))
      |(?P<substitution>\$\((?:[^()]|\([^()]*\))*\)\)?|`[^`]*`)
      |(?P<escape>\\.)
      |(?P<plain>[^\s'"\\|;&<>$`]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_VARIABLE = regex(r"\$(?:\{(?P<braced>[A-Za-z_]\w{0,80})\}|(?P<bare>[A-Za-z_]\w{0,80}))")
_ARITHMETIC = regex(r"\$\(\(\s*(?P<sum>[\d\s*+-]{1,60}?)\s*\)\)")
_PRODUCT = regex(r"\d{1,12}(?:\s*\*\s*\d{1,12}){0,6}")

UNRESOLVED = regex(r"\$[\w{(@*#?!-]|`")
"""What an expansion that could not be made leaves in a word."""


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Replace known variables and products or sums of literal integers: ``$((512*1024))`` to ``524288``."""

    def known(match: re.Match[str]) -> str:
        return variables.get(match["braced"] or match["bare"], match.group())

    return _ARITHMETIC.sub(_calculate, _VARIABLE.sub(known, text[:MAX_TEXT]))


def _calculate(match: re.Match[str]) -> str:
    total = 0
    for term in match["sum"].split("+"):
        if not _PRODUCT.fullmatch(term.strip()):
            return match.group()
        product = 1
        for factor in term.split("*"):
            product *= int(factor)
        total += product
    return str(total) if total < 10**18 else match.group()


def split(text: str) -> list[list[str]]:
    """The simple commands of a line as words, without redirections: ``a b | c`` gives ``[[a, b], [c]]``."""
    commands: list[list[str]] = [[]]
    word: list[str] = []
    redirect = False

    def finish() -> None:
        nonlocal redirect
        if word and not redirect:
            commands[-1].append("".join(word))
        redirect = redirect and not word
        word.clear()

    for match in _WORD.finditer(text[:MAX_TEXT]):
        group, part = match.lastgroup, match.group()
        if group == "space":
            finish()
        elif group == "stop":
            if part[-1] in "<>" and word == ["2"]:
                word.clear()
            finish()
            redirect = part[-1] in "<>"
            if not redirect and commands[-1]:
                commands.append([])
        else:
            word.append(_unquote(group, part))
        if sum(map(len, commands[-1:])) > MAX_WORDS:
            break
    finish()
    return [command for command in commands if command]


def _unquote(group: str | None, part: str) -> str:
    if group == "single":
        return part.strip("'") if part.endswith("'") and len(part) > 1 else part[1:]
    if group == "double":
        body = part[1:-1] if part.endswith('"') and len(part) > 1 else part[1:]
        return re.sub(r'\\(["\\$`\n])', r"\1", body)
    if group == "escape":
        return part[1:]
    return part
