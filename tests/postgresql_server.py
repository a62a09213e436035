"""A PostgreSQL server of our own, on a socket in a directory of its own; the tests skip where none is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _program(name: str) -> str:
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = shutil.which(name) or (installed[-1] if installed else None)
    if found is None:
        pytest.skip(f"{name} of PostgreSQL is not installed")
    return os.path.realpath(found)


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty database."""
    initdb, postgres = _program("initdb"), _program("postgres")
    pytest.importorskip("psycopg")
    # The server refuses to be root.
    user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    place = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path is short
    drop_to = [] if user is None else ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    try:
        if user is not None:
            os.chown(place, user.pw_uid, user.pw_gid)
        data = str(place / "data")
        first = [*drop_to, initdb, "-D", data, "-U", "slowlink", "-A", "trust", "--no-sync"]
        made = subprocess.run(first, check=False, cwd=place, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        words = [*drop_to, postgres, "-D", data, "-k", str(place), "-c", "listen_addresses=", "-c", "fsync=off"]
        running = subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            url = f"postgresql://slowlink@/postgres?host={place}"
            _await(url, running)
            yield url
        finally:
            running.terminate()
            running.wait(30)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _await(url: str, running: subprocess.Popen[bytes]) -> None:
    import time

    import psycopg

    for _ in range(300):
        assert running.poll() is None
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the server does not answer")
