"""One launch after another, each with its own variables, into one bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.experiment import Launched, Trial
from slowlink.workflows.experiment.measured import launched_live
from slowlink.workflows.launches.interface import Limits
from slowlink.workflows.launches.legs import planned, started

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.interface import Surroundings
    from slowlink.model.plan import Ended
    from slowlink.workflows.experiment.kept import Keeping
    from slowlink.workflows.launches.interface import About, Launch
    from slowlink.workflows.launches.legs import Planned
    from slowlink.workflows.live import LiveRow
    from slowlink.workflows.plan_run import Asked

_LAST = ("interrupted", "silent", "not-started")
"""After a launch that ended so there is no other."""

_MOST_COMPLAINTS = 1 << 16
_OWN = "slowlink probe:"

Env = Mapping[str, str]
Around = Callable[[Trial], AbstractContextManager["Factor"]]


class Factor(Protocol):
    """What is switched on around a launch."""

    def trouble(self) -> str:
        """Why it is not, or was not all the time; "" where all is well."""


class NoFactor:
    """Only variables differ."""

    def trouble(self) -> str:
        return ""


@contextmanager
def nothing(_trial: Trial) -> Iterator[Factor]:
    """Around a launch that differs by its variables alone."""
    yield NoFactor()


class Setup(Struct, frozen=True):
    """What all launches have in common."""

    asked: Asked
    here: Surroundings
    place: Path
    env_of: Callable[[Sequence[str]], Env]
    """Ids of the changes that are on -> all variables of the ranks."""
    limits: Limits
    with_files: bool = False
    """What ranks write is wanted: iterations, lateness."""
    around: Around = nothing


class Launching:
    """``stopped``: why no further launch makes sense; "" while it does. ``interrupted``: somebody ended it."""

    def __init__(self, setup: Setup, bundle: BundleWriter, keeping: Keeping) -> None:
        self._setup, self._bundle, self._keeping = setup, bundle, keeping
        self.stopped = ""
        self.interrupted = False

    def launch(self, trial: Trial) -> Launched:
        """Raises SlowlinkError when it cannot be planned or the bundle not be written."""
        try:
            return self._launch(trial)
        except KeyboardInterrupt:
            self.interrupted = True
            return Launched(trial, why="interrupted")

    def _launch(self, trial: Trial) -> Launched:
        plan = plan_of(self._setup, trial)
        legs, refused = started([plan], self._setup.here)
        if refused:
            legs, _ = started([plan_of(self._setup, trial, with_files=False)], self._setup.here)
        leg = legs[0]
        try:
            with self._setup.around(trial) as factor:
                why = factor.trouble()
                if why:
                    return self._kept(trial, "", why)
                (done,) = leg.launch(trial.number, self._bundle, self._setup.place, self._setup.limits, Quiet())
                why = self._why(done) or factor.trouble()
        finally:
            leg.close()
        return self._kept(trial, done.name, why)

    def _kept(self, trial: Trial, capture: str, why: str) -> Launched:
        self._keeping.launched(trial, capture, why)
        if not capture:
            return Launched(trial, why=why)
        return launched_live(self._bundle.directory, trial, capture, why)

    def _why(self, done: Launch) -> str:
        ended = done.ended
        if ended.reason in _LAST:
            self.interrupted = self.interrupted or ended.reason == "interrupted"
            self.stopped = _words(ended)
        if ended.reason == "exited" and ended.status == 0:
            return ""
        said = "" if ended.detail else _last_complaint(self._bundle.directory / "captures" / done.name / "stderr")
        return f"{_words(ended)}: {said}" if said else _words(ended)


def _words(ended: Ended) -> str:
    if ended.detail:
        return ended.detail
    if ended.reason == "exited":
        return f"status {ended.status}" if ended.signal is None else f"ended by signal {ended.signal}"
    return ended.reason


def _last_complaint(path: Path) -> str:
    """What a rank of ours said when it failed, else the last line that is not a frame or a note of the launcher."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace")[-_MOST_COMPLAINTS:].splitlines()
    except OSError:
        return ""
    words = [line.strip() for line in lines if any(letter.isalnum() for letter in line)]
    own = [line for line in words if line.startswith(_OWN)]
    return (own or words[-1:] or [""])[0].removeprefix(_OWN).strip()[:160]


def plan_of(setup: Setup, trial: Trial, *, with_files: bool | None = None) -> Planned:
    """The plan of one trial; the launch's name is its stage. Raises SlowlinkError."""
    asked = replace(setup.asked, env=dict(setup.env_of(trial.on)))
    files = setup.with_files if with_files is None else with_files
    (plan,) = planned([asked], setup.here, setup.place / "output", None, on_nodes=files)
    return replace(plan, name=trial.stage)


class Quiet:
    """An experiment tells of launches, not of rows."""

    def launched(self, number: int, total: int, about: About) -> None:
        pass

    def row(self, number: int, row: LiveRow) -> None:
        pass

    def noticed(self, words: str) -> None:
        pass

    def node_ended(self, node: str, row: LiveRow | None, ended: Ended) -> None:
        pass

    def ended(self, number: int, ended: Ended) -> None:
        pass
