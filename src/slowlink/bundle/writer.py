"""Writes a bundle as it happens, so that a run that is killed has left one all the same.

with BundleWriter.create(topic="all_reduce", command=sys.argv) as bundle:
    bundle.set_plan(plan)
    with bundle.capture("run-1", "collective", plan.argv) as capture:
        capture.write_stdout(text)      # any pieces; each whole line is redacted and on disk at once
        capture.end(ended)
bundle.directory                        # finished: sums are written
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import BinaryIO

from msgspec.structs import replace

from slowlink import __version__
from slowlink.bundle import disk
from slowlink.bundle.manifest import manifest_text
from slowlink.bundle.paths import safe_relative, unique
from slowlink.bundle.sums import write_sums
from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME, SUMS_NAME, Manifest
from slowlink.model.plan import Capture, Ended, Plan
from slowlink.redact import Redaction

Clock = Callable[[], float]
_SELDOM_S = 1.0
_SELDOM_SHARE = 20
"""Of many captures the manifest follows after this time, and after this many times what writing it takes."""


def stamp(seconds: float, form: str = "%Y-%m-%dT%H:%M:%SZ") -> str:
    """UTC time as text."""
    return time.strftime(form, time.gmtime(seconds))


class BundleWriter:
    """A bundle that is being written. Safe to use from several threads.

    Every method that writes raises SlowlinkError (``disk-full``, ``bundle-unwritable``) when the disk does not take it;
    what was written before stays a readable bundle.
    """

    def __init__(
        self,
        directory: Path,
        *,
        command: Sequence[str] = (),
        redaction: Redaction | None = None,
        clock: Clock = time.time,
        known: Manifest | None = None,
    ) -> None:
        """Make ``directory``, which must not be there yet or be empty. Raises SlowlinkError (``bundle-exists``).

        ``known``: the manifest of what lies in ``directory`` already (``bundle.reopen``): it is gone on with.
        """
        self.directory = directory
        self.redaction = redaction or Redaction()
        self._clock = clock
        self._lock = RLock()
        self._captures = {capture.name: capture for capture in known.captures} if known is not None else {}
        self._redacted = dict(known.redacted) if known is not None else {}
        self._finished = False
        self._many = 0
        self._save_after = 0.0
        self._command = tuple(command)
        self._manifest = known or Manifest(
            slowlink=__version__,
            created=stamp(clock()),
            command=self.redaction.argv(command),
            anonymized=self.redaction.anonymizes,
        )
        if known is not None:
            self._save()
            return
        with disk.nothing_stays(directory):
            disk.make_bundle_directory(directory)
            self._save()

    @classmethod
    def create(
        cls,
        parent: Path = Path(),
        *,
        topic: str = "run",
        command: Sequence[str] = (),
        redaction: Redaction | None = None,
        clock: Clock = time.time,
    ) -> BundleWriter:
        """A new bundle ``slowlink-<UTC stamp>-<topic>`` in ``parent``; never one that is there already."""
        name = f"slowlink-{stamp(clock(), '%Y%m%dT%H%M%SZ')}-{safe_relative(topic).replace('/', '-')}"
        taken: set[str] = set()
        while True:
            candidate = unique(name, taken)
            if disk.make_own_directory(parent / candidate):
                return cls(parent / candidate, command=command, redaction=redaction, clock=clock)
            taken.add(candidate)

    def set_plan(self, plan: Plan) -> None:
        """Record the plan as it is run, redacted. Its nodes become the bundle's, unless ``set_nodes`` said others."""
        with self._lock:
            self._learn(plan.nodes)
            nodes = self._manifest.nodes or tuple(map(self.redaction.name, plan.nodes))
            self._manifest = replace(self._manifest, plan=self.redaction.plan(plan), nodes=nodes)
            self._save()

    def set_nodes(self, nodes: Sequence[str]) -> None:
        """Record the nodes that take part, in rank order."""
        with self._lock:
            self._learn(nodes)
            self._manifest = replace(self._manifest, nodes=tuple(map(self.redaction.name, nodes)))
            self._save()

    def capture(
        self,
        name: str,
        kind: str,
        argv: Sequence[str],
        *,
        node: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> CaptureWriter:
        """Begin one capture (kinds: ``model.plan.Capture``). Use it in ``with``; captures may overlap.

        ``name`` is made unique and safe as a path. Of ``env`` only what is on the allow-list is kept.
        """
        with self._lock:
            self._require_open()
            own = unique(safe_relative(self.redaction.name(name)), set(self._captures))
            self._captures[own] = Capture(
                name=own,
                kind=kind,
                argv=self.redaction.argv(argv),
                node=None if node is None else self.redaction.name(node),
                files=(),
                ended=None,
                env=self.redaction.environment(env or {}),
            )
            self._save()
        return CaptureWriter(self, own, self._clock)

    @contextmanager
    def many(self) -> Iterator[None]:
        """While thousands of captures come: each one's files are on disk at once, the manifest follows now and then.

        Writing it anew for each would take a time that grows with the square of their number. At the end it is whole.
        """
        self._many += 1
        try:
            yield
        finally:
            with self._lock:
                self._many = max(0, self._many - 1)
                if not self._finished:
                    self._save()

    def finish(self) -> Path:
        """Write the end of the manifest and the sums of all files. Gives the directory. Twice is as good as once."""
        with self._lock:
            if not self._finished:
                self._manifest = replace(self._manifest, finished=stamp(self._clock()))
                self._many = 0
                self._save()
                self._finished = True
                write_sums(self.directory)
        return self.directory

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish, also after an error: a failed run is evidence too. A full disk leaves the bundle unfinished."""
        if error is None or not disk.is_disk_trouble(error):
            self.finish()

    def _learn(self, nodes: Sequence[str]) -> None:
        """Know the hosts' names, also in the command line that was recorded before they were known."""
        self.redaction.learn(nodes)
        self._manifest = replace(self._manifest, command=self.redaction.argv_again(self._command))

    def _add_file(self, capture: str, path: str) -> None:
        with self._lock:
            known = self._captures[capture]
            if path not in known.files:
                self._captures[capture] = replace(known, files=(*known.files, path))
                self._save()

    def _end(self, capture: str, ended: Ended) -> None:
        with self._lock:
            names = tuple(map(self.redaction.name, ended.nodes))
            ended = replace(ended, detail=self.redaction.text(ended.detail), nodes=names)
            self._captures[capture] = replace(self._captures[capture], ended=ended)
            self._save()

    def _require_open(self) -> None:
        if self._finished:
            raise RuntimeError(f"the bundle is finished: {SUMS_NAME} is written")

    def _save(self) -> None:
        self._require_open()
        began = time.monotonic()
        if self._many and began < self._save_after:
            return
        redacted = Counter(self._redacted) + Counter(self.redaction.removed)
        manifest = replace(self._manifest, captures=tuple(self._captures.values()), redacted=dict(redacted))
        disk.replace_text(self.directory / MANIFEST_NAME, manifest_text(manifest))
        ended = time.monotonic()
        self._save_after = ended + max(_SELDOM_S, _SELDOM_SHARE * (ended - began))


class CaptureWriter:
    """One capture that is being written: files below ``captures/<name>/``."""

    def __init__(self, bundle: BundleWriter, name: str, clock: Clock) -> None:
        self.name = name
        self._bundle = bundle
        self._clock = clock
        self._started = clock()
        self._sinks: dict[str, Sink] = {}
        self._taken: set[str] = set()
        self._ended: Ended | None = None
        self._lock = RLock()

    def write_stdout(self, text: str) -> None:
        """Append to ``stdout``: any piece of text; a line is written when its end is there."""
        self.file("stdout").write(text)

    def write_stderr(self, text: str) -> None:
        """Append to ``stderr``."""
        self.file("stderr").write(text)

    def file(self, relative: str) -> Sink:
        """The sink of one more file, ``captures/<name>/<relative>``; the same one when asked again.

        The name is made safe as a path, and redacted like the text.
        """
        with self._lock:
            sink = self._sinks.get(relative)
            if sink is None:
                own = unique(safe_relative(self._bundle.redaction.file_name(relative)), self._taken)
                self._taken.add(own)
                path = f"{CAPTURES_NAME}/{self.name}/{own}"
                sink = self._sinks[relative] = Sink(self._bundle.directory / path, self._bundle.redaction)
                self._bundle._add_file(self.name, path)
            return sink

    def take_in(self, source: BinaryIO, relative: str) -> None:
        """Take in what ``source`` (UTF-8) holds, a file that ranks wrote themselves (NCCL_DEBUG_FILE, ``-J``): let them
        write outside the bundle, so that what lies in the bundle is always redacted."""
        sink = self.file(relative)
        while data := source.read(disk.PIECE):
            sink.write_bytes(data)

    def end(self, ended: Ended) -> None:
        """Say how the process ended. Once; without it the end of ``with`` says ``written`` or ``interrupted``."""
        self._ended = ended

    def __enter__(self) -> CaptureWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for sink in self._sinks.values():
            sink.close()
        ended = self._ended or Ended(
            status=None,
            signal=None,
            reason="written" if error is None else "interrupted",
            started_at=self._started,
            seconds=max(0.0, self._clock() - self._started),
            detail="" if error is None else f"{type(error).__name__}: {error}"[:400],
        )
        if error is None or not disk.is_disk_trouble(error):
            self._bundle._end(self.name, ended)


class Sink:
    """One text file of a bundle. Lines are redacted one by one and handed to the operating system at once."""

    def __init__(self, path: Path, redaction: Redaction) -> None:
        import codecs

        self.path = path
        self._lines = redaction.lines()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lock = RLock()
        self._file = disk.open_new(path)

    def write(self, text: str) -> None:
        """Append ``text``, a piece of any length."""
        with self._lock:
            ready = self._lines.feed(text)
            if ready:
                disk.append(self._file, ready, self.path)

    def write_bytes(self, data: bytes) -> None:
        """Append UTF-8; what is none becomes U+FFFD."""
        with self._lock:
            self.write(self._decoder.decode(data))

    def close(self) -> None:
        """Write the last line, which may have no end. Twice is as good as once."""
        with self._lock:
            if self._file.closed:
                return
            with self._file:
                rest = self._lines.feed(self._decoder.decode(b"", final=True)) + self._lines.finish()
                if rest:
                    disk.append(self._file, rest, self.path)
