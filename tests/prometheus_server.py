"""A real Prometheus and a real node_exporter on loopback; the tests skip where they are not installed."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest


def program(*names: str) -> str:
    """The path of the first that is installed."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"{names[0]} is not installed")
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def got(url: str, **asked: str) -> Any:
    """What the server's interface answers."""
    with urlopen(f"{url}?{urlencode(asked)}", timeout=30) as answer:
        return json.loads(answer.read())["data"]


@contextmanager
def _running(words: list[str], url: str) -> Iterator[None]:
    program = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: _answers(url), program)
        yield
    finally:
        program.terminate()
        program.wait(30)


def until(is_so: Callable[[], bool], program: subprocess.Popen[bytes] | None = None) -> bool:
    """Wait until it is so, a minute at most; False where it did not come to be."""
    for _ in range(300):
        assert program is None or program.poll() is None
        if is_so():
            return True
        time.sleep(0.2)
    return False


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):
            return True
    except (URLError, OSError):
        return False


@contextmanager
def node_exporter(textfiles: Path) -> Iterator[int]:
    """Collects the files of that directory and nothing else; its port."""
    port = free_port()
    words = [
        program("prometheus-node-exporter", "node_exporter"),
        "--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={textfiles}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with _running(words, f"http://127.0.0.1:{port}/metrics"):
        yield port


@contextmanager
def prometheus(place: Path, jobs: Mapping[str, int], rules: Path) -> Iterator[str]:
    """Scrapes the ports of ``jobs`` each second; the address of its interface."""
    port = free_port()
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [
            {"job_name": name, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]} for name, port in jobs.items()
        ],
    }
    (place / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
    words = [
        program("prometheus"), f"--config.file={place / 'prometheus.yml'}", f"--storage.tsdb.path={place / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with _running(words, f"http://127.0.0.1:{port}/-/ready"):
        yield f"http://127.0.0.1:{port}/api/v1"
