"""Commands of remedies are made of words in one place: no rule puts a text together that a shell is to read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from slowlink import rules

RULES = Path(rules.__file__).parent
FILES = [path for path in sorted(RULES.rglob("*.py")) if path.name != "commands.py"]
PROGRAM = re.compile(r"[a-z][a-z0-9_.-]*(?=[ ;]|$)")
MESSAGES = ("ibqueryerrors asked ", "lspci shows ")
"""Sentences that begin with the name of a program."""


def is_remedy_text(node: ast.expr) -> bool:
    """A sentence, as the words of a step are."""
    last = node.values[-1] if isinstance(node, ast.JoinedStr) else node
    return isinstance(last, ast.Constant) and isinstance(last.value, str) and last.value.endswith(".")


def commands_of_steps(tree: ast.AST) -> Iterator[ast.expr]:
    """What stands behind the words of a step: in a pair, or in ``Step(...)``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and len(node.elts) == 2 and is_remedy_text(node.elts[0]):
            yield node.elts[1]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("Step", "Remedy") and len(node.args) > 1:
            yield node.args[1]


def fixed_text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def put_together(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Texts made of pieces, with the piece that they begin with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and node.values:
            first: ast.AST = node.values[0]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            first = node.left
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            first = node.func.value
        else:
            continue
        if (text := fixed_text(first)) is not None:
            yield node, text


@cache
def programs() -> frozenset[str]:
    """What the rules have somebody start."""
    found = set()
    for path in FILES:
        tree = ast.parse(path.read_text())
        texts = [fixed_text(each) for each in commands_of_steps(tree)]
        calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and ast.unparse(each.func) == "command"]
        texts += [fixed_text(each.args[0]) for each in calls if each.args]
        found |= {match[0] for text in texts if text and (match := PROGRAM.match(text))}
    return frozenset(found)


def wrong(source: str) -> list[str]:
    """Commands that are texts and should be words."""
    tree = ast.parse(source)
    found = []
    for step in commands_of_steps(tree):
        formatted = isinstance(step, ast.Call) and ast.unparse(step.func).endswith(".format")
        if formatted or isinstance(step, (ast.JoinedStr, ast.BinOp)):
            found.append(ast.unparse(step))
    for node, text in put_together(tree):
        if (match := PROGRAM.match(text)) and match[0] in programs() and text not in MESSAGES:
            found.append(ast.unparse(node))
    for each in ast.walk(tree):
        text_alone = fixed_text(each) or ""
        # An assignment has to be quoted as the shells want it that take =eth0 for the place of a program.
        if "\n" not in text_alone and re.match(r"export [A-Z]|[A-Z_]+==", text_alone):
            found.append(text_alone)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RULES)))
def test_no_rule_builds_a_command_but_of_words(path: Path) -> None:
    assert wrong(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        'x = ("Look.", f"ping {name}")',
        'x = Step(f"Look at {name}.", f"{tool} -x {name}")',
        'x = ("Look.", "ls " + name)',
        'x = ("Look.", look.format(name))',
        'look = f"ping {name}"',
        'look = "ping %s" % name',
        'look = "ping {}".format(name)',
        'x = ("Set it.", "export NCCL_SOCKET_IFNAME==eth0")',
        'x = ("Set it.", "NCCL_SOCKET_IFNAME==eth0")',
    ],
)
def test_what_is_built_otherwise_is_seen(source: str) -> None:
    assert wrong(source)


def test_what_is_built_of_words_is_not() -> None:
    assert wrong('x = ("Look.", command("ping", f"{name}-x")), ("And.", "ip -br addr"), f"{name}: slow"') == []
    assert {"ip", "ping", "mlxlink", "nvidia-smi"} <= programs()
