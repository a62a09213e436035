"""Finds the messages of a source file: which format, printed by which call, with which arguments.

C, C++, CUDA and Go: calls by name with a string literal among the arguments, and streams (``LOG(ERROR) << ...``).
Python: calls of loggers, warnings and exceptions. Open MPI's help files: a topic is a message of several lines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct
from vocabulary_source import Program, SourceFile

VALUE = "\x00"
"""Stands in a format for an argument that is not printed by a conversion (streams, f-strings)."""


class Format(Struct, frozen=True):
    """One message in the source."""

    text: str
    """With the conversions of its language, or ``VALUE``."""
    call: str
    arguments: tuple[str, ...]
    """Source text of what is filled in, in order."""
    file: str
    number: int
    function: str = ""


def formats(file: SourceFile, program: Program) -> Iterator[Format]:
    """Every message of ``file``."""
    if program.language == "python":
        yield from _python(file, program)
    elif program.language == "help":
        yield from _help(file)
    elif program.language == "table":
        yield from _table(file, program)
    else:
        yield from _c(file, program)


# ---- C and its relatives ----

_SKIP = re.compile(r"""//[^\n]*|/\*.*?\*/|(?P<keep>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)""", re.DOTALL)
_STRING = re.compile(r'[uUL]?(?:R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|`(?P<go>[^`]*)`)', re.DOTALL)
_TOKEN = re.compile(_STRING.pattern + r"|(?P<name>#?\s*[A-Za-z_]\w*)|(?P<other>\S)", re.DOTALL)
_FUNCTION = re.compile(
    r"^(?:[A-Za-z_][\w:<>,*&~\s]*?[\s*&])?(?P<name>[A-Za-z_]\w*)\s*\([^;{}]*\)[^;{}()]*\{", re.MULTILINE
)
_ESCAPES = {"n": " ", "t": " ", '"': '"', "\\": "\\", "'": "'", "r": "", "0": ""}


def without_comments(text: str) -> str:
    """The same text, with as many lines, without comments and joined lines."""
    text = text.replace("\\\r\n", " \n").replace("\\\n", " \n")
    return _SKIP.sub(lambda found: found["keep"] or "\n" * found[0].count("\n"), text)


def _c(file: SourceFile, program: Program) -> Iterator[Format]:
    text = without_comments(file.text)
    functions = [(found.start(), found["name"]) for found in _FUNCTION.finditer(text)]
    if program.calls:
        for found in re.finditer(rf"(?<![\w\"])(?:{program.calls})\s*\(", text):
            arguments = split_arguments(text, found.end())
            read = _format_argument(arguments)
            if read is not None:
                body, inside, rest = read
                name = found[0].rstrip("( \n\t")
                yield Format(body, name, (*inside, *rest), file.path, *_place(text, found.start(), functions))
    if program.joined:
        for found in re.finditer(rf"(?<![\w\"])(?:{program.joined})\s*\(", text):
            body, inside = _joined(split_arguments(text, found.end()))
            if body.replace(VALUE, "").strip(" ,.:()"):
                name = found[0].rstrip("( \n\t")
                yield Format(body, name, inside, file.path, *_place(text, found.start(), functions))
    if program.streams:
        for found in re.finditer(rf"(?<![\w\"])(?:{program.streams})\s*<<", text):
            body, inside = _stream(text, found.end())
            if body.replace(VALUE, "").strip():
                place = _place(text, found.start(), functions)
                yield Format(body, found[0].rstrip("< \n\t"), inside, file.path, *place)


def _joined(arguments: list[str]) -> tuple[str, tuple[str, ...]]:
    """The message of a call that prints its arguments one after another, from the first literal on. A literal with
    ``{}`` takes the arguments that follow it."""
    body, waiting = "", 0
    inside: list[str] = []
    for argument in arguments:
        read = _literal(argument) if '"' in argument else None
        if read is not None and not waiting:
            places = re.findall(r"\{[^{}]*\}", read[0])
            waiting = len(places)
            body += re.sub(r"\{[^{}]*\}", VALUE, read[0].replace("%", "%%"))
            inside += read[1] if not places else []
        elif body:
            inside.append(argument)
            body += "" if waiting else VALUE
            waiting = max(0, waiting - 1)
    return body, tuple(inside)


def _place(text: str, at: int, functions: list[tuple[int, str]]) -> tuple[int, str]:
    """Line number, and the function around it as far as a glance tells."""
    inside = [name for start, name in functions if start < at and name not in ("if", "for", "while", "switch")]
    return text.count("\n", 0, at) + 1, inside[-1] if inside else "main"


def split_arguments(text: str, at: int) -> list[str]:
    """The arguments of a call whose parenthesis has just been opened."""
    found, depth, start = [], 0, at
    while at < len(text):
        char = text[at]
        literal = _STRING.match(text, at) if char in '"`' or text.startswith('R"(', at) else None
        if literal is not None:
            at = literal.end()
            continue
        if char == "'":
            quoted = re.compile(r"'(?:[^'\\\n]|\\.)+'").match(text, at)
            at = quoted.end() if quoted else at + 1
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif char == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
        at += 1
    return [*(each.strip() for each in found), text[start:at].strip()]


def _format_argument(arguments: list[str]) -> tuple[str, tuple[str, ...], tuple[str, ...]] | None:
    """The first argument that is a literal (or several, or a choice of two), what macros stand in it, and the rest."""
    for index, argument in enumerate(arguments):
        if '"' not in argument and "`" not in argument:
            continue
        read = _literal(argument)
        if read is not None:
            return (*read, tuple(arguments[index + 1 :]))
    return None


def _literal(argument: str) -> tuple[str, tuple[str, ...]] | None:
    """The text of an argument of literals and macros; None where literals only stand inside a call."""
    inside: list[str] = []
    body, depth, seen = "", 0, False
    for token in _TOKEN.finditer(argument):
        if token["other"] is not None:
            char = token["other"]
            if char == "?":
                body, inside, seen = "", [], False
            elif char == ":" and seen:
                break
            depth += {"(": 1, ")": -1}.get(char, 0)
        elif token["name"] is not None:
            name = token["name"]
            if re.search(r"%[-+ #0-9.*]*$", body) and name.startswith("PRI"):
                body += "ll" + name[3]
            elif depth == 0 and not name.startswith(("std", "fmt")):
                body += VALUE
                inside.append(name)
        elif depth == 0 or argument.lstrip().startswith("("):
            body += _unescaped(token["text"]) if token["text"] is not None else token["raw"] or token["go"] or ""
            seen = True
    return (body, tuple(inside)) if seen and body.replace(VALUE, "").strip() else None


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], " "), text)


def _stream(text: str, at: int) -> tuple[str, tuple[str, ...]]:
    """The literals and the rest of ``<< a << "b" << c;``."""
    end = at
    depth = 0
    while end < len(text) and (depth > 0 or text[end] != ";"):
        literal = _STRING.match(text, end)
        if literal is not None:
            end = literal.end()
            continue
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[end], 0)
        if depth < 0:
            break
        end += 1
    body, inside = "", []
    for part in re.split(r"<<", text[at:end]):
        literals = _STRING.findall(part.strip())
        if part.strip().startswith(('"', 'R"')) and literals:
            body += "".join(_unescaped(found[1]) or found[0] for found in literals)
        elif part.strip() not in ("std::endl", ""):
            body += VALUE
            inside.append(part.strip())
    return body.replace("%", "%%"), tuple(inside)


# ---- Python ----


def _python(file: SourceFile, program: Program) -> Iterator[Format]:
    try:
        tree = ast.parse(file.text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if program.asserts and isinstance(node, ast.Assert) and node.msg is not None:
            said = _python_text(node.msg)
            if said is not None:
                yield Format(said[0], "raise AssertionError", said[1], file.path, node.lineno)
        call = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(call, ast.Call):
            continue
        name = ast.unparse(call.func)
        raised = isinstance(node, ast.Raise)
        if not raised and re.fullmatch(program.calls, name) is None:
            continue
        for argument in call.args[:2]:
            read = _python_text(argument)
            if read is not None:
                rest = tuple(map(ast.unparse, call.args[call.args.index(argument) + 1 :]))
                shown = f"raise {name}" if raised else name
                yield Format(read[0], shown, (*read[1], *rest), file.path, call.lineno)
                break


def _python_text(node: ast.expr) -> tuple[str, tuple[str, ...]] | None:
    """The text of a literal, an f-string, a sum or a format of them; None for anything else."""
    if isinstance(node, ast.Constant):
        return (node.value.replace("\n", " "), ()) if isinstance(node.value, str) and node.value.strip() else None
    if isinstance(node, ast.JoinedStr):
        parts = [
            (str(value.value), ()) if isinstance(value, ast.Constant) else (VALUE, (ast.unparse(value),))
            for value in node.values
        ]
        body = "".join(text.replace("%", "%%") for text, _ in parts).replace("\n", " ")
        return (body, tuple(name for _, names in parts for name in names)) if body.replace(VALUE, "").strip() else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _python_text(node.left), _python_text(node.right)
        one = left or (VALUE, (ast.unparse(node.left),))
        two = right or (VALUE, (ast.unparse(node.right),))
        return (one[0] + two[0], (*one[1], *two[1])) if left or right else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        left = _python_text(node.left)
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return (left[0], (*left[1], *map(ast.unparse, values))) if left else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "strip"):
        left = _python_text(node.func.value)
        body = re.sub(r"\{[^{}]*\}", VALUE, left[0]) if left else ""
        return (body, tuple(map(ast.unparse, node.args))) if left else None
    return None


# ---- Open MPI's help files ----


def _help(file: SourceFile) -> Iterator[Format]:
    lines: list[str] = []
    topic, number = "", 0
    for line_number, line in enumerate([*file.text.splitlines(), "[]"], 1):
        if line.startswith("#"):
            continue
        if re.fullmatch(r"\[[^\]]*\]\s*", line):
            body = "\n".join(lines).strip("\n")
            if topic and body.strip():
                yield Format(body, topic, (), file.path, number)
            topic, lines, number = line.strip()[1:-1], [], line_number
        else:
            lines.append(line)


# ---- Lists of texts ----

_SHELL_VALUE = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+")


def _table(file: SourceFile, program: Program) -> Iterator[Format]:
    """Texts that stand in no call: tables of error codes, files of error names, messages of shell scripts."""
    for found in re.finditer(program.calls, file.text):
        groups = {name: value for name, value in found.groupdict().items() if value}
        call = groups.pop("call", "text")
        body = next(iter(groups.values()))
        if body.startswith('"'):
            body = "".join(re.findall(r'"([^"]*)"', body))
        body = _SHELL_VALUE.sub(VALUE, _unescaped(body.replace("\\\n", " "))).strip()
        if body:
            yield Format(body, call, (), file.path, file.text.count("\n", 0, found.start()) + 1)
