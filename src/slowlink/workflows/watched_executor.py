"""An executor whose workers are somebody else's: where they are gone, what they had in hand is given back."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from threading import Event, Lock, Thread
from typing import Any

_LOOKS_EVERY_S = 1.0


class WatchedExecutor(Executor):
    """Hands everything on to ``executor``, for as long as ``alive`` says that somebody works there.

    Once it has said no for ``patience_s``, all that is under way ends with BrokenExecutor, and so does what comes
    later: an executor of a cluster would wait for ever. Whatever fails over there ends so, too.
    """

    def __init__(self, executor: Executor, alive: Callable[[], bool], patience_s: float) -> None:
        self._executor = executor
        self._alive = alive
        self._patience_s = patience_s
        self._under_way: set[Future[Any]] = set()
        self._lock = Lock()
        self._broken = False
        self._ended = Event()
        self._watcher = Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """As the executor that it hands on to. Raises BrokenExecutor once nobody works there."""
        given: Future[Any] = Future()
        with self._lock:
            if self._broken:
                raise BrokenExecutor("its workers are gone")
            self._under_way.add(given)
        try:
            taken = self._executor.submit(function, *args, **named)
        except Exception as error:
            raise BrokenExecutor(f"not taken: {type(error).__name__}") from error
        taken.add_done_callback(lambda done: self._pass_on(done, given))
        return given

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cease to watch; the executor itself is ended by whoever made it."""
        self._ended.set()
        if cancel_futures:
            for given in tuple(self._under_way):
                given.cancel()
        if wait:
            self._watcher.join()

    def _pass_on(self, done: Future[Any], given: Future[Any]) -> None:
        """Whatever went wrong over there is tried again here, where it can be told apart."""
        try:
            result = done.result()
        except (Exception, CancelledError) as error:  # noqa: BLE001
            self._settle(given, BrokenExecutor(f"over there: {type(error).__name__}"))
        else:
            self._settle(given, None, result)

    def _settle(self, given: Future[Any], error: BaseException | None, result: object = None) -> None:
        with self._lock:
            if given not in self._under_way:
                return
            self._under_way.remove(given)
        if not given.set_running_or_notify_cancel():
            return
        if error is not None:
            given.set_exception(error)
        else:
            given.set_result(result)

    def _watch(self) -> None:
        absent_s = 0.0
        while not self._ended.wait(_LOOKS_EVERY_S):
            absent_s = 0.0 if self._works() else absent_s + _LOOKS_EVERY_S
            if absent_s >= self._patience_s:
                with self._lock:
                    self._broken = True
                for given in tuple(self._under_way):
                    self._settle(given, BrokenExecutor("its workers are gone"))
                return

    def _works(self) -> bool:
        try:
            return self._alive()
        except Exception:  # noqa: BLE001 - whatever a client raises, nobody answers
            return False
