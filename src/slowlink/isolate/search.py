"""The search as a whole: rounds until nothing is open, or until there may be no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slowlink.isolate.belief import Belief, believe
from slowlink.isolate.judge import Judged, judge
from slowlink.isolate.plan import Group, Plan, first_round, next_round
from slowlink.isolate.verdict import verdict
from slowlink.model.isolation import COARSE, Fabric, Outcome, Verdict

MOST_ROUNDS = 6
FEW_NODES = 16
"""So many nodes meet each other in as many rounds."""
SURVEYED = 3
"""Until this round paths between leaves are tried for their own sake; later ones only run along."""


class Search:
    """Ask ``plan`` what to run, tell ``add`` what it gave, until ``plan`` has no groups; then ``verdict``."""

    def __init__(
        self,
        fabric: Fabric,
        *,
        confidence: float = 0.99,
        most_rounds: int = MOST_ROUNDS,
        usual_gbs: float | None = None,
        seed: int = 0,
        known: Sequence[Outcome] = (),
        every_pair: bool | None = None,
        smallest: float = COARSE,
    ) -> None:
        """``known``: what others have measured on these nodes; with it the search goes on from there. ``every_pair``:
        try the path between any two nodes; None: where leaves are not known, and nodes are few. ``smallest``:
        rounds go on until a node that is slower by this share would be found nine times out of ten."""
        self._smallest = smallest
        self.fabric, self.confidence = fabric, confidence
        few = len(fabric.nodes) <= FEW_NODES and len(fabric.leaves) == 1
        self.every_pair = few if every_pair is None else every_pair
        self._most_rounds = most_rounds + (len(fabric.nodes) if self.every_pair else 0)
        self._usual_gbs, self._seed = usual_gbs, seed
        self.outcomes: list[Outcome] = list(known)
        self.rounds = 0
        self._worked_out: tuple[int, Judged, Belief] | None = None

    def plan(self) -> Plan:
        """The next round; without groups when all is decided, or after the last round that is allowed."""
        if self.rounds >= self._most_rounds or len(self.fabric.nodes) < 2:
            return Plan((), 0)
        if not self.outcomes:
            return first_round(self.fabric, self._seed)
        belief = self.belief()
        planned = next_round(
            self.fabric,
            belief,
            self.outcomes,
            self._seed + self.rounds,
            survey=self.every_pair or self.rounds < SURVEYED,
            every_pair=self.every_pair,
        )
        if not planned.groups and belief.smallest > self._smallest:
            # Too noisy to say that nothing is slow: everybody once more, with others.
            return first_round(self.fabric, self._seed + self.rounds)
        return planned

    def add(self, measured: Sequence[tuple[Group, float | None]]) -> None:
        """What the groups of a round gave, GB/s; None for one that did not finish."""
        self.rounds += 1
        self.outcomes += [Outcome(group, gbs, self.rounds) for group, gbs in measured]

    def judged(self) -> Judged:
        return judge(self.outcomes, self.fabric, self.confidence, self._usual_gbs)

    def belief(self) -> Belief:
        return self._known()[1]

    def _known(self) -> tuple[Judged, Belief]:
        """Worked out once for the outcomes that there are."""
        if self._worked_out is None or self._worked_out[0] != len(self.outcomes):
            judged = self.judged()
            self._worked_out = len(self.outcomes), judged, believe(self.outcomes, judged, self.fabric, self.confidence)
        return self._worked_out[1:]

    def verdict(self) -> Verdict:
        """What is known now, and what would settle the rest."""
        judged, belief = self._known()
        return verdict(self.fabric, self.outcomes, judged, belief, self.confidence, self.rounds)


def run(search: Search, measure: Callable[[Sequence[Group]], Sequence[float | None]]) -> Verdict:
    """The whole search. ``measure``: runs groups side by side and gives GB/s for each."""
    while groups := search.plan().groups:
        search.add(list(zip(groups, measure(groups), strict=True)))
    return search.verdict()
