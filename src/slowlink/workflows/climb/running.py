"""Runs the tests of one round: those of several groups or nodes side by side, a single one with all that ``run`` keeps
of its ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from slowlink.launch.execute import resolved, write_files
from slowlink.launch.fanout.ways import Here, way_of
from slowlink.model.ladder import LadderTest
from slowlink.model.plan import Ended, Node
from slowlink.workflows.climb.asked import Way, asked_for
from slowlink.workflows.launches.beside import Program, side_by_side
from slowlink.workflows.launches.interface import COLLECTIVE_KIND, KINDS, About, Limits
from slowlink.workflows.launches.together import Together
from slowlink.workflows.live import LiveRow
from slowlink.workflows.plan_run import Prepared, plan_run
from slowlink.workflows.rank_files import files_of
from slowlink.workflows.standing_ranks import standing_ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.bundle import BundleWriter
    from slowlink.launch.interface import Surroundings

COMMAND_KIND = "command"
_END_S = 30.0
"""What a test may take besides its own time limit."""


class Settings(Struct, frozen=True):
    """How tests are run."""

    timeout_s: float
    silent_after_s: float = 60.0
    at_once: int | None = None
    """Tests of a round at the same time; None: all of them."""
    command: tuple[str, ...] = ()
    """The user's own."""


class Rounds:
    """``run`` measures; the results are what the bundle then holds."""

    def __init__(
        self,
        way: Way,
        here: Surroundings,
        bundle: BundleWriter,
        place: Path,
        settings: Settings,
        tell: Callable[[str], None],
    ) -> None:
        """``place``: a directory of ours for scratch files and for what ranks write."""
        self._way, self._here, self._bundle, self._place = way, here, bundle, place
        self._settings, self._tell = settings, tell
        self._number = 0

    def run(self, tests: Sequence[LadderTest]) -> None:
        """One round. Raises KeyboardInterrupt when somebody ended it, after everything was ended; SlowlinkError when a
        test cannot be planned or the bundle not be written."""
        self._number += 1
        if len(tests) == 1 and tests[0].collective and not tests[0].alone and not tests[0].hca:
            self._together(tests[0])
            return
        programs = [self._program(number, test) for number, test in enumerate(tests)]
        way = way_of(self._launcher(tests[0]), self._here.programs) if tests[0].alone else Here()
        at_once = self._settings.at_once or len(programs)
        limit = self._settings.timeout_s + _END_S
        for _ in side_by_side(programs, way, self._bundle, timeout_s=limit, at_once=at_once):
            pass

    def _launcher(self, test: LadderTest) -> str:
        return self._prepared(test, on_nodes=False).plan.launcher

    def _prepared(self, test: LadderTest, *, on_nodes: bool) -> Prepared:
        output = self._place / "output" if on_nodes else self._place / "nowhere"
        prepared = plan_run(asked_for(test, self._way), self._here, output, on_nodes=on_nodes)
        return without_settings(prepared, self._way.settings) if test.fresh else prepared

    def _together(self, test: LadderTest) -> None:
        prepared = self._prepared(test, on_nodes=True)
        files = files_of(prepared, self._here.programs)
        if files is not None and (refused := files.make()):
            files.remove()
            self._tell(f"no place for what ranks write on {', '.join(refused)}")
            prepared, files = self._prepared(test, on_nodes=False), None
        leg = Together(test.name, About(test.name, 3), prepared, files, once=True)
        ranks = standing_ranks(prepared, self._here, self._bundle, self._tell)
        limits = Limits(self._settings.timeout_s, self._settings.silent_after_s, ranks)
        try:
            (launch,) = leg.launch(self._number, self._bundle, self._place, limits, _Quiet(self._tell))
        finally:
            leg.close()
        if launch.ended.reason == "interrupted":
            raise KeyboardInterrupt

    def _program(self, number: int, test: LadderTest) -> Program:
        if not test.collective:
            return Program(test.name, COMMAND_KIND, Node("here"), self._settings.command)
        prepared = self._prepared(test, on_nodes=False)
        scratch = self._place / f"round-{self._number}-{number}"
        write_files(prepared.plan, scratch)
        node = self._way.nodes[test.nodes[0]] if test.alone else Node(test.name)
        kind = KINDS.get(prepared.benchmark, COLLECTIVE_KIND)
        argv, told = resolved(prepared.plan, scratch), {**prepared.plan.env, **prepared.job.env}
        return Program(test.name, kind, node, argv, self._variables(prepared), prepared.plan.argv, told)

    def _variables(self, prepared: Prepared) -> Mapping[str, str]:
        """Of the launcher; a step of Slurm needs those of its allocation, which the script takes away from others."""
        own = {name: value for name, value in self._here.environment.items() if name.startswith("SLURM_")}
        needs = prepared.plan.launcher == "slurm" and not prepared.each_node
        return {**(own if needs else {}), **prepared.plan.env}


def without_settings(prepared: Prepared, names: Iterable[str]) -> Prepared:
    """The same in an environment without these variables: what a shell exports reaches ranks on this machine, too."""
    unset = [word for name in names for word in ("-u", name)]
    return replace(prepared, plan=replace(prepared.plan, argv=("env", *unset, *prepared.plan.argv)))


class _Quiet:
    """Rows of single tests are not shown: what a layer gives is."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def launched(self, number: int, total: int, about: About) -> None:
        """Nothing to say."""

    def row(self, number: int, row: LiveRow) -> None:
        """Nothing to say."""

    def noticed(self, words: str) -> None:
        self._tell(words)

    def node_ended(self, node: str, row: LiveRow | None, ended: Ended) -> None:
        """Nothing to say."""

    def ended(self, number: int, ended: Ended) -> None:
        """Nothing to say."""


def planned(tests: Sequence[LadderTest], way: Way, here: Surroundings) -> Iterator[tuple[LadderTest, Prepared | None]]:
    """The plan of each test, for whoever wants to see it before; None for the user's own command. Raises
    SlowlinkError."""
    for test in tests:
        prepared = None
        if test.collective:
            prepared = plan_run(asked_for(test, way), here, Path("{output}"), on_nodes=False)
        yield test, prepared
