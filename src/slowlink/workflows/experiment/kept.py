"""What an experiment writes into its bundle besides what its launches print: the question, and which launch is what.

Lines of JSON, schema 1: ``{"slowlink_experiment": 1, "kind": "tune" | "interfere", "rules": {...}}``, then a line for
each launch: ``{..., "kind": "launch", "trial": {...}, "capture": "confirm-12", "why": ""}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.experiments.interference import Rules as Interfered
from slowlink.experiments.tuning import Rules as Tuned
from slowlink.model.experiment import Trial
from slowlink.workflows.experiment.plausible import require_plausible

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.bundle.writer import Sink

KIND = "experiment"
NAME = "experiment.jsonl"
SCHEMA = 1
_MOST_BYTES = 64 << 20
T = TypeVar("T", Tuned, Interfered)


class Kept(Struct, frozen=True):
    """An experiment as its bundle tells it."""

    kind: str
    rules: dict[str, Any]
    trials: tuple[tuple[Trial, str, str], ...]
    """Each with the name of its capture, and why it does not count."""

    def rules_as(self, kind: str, rules: type[T]) -> T:
        """The rules as a record. Raises SlowlinkError where it is another experiment, of another version, or says what
        no slowlink says."""
        if self.kind != kind:
            raise SlowlinkError(
                f"this bundle is of slowlink {self.kind}", hint=f"slowlink {self.kind} --from", slug="other-experiment"
            )
        try:
            found = msgspec.convert(self.rules, rules)
        except msgspec.ValidationError as error:
            raise _unreadable(str(error)) from error
        require_plausible(found, self.trials)
        return found


class Keeping:
    """The file while an experiment runs; every line is on the disk at once."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def begin(self, kind: str, rules: Struct) -> None:
        """The question."""
        self._write({"kind": kind, "rules": msgspec.to_builtins(rules)})

    def launched(self, trial: Trial, capture: str, why: str) -> None:
        """A launch that has ended."""
        self._write({"kind": "launch", "trial": msgspec.to_builtins(trial), "capture": capture, "why": why})

    def _write(self, record: dict[str, object]) -> None:
        self._sink.write(json.dumps({"slowlink_experiment": SCHEMA, **record}, separators=(",", ":")) + "\n")


@contextmanager
def keeping(bundle: BundleWriter, argv: list[str]) -> Iterator[Keeping]:
    """The experiment's file in ``bundle``."""
    with bundle.capture(KIND, KIND, argv) as capture:
        yield Keeping(capture.file(NAME))


def kept_in(path: str) -> Kept:
    """The experiment of a bundle: a directory or an archive. Raises SlowlinkError where there is none."""
    from slowlink.inputs.given import open_given

    for item in open_given(path):
        if item.name.rpartition("/")[2] == NAME and (data := item.whole(_MOST_BYTES)):
            return _parsed(data.decode("utf-8", "replace"))
    raise SlowlinkError(
        f"{path} holds no experiment", hint="a bundle that slowlink tune or interfere wrote", slug="no-experiment"
    )


class Condition(NamedTuple):
    """What is to be said before anybody goes by a bundle; "" where nothing is."""

    killed: str
    changed: str


def condition_of(path: str) -> Condition:
    """Was it written to its end, and is it as it was written? What is no bundle cannot tell."""
    from slowlink.bundle.reader import read_bundle

    try:
        bundle = read_bundle(path)
    except SlowlinkError:
        return Condition("", "")
    if bundle.integrity == "unfinished":
        return Condition(f"{path}: slowlink was killed before its end, or is still at it", "")
    why = next(iter(bundle.problems), "its files are not those that were written")
    return Condition("", "" if bundle.integrity == "verified" else f"{path} is not as slowlink wrote it: {why}")


def _parsed(text: str) -> Kept:
    """A killed slowlink may have left half a last line."""
    kind, rules, trials = "", None, []
    for line in text.splitlines():
        try:
            record = json.loads(line)
            if record["slowlink_experiment"] > SCHEMA:
                raise _unreadable("a newer slowlink wrote it")
            if record["kind"] == "launch":
                trials.append((msgspec.convert(record["trial"], Trial), str(record["capture"]), str(record["why"])))
            else:
                kind, rules = str(record["kind"]), record["rules"]
        except (ValueError, KeyError, TypeError, RecursionError, msgspec.ValidationError):
            continue
    if not isinstance(rules, dict):
        raise _unreadable("it does not say what was asked")
    return Kept(kind, rules, tuple(trials))


def _unreadable(why: str) -> SlowlinkError:
    return SlowlinkError(
        f"the experiment cannot be read: {why}", hint="use the slowlink that wrote it", slug="no-experiment"
    )
