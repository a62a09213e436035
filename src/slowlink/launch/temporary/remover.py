"""Removes what slowlink made, when slowlink is gone: directories here, and those on nodes.

slowlink starts this file by its path (``python -I -S remover.py FD``): standard library only. It reads lines of JSON
from the pipe FD: ``{"id", "directory"}`` or ``{"id", "argvs", "script", "unsure"}`` before something is made, ``{"id",
"kept"}`` once it was removed. Nothing is done while the other end is open. slowlink holds that, and every guard
(``guard.py``) does: the pipe ends when the last of them is gone and no program of a run writes any more. Then what is
left over is removed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from typing import Any

_NODE_S = 30.0
"""For one node: login and removal."""
_AT_ONCE = 64
_ALL_S = 180.0
_UNSURE_S = 15.0
"""A login that was on its way when slowlink was killed may make its directory so much later."""
_TRIES = 20
_TRY_S = 0.5

Order = dict[str, Any]


def orders(descriptor: int) -> list[Order]:
    """What is left over when the pipe ends."""
    text = bytearray()
    found: dict[int, Order] = {}
    while chunk := os.read(descriptor, 1 << 16):
        text += chunk
        *lines, rest = bytes(text).split(b"\n")
        text = bytearray(rest)  # an order that is never whole is one for something that was never made
        for line in lines:
            order: Order = json.loads(line)
            if "kept" in order:
                found.pop(order["id"], None)
            else:
                found[order["id"]] = order
    return list(found.values())


def sweep(left: list[Order]) -> None:
    """Remove it all. What a node does not let us remove within its time stays."""
    for order in left:
        if "directory" in order:
            _remove_here(order["directory"])
    on_nodes = [order for order in left if "argvs" in order]
    _remove_there(on_nodes)
    if unsure := [order for order in on_nodes if order["unsure"]]:
        time.sleep(_UNSURE_S)
        _remove_there(unsure)


def _remove_here(directory: str) -> None:
    for _ in range(_TRIES):
        shutil.rmtree(directory, ignore_errors=True)
        if not os.path.lexists(directory):
            return
        time.sleep(_TRY_S)  # somebody still writes into it


def _remove_there(left: list[Order]) -> None:
    import subprocess  # loaded when there is something to do: it takes longer than all else here

    todo = [(argv, order["script"]) for order in left for argv in order["argvs"]]
    running: dict[subprocess.Popen[bytes], float] = {}
    last = time.monotonic() + _ALL_S
    while (todo or running) and time.monotonic() < last:
        while todo and len(running) < _AT_ONCE:
            argv, script = todo.pop()
            with suppress(OSError):
                process = subprocess.Popen(  # noqa: S603  argv is slowlink's, and there is no shell here
                    argv,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
                running[process] = time.monotonic() + _NODE_S
                assert process.stdin is not None
                process.stdin.write(script.encode())
                process.stdin.close()
        time.sleep(0.05)
        for process in [each for each in running if each.poll() is not None]:
            del running[process]
        _end([process.pid for process, until in running.items() if time.monotonic() >= until])
    _end([process.pid for process in running])


def _end(leaders: list[int]) -> None:
    for leader in leaders:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


if __name__ == "__main__":
    for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(_number, signal.SIG_IGN)
    os.set_inheritable(int(sys.argv[1]), False)
    sweep(orders(int(sys.argv[1])))
