"""``--policy``, and where a policy comes from without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from slowlink.config import Config
    from slowlink.model.policy import Policy

F = TypeVar("F", bound=Callable[..., object])


def policy_option(function: F) -> F:
    """``--policy FILE``."""
    return click.option(
        "--policy",
        "policy_path",
        metavar="FILE",
        help="What nodes must be (slowlink policy from NODE); default: policy in slowlink.toml.",
    )(function)


def site_policy(path: str | None, config: Config) -> Policy | None:
    """The policy that is named, here or in the site's settings. Raises SlowlinkError as ``read_policy``."""
    named = path or config.policy
    if not named:
        return None
    from slowlink.workflows.policy.read import read_policy

    return read_policy(Path(named))
