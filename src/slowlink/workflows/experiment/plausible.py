"""What an experiment's record may say. Somebody else may have written it, and what it is asked for ends in a shell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from slowlink.errors import SlowlinkError
from slowlink.experiments.tuning import Rules as Tuned
from slowlink.model.experiment import Change, Trial
from slowlink.workflows.foreign_settings import reaches_out
from slowlink.workflows.job_environment import carried

if TYPE_CHECKING:
    from slowlink.experiments.interference import Rules as Interfered

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}")
_LEAST_CONFIDENCE = 0.5
_MOST_PAIRS, _MOST_CONFIRMED, _MOST_CHANGES, _MOST_TRIALS = 1000, 64, 1000, 100_000
"""As the command line has them; trials are its launches."""


def require_plausible(rules: Tuned | Interfered, trials: Sequence[tuple[Trial, str, str]]) -> None:
    """``trials``: each with its capture, and why it does not count. Raises SlowlinkError (``bad-experiment``)."""
    changes = rules.changes if isinstance(rules, Tuned) else (rules.change,)
    for wrong in (_wrong_rules(rules), _wrong_changes(changes, set_by_name=isinstance(rules, Tuned)),
                  _wrong_trials(trials, {change.id for change in changes})):  # fmt: skip
        if wrong:
            raise SlowlinkError(
                f"the experiment in the bundle is none that slowlink made: {wrong}",
                hint="somebody changed it, or another version wrote it",
                slug="bad-experiment",
            )


def _wrong_rules(rules: Tuned | Interfered) -> str:
    """Written so that what is no number is wrong, too."""
    if not 0 <= rules.margin < 1:
        return f"a margin of {rules.margin}"
    if not _LEAST_CONFIDENCE <= rules.confidence < 1:
        return f"a confidence of {rules.confidence}"
    if not 0 <= rules.seed < 1 << 63:
        return f"a seed of {rules.seed}"
    if not 1 <= rules.most_pairs <= _MOST_PAIRS:
        return f"at most {rules.most_pairs} pairs"
    if isinstance(rules, Tuned) and not 1 <= rules.most_confirmed <= _MOST_CONFIRMED:
        return f"{rules.most_confirmed} settings to confirm"
    return ""


def _wrong_changes(changes: Sequence[Change], *, set_by_name: bool) -> str:
    """What is shown is the id, and what is set the name with its value: they must say the same."""
    if len(changes) > _MOST_CHANGES:
        return f"{len(changes)} settings"
    if len({change.id for change in changes}) < len(changes):
        return "a setting stands in it twice"
    for change in changes if set_by_name else ():
        said = f"-{change.name}" if change.value is None else f"{change.name}={change.value}"
        if change.id != said or not _NAME.fullmatch(change.name) or not said.isprintable():
            return f"{change.id[:80]!r} is no setting"
    return ""


def _wrong_trials(trials: Sequence[tuple[Trial, str, str]], known: set[str]) -> str:
    """A launch is one measurement: a capture that stands for many would prove anything."""
    if len(trials) > _MOST_TRIALS:
        return f"{len(trials)} launches"
    captures = [capture for _, capture, _ in trials if capture]
    if len(set(captures)) < len(captures):
        return "one launch counts several times"
    for trial, _, _ in trials:
        if not known.issuperset(trial.on):
            return f"launch {trial.number} was with what was not asked for"
        if not 0 <= trial.pair <= _MOST_PAIRS:
            return f"launch {trial.number} is of pair {trial.pair}"
    return ""


def not_to_be_set(changes: Iterable[Change]) -> frozenset[str]:
    """Ids of settings that nobody takes from somebody else's record: what libraries of communication do not read, and
    what starts programs, loads code or writes files."""
    return frozenset(
        change.id
        for change in changes
        if not carried({change.name: change.value or ""}) or reaches_out(change.name, change.value or "")
    )
