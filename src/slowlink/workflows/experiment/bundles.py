"""Two bundles of launches that were not mixed: before something and after it."""

from __future__ import annotations

from slowlink.errors import SlowlinkError
from slowlink.experiments.interference import STAGE
from slowlink.experiments.results import counts
from slowlink.model.experiment import Change, Launched, Trial
from slowlink.workflows.experiment.measured import launched_of, read_captures


def before_and_after(before: str, after: str) -> tuple[Change, list[Launched]]:
    """Every launch with a table, of both. The change is what lies between them. Raises SlowlinkError."""
    change = Change(f"{after} instead of {before}")
    found: list[Launched] = []
    for path, on in ((before, ()), (after, (change.id,))):
        launches = _launches(path, on, len(found))
        if not launches:
            raise SlowlinkError(
                f"{path} holds no launch with a table", hint="bundles of slowlink run --repeat 10", slug="no-launches"
            )
        found += launches
    sizes = [set(launched.times_us) for launched in found]
    common = set.intersection(*sizes)
    if not common:
        raise SlowlinkError("the bundles have no size in common", hint="measure the same sizes", slug="no-common-size")
    return change, [_only(launched, common) for launched in found]


def _launches(path: str, on: tuple[str, ...], already: int) -> list[Launched]:
    found: list[Launched] = []
    for capture, captured in sorted(read_captures([path]).items()):
        launched = launched_of(Trial(already + len(found) + 1, STAGE, on), capture, "", captured)
        if counts(launched):
            found.append(launched)
    return found


def _only(launched: Launched, sizes: set[int]) -> Launched:
    from msgspec.structs import replace

    return replace(
        launched,
        times_us={size: time for size, time in launched.times_us.items() if size in sizes},
        iterations=tuple(each for each in launched.iterations if each.size_bytes in sizes),
    )
