"""Are these nodes ready for ranks? One ssh login to each, which looks for programs and asks their versions.

Nothing is copied to a node and no key leaves this machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from slowlink.launch.fanout.ask import Answer, ask
from slowlink.launch.fanout.no_answer import words_of
from slowlink.launch.fanout.ways import Here, OverSsh
from slowlink.model.plan import Node
from slowlink.quoting import quote

_LOGIN_S = 30.0
_ANSWER = re.compile(r"slowlink-check (path|version|package) (\d{1,3}) ?(.{0,300})")
_MISSING = "missing"


class Observed(Struct, frozen=True):
    """What one node said. ``trouble`` is empty when the login worked."""

    node: str
    trouble: str
    observed: Mapping[str, str] = field(default_factory=dict)
    """Subject (``/opt/bin/mpirun``, ``slowlink in /opt/bin/python``) to its version, or ``missing``."""


class Verdict(Struct, frozen=True):
    """One line of the result: nodes that share a value."""

    subject: str
    value: str
    nodes: tuple[str, ...]
    good: bool
    expected: str = ""


def check_nodes(nodes: Sequence[Node], ssh: str, programs: Sequence[str], python: str | None) -> list[Observed]:
    """Logs in to every node, many at once, each within 30 s. Never raises for what a node does."""
    said = ask(nodes, check_script(programs, python), OverSsh(ssh), timeout_s=_LOGIN_S)
    return [read_answer(answer, programs, python) for answer in said]


def here_observed(programs: Sequence[str], python: str | None) -> Mapping[str, str]:
    """The same questions, asked of this machine: what nodes are compared with."""
    (answer,) = ask([Node("here")], check_script(programs, python), Here(), timeout_s=_LOGIN_S)
    return read_answer(answer, programs, python).observed


def check_script(programs: Sequence[str], python: str | None) -> str:
    """Prints one line for each question. Versions are asked without input, for ten seconds at most."""
    lines = ["limit=; command -v timeout >/dev/null 2>&1 && limit='timeout 10'"]
    for number, path in enumerate(programs):
        word, answer = quote([path]), f"slowlink-check path {number}"
        lines.append(f"if [ -x {word} ]; then echo '{answer}'; else echo '{answer} {_MISSING}'; fi")
        if _has_version(path):
            lines.append(
                f'echo "slowlink-check version {number} $($limit {word} --version 2>&1 </dev/null | head -n 1)"'
            )
    if python is not None:
        ask = quote([python, "-c", "import slowlink; print(slowlink.__version__)"])
        lines.append(f'echo "slowlink-check package 0 $($limit {ask} 2>&1 </dev/null | tail -n 1)"')
    return "\n".join(lines)


def _has_version(path: str) -> bool:
    """A benchmark would start to measure when it is asked for its version."""
    return re.match(r"(?:mpi(?:run|exec)|python)[\w.]{0,20}$", path.rpartition("/")[2]) is not None


def read_answer(answer: Answer, programs: Sequence[str], python: str | None) -> Observed:
    """Total: any output gives an answer."""
    observed: dict[str, str] = {}
    for line in answer.stdout[:100_000].splitlines():
        # Login scripts may print before us on the same connection.
        matched = _ANSWER.search(line)
        if matched is None:
            continue
        what, number, value = matched.group(1), int(matched.group(2)), matched.group(3).strip()
        if what == "package" and python is not None:
            observed[f"slowlink in {python}"] = value if re.fullmatch(r"\d[\w.+]{0,40}", value) else _MISSING
        elif number < len(programs) and not (what == "version" and observed.get(programs[number]) == _MISSING):
            observed[programs[number]] = value or "there"
    if observed:
        return Observed(answer.node, "", observed)
    return Observed(answer.node, answer.trouble or words_of(answer.stderr, answer.status))


def judge(answers: Sequence[Observed], here: Mapping[str, str]) -> list[Verdict]:
    """Nodes with the same value are one line. Good is what this machine has; where it has nothing, what most have."""
    verdicts = [
        Verdict("login", trouble or "works", tuple(a.node for a in answers if a.trouble == trouble), good=not trouble)
        for trouble in dict.fromkeys(answer.trouble for answer in answers)
    ]
    reached = [answer for answer in answers if not answer.trouble]
    for subject in dict.fromkeys(name for answer in reached for name in answer.observed):
        values = {answer.node: answer.observed.get(subject, _MISSING) for answer in reached}
        expected = here.get(subject, _MISSING)
        if expected == _MISSING:
            present = [value for value in values.values() if value != _MISSING]
            expected = Counter(present).most_common(1)[0][0] if present else ""
        for value in dict.fromkeys(values.values()):
            nodes = tuple(node for node, each in values.items() if each == value)
            verdicts.append(Verdict(subject, value, nodes, good=value == expected, expected=expected))
    return verdicts
