"""What the options of launchers mean: ranks, nodes, hosts and the variables that they hand to the ranks.

Source: the manual pages of Open MPI 4 and 5, MPICH's Hydra, Slurm, PALS and torchrun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct, field

from slowlink.parsers.context.commands.programs import base_name, is_everywhere, is_launcher, is_target
from slowlink.parsers.context.commands.words import UNRESOLVED
from slowlink.patterns import regex

_RANKS = frozenset({"-np", "--np", "-n", "-c", "--n", "--ntasks"})
_PER_NODE = frozenset(
    {"-N", "--npernode", "-npernode", "-ppn", "--ppn", "--ntasks-per-node", "--nproc_per_node", "--nproc-per-node"}
)
_NODES = frozenset({"--nodes", "--nnodes", "--num_nodes"})
_HOSTS = frozenset({"-H", "--host", "-host", "-hosts", "--hosts", "-w", "--nodelist"})
_GPUS = frozenset({"--gres", "--gpus-per-node", "--gpus-per-task", "--gpus", "-G"})
_ENV = frozenset({"-x", "-env", "-genv", "--env", "-e", "--export", "-envlist"})
_ONE_VALUE = frozenset(
    {
        "-hostfile",
        "--hostfile",
        "-machinefile",
        "--machinefile",
        "-f",
        "-h",
        "--map-by",
        "-map-by",
        "--bind-to",
        "-bind-to",
        "--rank-by",
        "--prefix",
        "--wdir",
        "-wdir",
        "-wd",
        "--report-bindings-file",
        "--tune",
        "--app",
        "-p",
        "--partition",
        "-A",
        "--account",
        "-q",
        "--qos",
        "-t",
        "--time",
        "-J",
        "--job-name",
        "-o",
        "--output",
        "--error",
        "--mem",
        "--cpus-per-task",
        "--distribution",
        "--container-image",
        "--container-mounts",
        "--jobid",
        "--ntasks-per-gpu",
        "--rdzv_id",
        "--rdzv_backend",
        "--rdzv_endpoint",
        "--rdzv-id",
        "--rdzv-backend",
        "--rdzv-endpoint",
        "--master_addr",
        "--master_port",
        "--master-addr",
        "--master-port",
        "--node_rank",
        "--node-rank",
        "--max_restarts",
        "--config-file",
        "--timeout",
        "--user",
        "-d",
        "-i",
        "--mount",
        "--workdir",
    }
)
_TWO_VALUES = frozenset({"-mca", "--mca", "-gmca", "--gmca", "--prtemca", "--pmixmca"})
_SHELL_FLAGS = frozenset(
    {
        "-i",
        "-I",
        "-P",
        "-a",
        "-b",
        "-B",
        "-S",
        "-L",
        "-v",
        "-q",
        "-r",
        "-N",
        "-d",
        "-A",
        "--inline",
        "--print",
        "--all",
        "--nostdin",
    }
)
"""Options of parallel shells that take no value."""

_PLAIN_WRAPPERS = frozenset({"sudo", "nohup", "time", "exec", "command", "env"})

_GPU_COUNT = regex(r"(?:gpus?(?:[:=][\w.-]{1,60})?[:=])?(?P<count>\d{1,4})")
"""``4``, ``gpu:4``, ``gpu:h100:4``."""
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")

_NAME = regex(r"[A-Za-z_]\w{0,120}")
_HOST = regex(r"[A-Za-z0-9][\w.-]{0,250}")
_RANGE = regex(r"(?P<head>[\w.-]{0,100})\[(?P<list>[\d,-]{1,200})\](?P<tail>[\w.-]{0,100})")
MAX_HOSTS = 4096
MOST_NAMED = 200_000
"""Hosts of all commands of an input."""


class Launch(Struct):
    """What one simple command says about a job."""

    launcher: str | None = None
    everywhere: bool = False
    nranks: int | None = None
    ranks_per_node: int | None = None
    nodes: int | None = None
    gpus: int | None = None
    """As the options say: of each node, or of all (``--gpus``)."""
    host_list: str = ""
    """As it was given: to unfold it is work for those that are kept."""
    env: dict[str, str] = field(default_factory=dict)
    argv: tuple[str, ...] = ()

    @property
    def total_ranks(self) -> int | None:
        """Ranks of the job, as given or as nodes times ranks a node."""
        if self.nranks is not None or self.nodes is None or self.ranks_per_node is None:
            return self.nranks
        return self.nodes * self.ranks_per_node

    @property
    def ranks_a_node(self) -> int | None:
        """As given; as many ranks as nodes are one on each, and one node has all of them."""
        if self.ranks_per_node is not None or self.nranks is None:
            return self.ranks_per_node
        return {self.nranks: 1, 1: self.nranks}.get(self.nodes or 0)

    @property
    def gpus_a_node(self) -> int | None:
        """Those that the ranks may see; the fewest where two things tell."""
        lists = (self.env[name] for name in _VISIBLE if self.env.get(name))
        seen = [len({part.strip() for part in each.split(",")}) for each in lists]
        return min([*seen, *([self.gpus] if self.gpus else [])], default=None)


def assignment(word: str) -> tuple[str, str] | None:
    """``NAME=value``; None for any other word."""
    name, equals, value = word.partition("=")
    return (name, value) if equals and _NAME.fullmatch(name) else None


def read_launch(words: Sequence[str], depth: int = 0) -> Launch:
    """Follow env prefixes, wrappers, parallel shells and launchers down to the program that is finally run."""
    launch = Launch()
    rest = list(words)
    while rest and (pair := assignment(rest[0])) is not None:
        _set(launch, *pair)
        rest.pop(0)
    while len(rest) > 1 and base_name(rest[0]) in _PLAIN_WRAPPERS and not rest[1].startswith("-"):
        rest.pop(0)
    if not rest or depth > 6:
        return launch
    head = rest[0]
    if is_launcher(head) or _is_torch_module(rest):
        launch.launcher = base_name(head) if is_launcher(head) else "torchrun"
        rest = rest[1:] if is_launcher(head) else rest[_torch_end(rest) :]
        inner = _inner(_read_options(rest, launch), depth)
    elif is_everywhere(head):
        launch.everywhere = True
        inner = _inner(_remote(rest, launch), depth)
    elif is_target(head):
        launch.argv = tuple(rest)
        return launch
    else:
        inner = _inner(_find_program(rest[1:]), depth)
        return _merge(launch, inner, fallback=tuple(rest))
    return _merge(launch, inner, fallback=(head,))


def _inner(words: Sequence[str], depth: int) -> Launch:
    """The command that another one starts; one quoted word is a command line of its own."""
    if len(words) == 1 and " " in words[0]:
        words = words[0].split()
    return read_launch(words, depth + 1) if words else Launch()


def _merge(outer: Launch, inner: Launch, fallback: tuple[str, ...]) -> Launch:
    return Launch(
        launcher=outer.launcher or inner.launcher,
        everywhere=outer.everywhere or inner.everywhere,
        nranks=outer.nranks if outer.nranks is not None else inner.nranks,
        ranks_per_node=outer.ranks_per_node if outer.ranks_per_node is not None else inner.ranks_per_node,
        nodes=outer.nodes if outer.nodes is not None else inner.nodes,
        gpus=outer.gpus if outer.gpus is not None else inner.gpus,
        host_list=outer.host_list or inner.host_list,
        env={**outer.env, **inner.env},
        argv=inner.argv or fallback,
    )


def _is_torch_module(words: Sequence[str]) -> bool:
    return base_name(words[0]).startswith("python") and _torch_end(words) > 0


def _torch_end(words: Sequence[str]) -> int:
    """Index after ``-m torch.distributed.run``; 0 where the words are no such call."""
    for index, word in enumerate(words[:8]):
        if word in ("torch.distributed.run", "torch.distributed.launch", "torch.distributed.elastic"):
            return index + 1
    return 0


def _remote(words: Sequence[str], launch: Launch) -> list[str]:
    """What a parallel shell runs: the words after its options, or the argument of ansible's ``-a``."""
    if base_name(words[0]) == "ansible":
        for index, word in enumerate(words[:-1]):
            if word == "-a":
                return [words[index + 1]]
        return []
    position = 1
    while position < len(words) and words[position].startswith("-"):
        word = words[position]
        if word in _HOSTS and position + 1 < len(words):
            launch.host_list = words[position + 1]
        position += 1 if word in _SHELL_FLAGS or "=" in word else 2
    return list(words[position:])


def _find_program(words: Sequence[str]) -> list[str]:
    """The words from the first known program on; an env file, a path or an option value is none."""
    for index, word in enumerate(words):
        if is_target(word) or is_launcher(word) or is_everywhere(word):
            return list(words[index:])
        if " " in word and any(is_target(part) or is_launcher(part) for part in word.split()):
            parts = word.split()
            start = next(i for i, part in enumerate(parts) if is_target(part) or is_launcher(part))
            return parts[start:]
    return []


def _read_options(words: Sequence[str], launch: Launch) -> list[str]:
    """Read a launcher's own options; give the words of the program it starts."""
    known = next((index for index, word in enumerate(words) if is_target(word) or is_launcher(word)), None)
    position = 0
    while position < len(words):
        word = words[position]
        if position != known and known is not None and UNRESOLVED.match(word):
            position += 1
        elif position == known or not word.startswith("-"):
            return list(words[position:])
        else:
            position += _option(word, words[position + 1 :], launch)
    return []


def _option(word: str, after: Sequence[str], launch: Launch) -> int:
    """Take one option; give the number of words that it uses."""
    if word in _TWO_VALUES:
        return 3
    name, equals, value = word.partition("=")
    width = 1
    if not equals or not word.startswith("--"):
        name, value = _short(word, after)
        width = 2 if name == word and _takes_value(name) else 1
    if name == "-genv" and len(after) > 1 and "=" not in value:
        value, width = f"{value}={after[1]}", 3
    _apply(name, value, launch)
    return width


def _takes_value(name: str) -> bool:
    return any(name in group for group in (_RANKS, _PER_NODE, _NODES, _HOSTS, _GPUS, _ENV, _ONE_VALUE))


def _short(word: str, after: Sequence[str]) -> tuple[str, str]:
    """``-n 4`` and ``-n4``."""
    if len(word) > 2 and word[:2] in ("-n", "-N", "-w") and word[2:].isdecimal():
        return word[:2], word[2:]
    return word, after[0] if after else ""


def _apply(name: str, value: str, launch: Launch) -> None:
    if name == "-N" and launch.launcher == "srun":
        launch.nodes = _count(value)
    elif name in _RANKS:
        launch.nranks = _count(value)
    elif name in _PER_NODE:
        launch.ranks_per_node = _count(value)
    elif name in _NODES:
        launch.nodes = _count(value)
    elif name in _HOSTS:
        launch.host_list = value
    elif name in _GPUS:
        found = _GPU_COUNT.fullmatch(value)
        launch.gpus = int(found["count"]) if found else launch.gpus
    elif name in ("--map-by", "-map-by") and value.startswith("ppr:"):
        launch.ranks_per_node = _count(value.split(":")[1])
    elif name in _ENV:
        for part in value.split(",") if name == "--export" else [value]:
            pair = assignment(part)
            if pair is not None:
                _set(launch, *pair)


def _set(launch: Launch, name: str, value: str) -> None:
    """A value that still needs a shell is not known."""
    if not UNRESOLVED.search(value):
        launch.env[name] = value


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else None


class HostLists:
    """The host lists of one input's commands: each is unfolded once, and together they name so many hosts at most."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}
        self._left = MOST_NAMED

    def hosts(self, text: str) -> tuple[str, ...]:
        """The hosts of a list; none for one that is too long, or one too many: unknown is better than a part."""
        if text not in self._known:
            if self._left <= 0:
                return ()
            hosts = tuple(islice(_read_hosts(text), MAX_HOSTS + 1))
            self._left -= max(1, len(hosts))
            self._known[text] = hosts if len(hosts) <= MAX_HOSTS else ()
        return self._known[text]


def _read_hosts(text: str) -> Iterator[str]:
    """``a:8,b:8`` to a and b; ``gpu[01-03]`` to its hosts; what still needs a shell gives nothing."""
    if UNRESOLVED.search(text):
        return
    for entry in re.findall(r"[^,\[\]]*\[[^\]]*\][^,]*|[^,]+", text):
        yield from _expand_range(entry.partition(":")[0].strip())


def _expand_range(entry: str) -> Iterator[str]:
    match = _RANGE.fullmatch(entry)
    if match is None:
        if _HOST.fullmatch(entry):
            yield entry
        return
    for part in match["list"].split(","):
        low, _, high = part.partition("-")
        if not low.isdecimal() or (high and not high.isdecimal()) or len(low) > 6 or len(high) > 6:
            continue
        for number in range(int(low), min(int(high or low), int(low) + MAX_HOSTS) + 1):
            yield f"{match['head']}{number:0{len(low)}d}{match['tail']}"
