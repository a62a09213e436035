"""Which settings to try, and what variables ranks get with some of them on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from slowlink.catalog.tunables import LIBRARIES, Tunable, library_of, tunables
from slowlink.errors import SlowlinkError
from slowlink.experiments.in_force import ASKING
from slowlink.model.experiment import Change
from slowlink.workflows.job_environment import parse_assignments

if TYPE_CHECKING:
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.plan_run import Prepared


def changes_to_try(texts: Sequence[str], base: Mapping[str, str]) -> tuple[Change, ...]:
    """``NAME=VALUE`` words of ``--try``. Raises SlowlinkError."""
    found = []
    for text in dict.fromkeys(texts):
        ((name, value),) = parse_assignments([text]).items()
        if base.get(name) == value:
            raise SlowlinkError(
                f"{text} is set already", hint="leave it away, or unset it in this shell", slug="set-already"
            )
        found.append(Change(text, name, value, library_of(name)))
    return tuple(found)


def changes_of_catalogue(
    path: str | None, libraries: Sequence[str], collective: str, several_nodes: bool, base: Mapping[str, str]
) -> tuple[Change, ...]:
    """Every setting of the catalogue that may matter here, and is not set to that value already."""
    known = [each for each in tunables(path) if not libraries or not each.library or each.library in libraries]
    fitting = [each for each in known if each.may_matter(collective, several_nodes)]
    return tuple(_change(each, value) for each in fitting for value in each.values if base.get(each.name) != value)


def _change(tunable: Tunable, value: str) -> Change:
    return Change(f"{tunable.name}={value}", tunable.name, value, tunable.library, tunable.why, tunable.networks)


def changes_to_remove(settings: Mapping[str, str]) -> tuple[Change, ...]:
    """One for each setting of an environment."""
    return tuple(Change(f"-{name}", name, None, library_of(name)) for name in sorted(settings))


def libraries_here(prepared: Prepared, here: Surroundings) -> tuple[str, ...]:
    """Whose settings may matter: that moves the data. UCX's only where somebody asks."""
    if prepared.benchmark == "probe" and prepared.request.backend == "mpi":
        return ("openmpi",) if (here.mpi or "").lower().startswith(("openmpi", "open mpi")) else ()
    return () if prepared.request.backend == "gloo" else ("nccl",)


def parse_libraries(text: str) -> tuple[str, ...]:
    """``nccl,ucx``. Raises SlowlinkError."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if unknown := [name for name in names if name not in LIBRARIES]:
        raise SlowlinkError(
            f"'{unknown[0]}' is no library of the catalogue", hint=f"one of {', '.join(LIBRARIES)}", slug="usage"
        )
    return names


def env_with(base: Mapping[str, str], changes: Sequence[Change]) -> Callable[[Sequence[str]], dict[str, str]]:
    """Ids that are on -> all variables of the ranks, with those that make libraries say what they read.

    What is taken away, or was set in this shell and is tried here, must not come from this process's own environment:
    launchers hand that on.
    """
    by_id = {change.id: change for change in changes}
    for change in changes:
        os.environ.pop(change.name, None)
    asking = {name: value for library in {change.library for change in changes} for name, value in
              ASKING.get(library, {}).items()}  # fmt: skip

    def env_of(on: Sequence[str]) -> dict[str, str]:
        env = {**asking, **base}
        for change in (by_id[name] for name in on):
            if change.value is None:
                env.pop(change.name, None)
            else:
                env[change.name] = change.value
        return env

    return env_of
