"""Chromium by its own protocol over two pipes: a page is opened, filled in and clicked as a reader does."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next((each for each in map(shutil.which, NAMES) if each), None)
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --disable-dev-shm-usage --remote-debugging-pipe"
)


class Tab:
    """One page. Every wait is for what the browser says."""

    def __init__(self, asking: int, telling: int) -> None:
        self._asking, self._telling = asking, telling
        self._number = 0
        self._left = b""
        self._session = ""
        self._events: list[dict[str, Any]] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._ask(f"{domain}.enable")

    def open(self, address: str) -> None:
        """Returns when it is loaded."""
        self._events.clear()
        self._ask("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def click(self, selector: str) -> None:
        """On something that leads to another page; returns when that is loaded."""
        self._events.clear()
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")
        self.wait_for("Page.loadEventFired")

    def evaluate(self, words: str) -> Any:
        """What the page says to it, whatever its policy allows others to run."""
        answer = self._ask("Runtime.evaluate", expression=words, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self) -> str:
        return str(self.evaluate("document.body.innerText"))

    def width(self, pixels: int) -> None:
        """As a telephone is."""
        metrics = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": True}
        self._ask("Emulation.setDeviceMetricsOverride", **metrics)

    def media(self, kind: str) -> None:
        """``print``: as on paper; "" as on a screen."""
        self._ask("Emulation.setEmulatedMedia", media=kind)

    def pdf(self) -> bytes:
        """The page as it is printed on A4."""
        paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
        return base64.b64decode(self._ask("Page.printToPDF", printBackground=True, **paper)["data"])

    def cookies(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("Network.getCookies")["cookies"]
        return found

    def complaints(self) -> list[str]:
        """What the console has of the newest page: errors of scripts, and what the policy stopped."""
        said = [each for each in self._events if each["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
        return [json.dumps(each["params"]) for each in said]

    def wait_for(self, method: str) -> None:
        """Until the browser has told that since the newest ``open`` or ``click``."""
        while not any(each["method"] == method for each in self._events):
            self._events.append(self._read())

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        about = {"sessionId": self._session} if self._session else {}
        asked = json.dumps({"id": self._number, "method": method, "params": params, **about})
        os.write(self._asking, asked.encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            if "method" in message:
                self._events.append(message)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            assert select([self._telling], [], [], 120)[0], "the browser says nothing"
            more = os.read(self._telling, 1 << 16)
            assert more, "the browser ended"
            self._left += more
        text, _, self._left = self._left.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message


@contextmanager
def browser(folder: Path) -> Iterator[Tab]:
    """Ends with everything that it started."""
    assert CHROMIUM is not None
    theirs_in, asking = os.pipe()
    telling, theirs_out = os.pipe()
    # The protocol is spoken on 3 and 4; a shell puts the pipes there.
    script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
    flags = [*_FLAGS.split(), f"--user-data-dir={folder / 'profile'}"]
    only = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    command = ["bash", "-c", script, CHROMIUM, *flags, only]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, pass_fds=(theirs_in, theirs_out))
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Tab(asking, telling)
    finally:
        os.close(asking)  # the browser ends when nobody can ask it any more
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        os.close(telling)
