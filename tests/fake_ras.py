"""A server that speaks RAS's client protocol as NCCL's source has it (``src/ras/client_support.cc``), in the manners of
several versions, and of servers that misbehave.

    python fake_ras.py MANNER PORT      until it is killed; prints each command that it gets
"""

from __future__ import annotations

import json
import socketserver
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import ras_answers

END = "\nErrors\n======\n\nWarnings\n========\n\n"


class Job:
    """What the server tells of: counts grow with each answer, unless the job stands."""

    def __init__(self, manner: str, *, tells: bool = False) -> None:
        self.manner = manner
        self._tells = tells
        self.answers = 0
        self.commands: list[str] = []
        self.keeps_on = False
        self.says_on = threading.Event()
        """Without it the profiler is switched on, and nobody is told so."""
        self.says_on.set()
        self.lock = threading.Lock()
        self.over = threading.Event()
        """The server ends: nobody hangs any more, and no thread of it is left in the tests' process."""

    def heard(self, words: str) -> None:
        self.commands.append(words)
        if self._tells:
            print(words, flush=True)

    def document(self) -> str:
        with self.lock:
            self.answers += 1
        count = 100 if self.manner in ("standing", "behind") else 100 + 40 * self.answers
        late = 5 if self.manner == "behind" else None
        lost = 7 if self.manner == "lost" else None
        ranks = [ras_answers.rank(n, {"AllReduce": count - (n == late), "Broadcast": 3}) for n in range(8) if n != lost]
        missing = [ras_answers.missing_rank(lost, True, True)] if lost is not None else []
        found = ras_answers.document(ranks, missing, time.strftime("%Y-%m-%d %H:%M:%S"))
        found["ras"] = {"collection_time_sec": 0.002, "timeouts_count": 0}
        return json.dumps(found, indent=2) + "\n"

    def text(self) -> str:
        with self.lock:
            self.answers += 1
        if self.manner == "controls":
            return ras_answers.VERSION + "\x1b]0;owned\x07\x1b[2J\n" + ras_answers.JOB + ras_answers.FINE + END
        return ras_answers.VERSION + ras_answers.JOB + ras_answers.FINE + END


class _Client(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        job: Job = self.server.job  # type: ignore[attr-defined]
        form = "text"
        if job.manner == "foreign":
            self.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
            return
        while line := self.rfile.readline(1024):
            words = line.decode("ascii", "replace").strip()
            job.heard(words)
            said, form = self._reply(job, words.lower(), form)
            if said is None:
                return
            self.wfile.write(said.encode())
            self.wfile.flush()

    def _reply(self, job: Job, words: str, form: str) -> tuple[str | None, str]:
        if words.startswith("client protocol "):
            return "SERVER PROTOCOL 2\n", form
        if words.startswith("timeout "):
            return "OK\n", form
        if words.startswith("set format ") and job.manner != "text":
            return "OK\n", words.removeprefix("set format ")
        if words in ("status", "verbose status"):
            self._status(job, form)
            return None, form
        if words == "control profiler_mask none" and job.keeps_on:
            return None, form
        if words.startswith("control profiler_mask ") and job.manner == "drips":
            with suppress(OSError):
                while not job.over.wait(0.5):
                    self.wfile.write(b"x")
            return None, form
        if words.startswith("control profiler_mask ") and job.manner == "control":
            if words.endswith(" none") or job.says_on.is_set():
                return "OK\n", form
            job.says_on.wait(60)
            return None, form
        return f"ERROR: Unknown command {words}\n", form

    def _status(self, job: Job, form: str) -> None:
        if job.manner == "hangs":
            job.over.wait(600)
            return
        if job.manner == "floods":
            line = b"x" * 65_535 + b"\n"
            with suppress(OSError):  # it is not listened to for so long
                for _ in range(1 << 14):
                    self.wfile.write(line)
            return
        if job.manner == "empty":
            return
        if job.manner == "nested":
            self.wfile.write(b"[" * (1 << 20))
            return
        answer = job.document() if form == "json" and job.manner != "controls" else job.text()
        self.wfile.write(answer[: len(answer) // 2 if job.manner == "closes" else None].encode())


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = False  # those of clients are waited for
    allow_reuse_address = True


@contextmanager
def serving(manner: str, port: int = 0, *, tells: bool = False) -> Iterator[tuple[int, Job]]:
    """The port, and the job, on loopback until the block ends. ``tells``: it prints each command."""
    job = Job(manner, tells=tells)
    with _Server(("127.0.0.1", port), _Client) as server:
        server.job = job  # type: ignore[attr-defined]
        serves = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        serves.start()
        try:
            yield server.server_address[1], job
        finally:
            job.over.set()
            server.shutdown()
            serves.join()


if __name__ == "__main__":
    with serving(sys.argv[1], int(sys.argv[2]), tells=True):
        threading.Event().wait()
