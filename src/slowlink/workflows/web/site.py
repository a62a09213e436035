"""The pages: each is asked of the store, and made once as long as nothing else is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.model.fleet import Fleet
from slowlink.model.metrics import NewestRun
from slowlink.store.connect import Store
from slowlink.store.newest import newest_runs
from slowlink.store.read import Choices, choices
from slowlink.workflows.web.asked import MOST_NUMBER, Asked, asked
from slowlink.workflows.web.fleet import MOST_REPORTS, SaidByRuns, fleet_of
from slowlink.workflows.web.open_history import OpenHistory
from slowlink.workflows.web.remembered import Remembered

_MOST_BYTES = 64 << 20
_MOST_CHOICES = 200
_SAME_FLEET_S = 600.0
"""The time that "the last 30 days" mean moves in such steps."""
_SAME_AGE_S = 60.0
_HELD = 32


class _Newest(Struct, frozen=True):
    runs: tuple[NewestRun, ...]
    left_out: int


class Page(Struct, frozen=True):
    """What one kind of address answers."""

    fields: tuple[str, ...]
    """What it may ask for."""
    make: Callable[[Site, Store, Asked, float], bytes]
    """With the numbers of its path as fields, at a moment (seconds since the epoch). Raises SlowlinkError and
    NoSuchPageError."""


class ShownReport(Struct, frozen=True):
    """What the page of a run has of its report."""

    verdict: str
    headline: str
    body: str
    """HTML."""
    has_pairs: bool


class NoSuchPageError(Exception):
    """The address names nothing that there is."""


class Site:
    """Everything that the pages share. For several threads."""

    def __init__(self, place: str) -> None:
        self.history = OpenHistory(place)
        self._pages: Remembered[bytes] = Remembered(_MOST_BYTES, len)
        self.reports: Remembered[ShownReport] = Remembered(_MOST_BYTES, lambda shown: len(shown.body))
        """By the store that is open and a run's number: neither changes."""
        self._newest: Remembered[_Newest] = Remembered(2)
        self._choices: Remembered[Choices] = Remembered(2)
        self._fleets: Remembered[Fleet] = Remembered(_HELD)
        self._said: dict[int, SaidByRuns] = {}

    def known(self, name: str, page: Page, numbers: Mapping[str, int], query: str) -> bytes | None:
        """A page that was made already and still holds; None where that has to be looked at. Raises SlowlinkError."""
        if not self.history.is_fresh:
            return None
        return self._pages.known(self._key(name, page, numbers, asked(query, page.fields), time.time()))

    def answer(self, name: str, page: Page, numbers: Mapping[str, int], query: str) -> bytes:
        """Raises SlowlinkError and NoSuchPageError."""
        given = asked(query, page.fields)
        if not all(0 < number <= MOST_NUMBER for number in numbers.values()):
            raise NoSuchPageError
        self.history.look()
        now = time.time()
        key = self._key(name, page, numbers, given, now)
        given.update({field: str(number) for field, number in numbers.items()})

        def made() -> bytes:
            with self.history.reading() as store:
                return page.make(self, store, given, now)

        return self._pages.get(key, made)

    def _key(self, name: str, page: Page, numbers: Mapping[str, int], given: Asked, now: float) -> tuple[object, ...]:
        wishes = tuple(given[field] for field in page.fields)
        return (name, *numbers.values(), wishes, self.history.generation, now // _SAME_AGE_S)

    def newest(self, store: Store) -> tuple[Sequence[NewestRun], int]:
        """The newest run of each command and set of nodes, and how many are left out."""

        def asked_now() -> _Newest:
            runs, total = newest_runs(store, MOST_REPORTS)
            return _Newest(runs, total - len(runs))

        found = self._newest.get(self.history.generation, asked_now)
        return found.runs, found.left_out

    def choices(self, store: Store) -> Choices:
        """What forms offer."""
        return self._choices.get(self.history.generation, lambda: choices(store, _MOST_CHOICES))

    def fleet(self, store: Store, within_s: float | None, now: float) -> Fleet:
        """By the reports of the last ``within_s`` seconds; None: by all."""
        step = now // _SAME_FLEET_S
        since = float("-inf") if within_s is None else step * _SAME_FLEET_S - within_s

        def pictured() -> Fleet:
            runs, left_out = self.newest(store)
            return fleet_of(store, self._said_by_runs(), runs, left_out, since)

        return self._fleets.get((self.history.generation, within_s, step), pictured)

    def make_ready(self) -> None:
        """Read what the newest reports say before somebody asks: of thousands that takes seconds.

        Whoever asks hears what is wrong with the history.
        """
        with suppress(SlowlinkError):
            self.history.look()
            with self.history.reading() as store:
                self.fleet(store, None, time.time())

    def _said_by_runs(self) -> SaidByRuns:
        """Of the store that is open now: another one has other runs under the same numbers."""
        opened = self.history.opened
        if opened not in self._said:
            self._said = {opened: SaidByRuns()}
        return self._said[opened]

    def close(self) -> None:
        """Give everything back."""
        self.history.close()
