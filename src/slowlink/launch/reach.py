"""Can nodes connect to one another? MPI and NCCL meet on TCP ports that the system chooses; a firewall between nodes
makes them wait for ever without a word.

Every node listens on one such port while every node connects to the next ones: a ring over all nodes, and one with a
stride, so that each is asked from two sides. Needs a Python on the nodes; where there is none, nothing is known.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.launch.fanout.ask import answers
from slowlink.launch.fanout.ways import Way
from slowlink.launch.hostfiles import target
from slowlink.model.plan import Node
from slowlink.quoting import quote

_LOGIN_S = 30.0
_NO_PYTHON = 3
_FIRST_PORT, _PORTS = 33_000, 27_000
"""Inside the range from which Linux gives ports to whoever asks for none (ip_local_port_range)."""
_TRIED = re.compile(r"^slowlink-reach (\d{1,6}) (ok|refused|silent)$", re.MULTILINE)
_LISTEN = """\
import os, socket, sys, threading
both = socket.has_dualstack_ipv6()
server = socket.create_server(("", int(sys.argv[1])), backlog=1024, dualstack_ipv6=both,
                              family=socket.AF_INET6 if both else socket.AF_INET)
print("slowlink-reach listens", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    server.accept()[0].close()
"""
_CONNECT = """\
import socket, sys, time
port, end = int(sys.argv[1]), time.monotonic() + 6
for word in sys.argv[2:]:
    number, host = word.split("=", 1)
    said = "refused"
    while said == "refused":
        try:
            socket.create_connection((host, port), timeout=3).close()
            said = "ok"
        except socket.gaierror:
            said = "unknown here"
        except ConnectionRefusedError:
            if time.monotonic() > end:
                break
            time.sleep(0.2)
        except OSError:
            said = "silent"
    print("slowlink-reach", number, said, flush=True)
"""


class Connection(Struct, frozen=True):
    """One connection that was tried."""

    source: str
    target: str
    why: str
    """``refused``: a firewall rejects; ``silent``: a firewall drops, or there is no route; ``ok``: it came about."""


class Tried(Struct, frozen=True):
    """What is known of the connections between nodes."""

    failed: tuple[Connection, ...] = ()
    nodes: frozenset[str] = frozenset()
    """To which some other node tried to connect while they listened. Of the others nothing is known."""


def tried(nodes: Sequence[Node], way: Way, python: str) -> Tried:
    """Have ``nodes`` connect to one another. Never raises for what a node does."""
    if len(nodes) < 2:
        return Tried()
    port = str(_FIRST_PORT + int.from_bytes(os.urandom(4), "big") % _PORTS)
    stop, listened = threading.Event(), set[str]()

    def listen() -> None:
        script = _script(python, _LISTEN, [port])
        for _, answer in answers(nodes, script, way, timeout_s=2 * _LOGIN_S, fanout=len(nodes), stop=stop, held=True):
            if "slowlink-reach listens" in answer.stdout:
                listened.add(answer.node)

    listening = threading.Thread(target=listen)
    listening.start()
    try:
        said = list(_connected(nodes, way, python, port))
    finally:
        stop.set()
        listening.join()
    # Of a node that could not listen, what others find there says nothing.
    known = [each for each in said if each.target in listened]
    failed = tuple(each for each in known if each.why != "ok")
    return Tried(failed, frozenset(each.target for each in known))


def _connected(nodes: Sequence[Node], way: Way, python: str, port: str) -> Iterator[Connection]:
    def script(number: int) -> str:
        others = {(number + step) % len(nodes) for step in (1, len(nodes) // 2)} - {number}
        return _script(python, _CONNECT, [port, *(f"{other}={target(nodes[other])}" for other in sorted(others))])

    for number, answer in answers(nodes, script, way, timeout_s=_LOGIN_S, fanout=len(nodes)):
        # A name that means nothing there may be known to ssh's configuration here alone: that says nothing.
        for place, why in _TRIED.findall(answer.stdout):
            if int(place) < len(nodes):
                yield Connection(nodes[number].name, nodes[int(place)].name, why)


def _script(python: str, code: str, words: Sequence[str]) -> str:
    """``python`` where the node has it, else the one that it has."""
    own = quote([python])
    return (
        f"p={own}; [ -x {own} ] || p=$(command -v python3) || exit {_NO_PYTHON}\n"
        f'exec "$p" -c {quote([code])} {quote(words)}\n'
    )
