"""``--policy``, and where a policy comes from without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from slowlink import exits
from slowlink.cli.pipes import note

if TYPE_CHECKING:
    from slowlink.config import Config
    from slowlink.model.policy import Policy
    from slowlink.model.report import Report

F = TypeVar("F", bound=Callable[..., object])


def policy_option(function: F) -> F:
    """``--policy FILE``."""
    return click.option(
        "--policy",
        "policy_path",
        metavar="FILE",
        help="What nodes must be (slowlink policy from NODE); default: policy in slowlink.toml.",
    )(function)


def policy_gate(report: Report, path: str | None) -> tuple[int, ...]:
    """What ``--policy`` asks of the exit status: a policy that no node was held against has been met by none. One of
    the site's settings is there for whatever is read, and asks nothing of a job's log."""
    if path is None or any(each.rule == "policy-not-met" and each.outcome != "skipped" for each in report.outcomes):
        return ()
    note(f"slowlink: nothing was held against {path}: the input tells no node's state (slowlink snapshot asks for it)")
    return (exits.INCONCLUSIVE,)


def site_policy(path: str | None, config: Config) -> Policy | None:
    """The policy that is named, here or in the site's settings. Raises SlowlinkError as ``read_policy``."""
    named = path or config.policy
    if not named:
        return None
    from slowlink.workflows.policy.read import read_policy

    return read_policy(Path(named))
