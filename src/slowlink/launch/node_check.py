"""Are these nodes ready for ranks? One ssh login to each, which looks for programs, asks their versions, and lists
HCAs and network interfaces.

Nothing is copied to a node and no key leaves this machine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from slowlink.bounded import limit_line
from slowlink.interfaces import InterfaceList, interface_list
from slowlink.launch.fanout.ask import Answer, ask
from slowlink.launch.fanout.no_answer import words_of
from slowlink.launch.fanout.ways import Here, OverSsh
from slowlink.launch.reach import Tried, tried
from slowlink.model.plan import Node
from slowlink.nodes import fold
from slowlink.quoting import quote

_LOGIN_S = 30.0
_MOST_SHOWN = 12
CONNECTIONS = "TCP between nodes"
NOT_TRIED = "not tried (it takes Python on the nodes, and names that they know)"
_UNREACHED = {
    "silent": "no answer on ports above 32768 (a firewall?)",
    "refused": "refused on ports above 32768 (a firewall?)",
}
_ANSWER = re.compile(r"slowlink-check (path|version|package) (\d{1,3}) ?(.{0,300})")
_DEVICES = re.compile(r"slowlink-check devices (infiniband|net)((?: [\w.@:-]{1,80}){0,4096}) *$")
MISSING = "missing"
_LIST_DEVICES = """\
echo "slowlink-check devices infiniband$(for port in /sys/class/infiniband/*/ports/*; do
[ -e "$port" ] && hca=${port%/ports/*} && printf ' %s:%s' "${hca##*/}" "${port##*/}"; done)"
echo "slowlink-check devices net$(for name in /sys/class/net/*; do
[ -e "$name" ] && printf ' %s' "${name##*/}"; done)"
"""


class Observed(Struct, frozen=True):
    """What one node said. ``trouble`` is empty when the login worked."""

    node: str
    trouble: str
    observed: Mapping[str, str] = field(default_factory=dict)
    """Subject (``/opt/bin/mpirun``, ``slowlink in /opt/bin/python``) to its version, or ``missing``."""
    devices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """``infiniband``: HCAs with their ports (``mlx5_0:1``); ``net``: interfaces. Without what could not be listed."""


class Verdict(Struct, frozen=True):
    """One line of the result: nodes that share a value."""

    subject: str
    value: str
    nodes: tuple[str, ...]
    good: bool
    expected: str = ""


class Questions(Struct, frozen=True):
    """What nodes are to have."""

    programs: tuple[str, ...]
    """Absolute paths."""
    python: str | None
    """In which slowlink should be; None: it is not needed."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Variables of the ranks; those that name HCAs or interfaces are compared with what nodes have."""


def verdicts(nodes: Sequence[Node], ssh: str, asked: Questions) -> list[Verdict]:
    """Everything that is asked of nodes, the connections between them included."""
    answers = check_nodes(nodes, ssh, asked.programs, asked.python)
    found = judge(answers, here_observed(asked.programs, asked.python), asked.settings)
    reached = {answer.node for answer in answers if not answer.trouble}
    there = [node for node in nodes if node.name in reached]
    return [*found, *_connections(there, tried(there, OverSsh(ssh), asked.python or "python3"))]


def _connections(nodes: Sequence[Node], known: Tried) -> list[Verdict]:
    """Of nodes to which nobody connected nothing is said: without Python nobody can."""
    if len(nodes) < 2:
        return []
    why: dict[tuple[str, str], list[str]] = {}
    for each in known.failed:
        why.setdefault((each.target, each.why), []).append(each.source)
    bad = [
        Verdict(CONNECTIONS, f"{_UNREACHED[kind]} from {fold(sources)}", (target,), good=False)
        for (target, kind), sources in why.items()
    ]
    missed = {each.target for each in known.failed}
    fine = tuple(node.name for node in nodes if node.name in known.nodes - missed)
    open_ = tuple(node.name for node in nodes if node.name not in known.nodes)
    return [
        *bad,
        *([Verdict(CONNECTIONS, "work", fine, good=True)] if fine else []),
        *([Verdict(CONNECTIONS, NOT_TRIED, open_, good=True)] if open_ else []),
    ]


def check_nodes(nodes: Sequence[Node], ssh: str, programs: Sequence[str], python: str | None) -> list[Observed]:
    """Logs in to every node, many at once, each within 30 s. Never raises for what a node does."""
    said = ask(nodes, check_script(programs, python), OverSsh(ssh), timeout_s=_LOGIN_S)
    return [read_answer(answer, programs, python) for answer in said]


def here_devices() -> list[Observed]:
    """HCAs and interfaces of this machine."""
    return [
        read_answer(answer, (), None)
        for answer in ask([Node("this machine")], _LIST_DEVICES, Here(), timeout_s=_LOGIN_S)
    ]


def here_observed(programs: Sequence[str], python: str | None) -> Mapping[str, str]:
    """The same questions, asked of this machine: what nodes are compared with."""
    (answer,) = ask([Node("here")], check_script(programs, python), Here(), timeout_s=_LOGIN_S)
    return read_answer(answer, programs, python).observed


def check_script(programs: Sequence[str], python: str | None) -> str:
    """Prints one line for each question. Versions are asked without input, for ten seconds at most."""
    lines = [limit_line(10)]
    for number, path in enumerate(programs):
        word, answer = quote([path]), f"slowlink-check path {number}"
        lines.append(f"if [ -x {word} ]; then echo '{answer}'; else echo '{answer} {MISSING}'; fi")
        if _has_version(path):
            lines.append(
                f'echo "slowlink-check version {number} $($limit {word} --version 2>&1 </dev/null | head -n 1)"'
            )
    if python is not None:
        ask = quote([python, "-c", "import slowlink; print(slowlink.__version__)"])
        lines.append(f'echo "slowlink-check package 0 $($limit {ask} 2>&1 </dev/null | tail -n 1)"')
    return "\n".join([*lines, _LIST_DEVICES])


def _has_version(path: str) -> bool:
    """A benchmark would start to measure when it is asked for its version."""
    return re.match(r"(?:mpi(?:run|exec)|python)[\w.]{0,20}$", path.rpartition("/")[2]) is not None


def read_answer(answer: Answer, programs: Sequence[str], python: str | None) -> Observed:
    """Total: any output gives an answer."""
    observed: dict[str, str] = {}
    devices: dict[str, tuple[str, ...]] = {}
    for line in answer.stdout[:100_000].splitlines():
        if listed := _DEVICES.search(line):
            devices[listed[1]] = tuple(listed[2].split())
        # Login scripts may print before us on the same connection.
        matched = _ANSWER.search(line)
        if matched is None:
            continue
        what, number, value = matched.group(1), int(matched.group(2)), matched.group(3).strip()
        if what == "package" and python is not None:
            observed[f"slowlink in {python}"] = value if re.fullmatch(r"\d[\w.+]{0,40}", value) else MISSING
        elif number < len(programs) and not (what == "version" and observed.get(programs[number]) == MISSING):
            observed[programs[number]] = value or "there"
    if observed or devices:
        return Observed(answer.node, "", observed, devices)
    return Observed(answer.node, answer.trouble or words_of(answer.stderr, answer.status))


def judge(
    answers: Sequence[Observed], here: Mapping[str, str], settings: Mapping[str, str] | None = None
) -> list[Verdict]:
    """Nodes with the same value are one line. Good is what this machine has; where it has nothing, what most have.

    ``settings``: variables of the ranks; those that name HCAs or interfaces are compared with what nodes have.
    """
    verdicts = [
        Verdict("login", trouble or "works", tuple(a.node for a in answers if a.trouble == trouble), good=not trouble)
        for trouble in dict.fromkeys(answer.trouble for answer in answers)
    ]
    reached = [answer for answer in answers if not answer.trouble]
    for subject in dict.fromkeys(name for answer in reached for name in answer.observed):
        values = {answer.node: answer.observed.get(subject, MISSING) for answer in reached}
        expected = here.get(subject, MISSING)
        if expected == MISSING:
            present = [value for value in values.values() if value != MISSING]
            expected = Counter(present).most_common(1)[0][0] if present else ""
        for value in dict.fromkeys(values.values()):
            nodes = tuple(node for node, each in values.items() if each == value)
            verdicts.append(Verdict(subject, value, nodes, good=value == expected, expected=expected))
    for name, text in sorted((settings or {}).items()):
        wanted = interface_list(name, text)
        if wanted is not None:
            verdicts += _named_devices(f"{name}={text}", wanted, reached)
    return verdicts


def _named_devices(subject: str, wanted: InterfaceList, reached: Sequence[Observed]) -> list[Verdict]:
    """Where what a setting names is not there. A node that lists not even ``lo`` shows nothing (a container)."""
    nodes: dict[str, list[str]] = {}
    for answer in reached:
        if not answer.devices.get("net"):
            continue
        kinds = ("infiniband", "net") if wanted.kind == "both" else (wanted.kind,)
        there = [device for kind in kinds for device in answer.devices.get(kind, ())]
        absent = wanted.absent(there)
        has = ", ".join(there[:_MOST_SHOWN]) or "none"
        nodes.setdefault(f"no {', '.join(absent)} (it has {has})" if absent else "there", []).append(answer.node)
    return [Verdict(subject, value, tuple(names), good=value == "there") for value, names in nodes.items()]
