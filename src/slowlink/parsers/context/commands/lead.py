"""What comes before a command: a prompt, a shell trace, the word "Command:"; and whether a bare line is a command."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.parsers.context.commands.options import assignment
from slowlink.parsers.context.commands.programs import base_name, is_known, is_target
from slowlink.parsers.context.commands.typed_prompts import short_prompt
from slowlink.patterns import regex

_PROMPT = regex(
    r"^\s*(?:\([\w. -]{1,40}\) )?"
    r"(?:\[[\w.-]{1,64}@[\w.-]{1,80}[^\]\n]{0,120}\][#$%>]|[\w.-]{1,64}@[\w.-]{1,80}[:~][^\s#$%]{0,200}[#$%]"
    r"|[\w.-]{1,64}@[\w.-]{1,80} [~/][^\s#$%>:]{0,200} ?[#$%>](?= )"
    r"|\[[A-Za-z][\w.-]{1,80} (?:[~/][^\]\n]{0,120}|[A-Za-z][\w.-]{0,80})\][#$%](?= )"
    r"|[A-Za-z][\w.-]{1,80}:[~/][^\s#$%:]{0,200}(?: [#>]|[#$%])(?= )|(?:ba|z)?sh-\d\.\d[#$]|\$)"
    r"(?: +|$)"
)
_TRACE = regex(r"^\s*\+{1,8} ")
_SAID = regex(
    r"^\s*(?:#+ ?)?(?:[Cc]ommand(?: line)?|CMD|cmd|EXEC_CMD|Running(?: command)?|[Ee]xecuting)"
    r"(?::|=) ?[`'\"]?(?=[./\w$])"
)
_BARE = regex(r"^\s*(?:#+ (?=[./]))?(?=[./~$\w])")
_LOOKS_TYPED = regex(r"^-{1,2}\w|^(?:\.{0,2}/|~|\$)|=|^\d+$|^\.\.\.$")


def strip_lead(text: str) -> tuple[str, str] | None:
    """(``prompt`` | ``trace`` | ``said`` | ``bare``, the rest); None where the line cannot hold a command."""
    for kind, pattern in (("prompt", _PROMPT), ("trace", _TRACE), ("said", _SAID)):
        match = pattern.match(text)
        if match:
            return kind, text[match.end() :]
    prompt = short_prompt(text)
    if prompt is not None:
        return "prompt", prompt.command
    match = _BARE.match(text)
    return ("bare", text[match.end() :]) if match else None


def is_bare_command(words: Sequence[str]) -> bool:
    """Is a line without prompt a command, not a sentence that begins with a program's name?

    A command goes on with options, paths or assignments; a sentence goes on with words.
    """
    rest = list(words)
    while rest and assignment(rest[0]) is not None:
        rest.pop(0)
    if not rest or not (is_known(rest[0]) or base_name(rest[0]).startswith("python")):
        return False
    if len(rest) == 1:
        return is_target(rest[0]) and "/" in rest[0]
    after = rest[1]
    if _LOOKS_TYPED.search(after):
        return not after.endswith((":", ",")) or after.startswith("-")
    return len(rest) > 2 and rest[2].startswith("-") and is_known(rest[0])
