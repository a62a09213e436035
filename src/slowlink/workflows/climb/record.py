"""The plan of a ladder in its bundle, and what is kept of a bundle that is gone on with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.bundle.begun import mark_begun, was_begun_here
from slowlink.bundle.reopen import own_manifest, reopened
from slowlink.errors import SlowlinkError
from slowlink.ladder import layers as of
from slowlink.model.bundle import CAPTURES_NAME
from slowlink.model.ladder import AGAIN, LADDER_SCHEMA, LadderPlan
from slowlink.model.plan import Capture, Ended
from slowlink.parsers.context.ladder_plan import LadderPlanDocument
from slowlink.workflows.snapshot import KIND

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter

STATE = KIND
LADDER = "ladder"
"""The name and the kind of the plan's capture."""
_FILE = "ladder.json"
_MOST_BYTES = 64 << 20
AFTER = f"{STATE}-after"


def store_plan(plan: LadderPlan, bundle: BundleWriter) -> str:
    """Write it as it is now; one that was stopped is written beside the first. Gives why the ladder cannot be gone on
    with; "" where it can be. Raises SlowlinkError."""
    from slowlink.report.json import plain_json

    with bundle.capture(LADDER, LADDER, ()) as capture:
        document = {name: getattr(plan, name) for name in plan.__struct_fields__ if name != "ref"}
        capture.file(_FILE).write(plain_json({"schema": LADDER_SCHEMA, **document}))
        capture.end(Ended(None, None, "written", time.time(), 0.0))
    if capture.name != LADDER:
        return ""
    return mark_begun(bundle.directory, (bundle.directory / CAPTURES_NAME / LADDER / _FILE).read_bytes())


def stored_plan(directory: Path) -> LadderPlan:
    """The plan in a bundle that this user's slowlink began here. Raises SlowlinkError as ``own_manifest``,
    ``bundle-not-begun-here``, and ``no-ladder``."""
    import json

    from slowlink.inputs.small_text import small_text

    own_manifest(directory)
    path = directory / CAPTURES_NAME / LADDER / _FILE
    try:
        text = small_text(path, _MOST_BYTES)
        value = json.loads(text)
        found = list(LadderPlanDocument().read(value, str(path), 0)) if LadderPlanDocument.wants_document(value) else []
    except (OSError, ValueError, RecursionError):
        found = []
    if not found:
        raise SlowlinkError(
            f"{directory} holds no ladder that can be gone on with",
            hint="slowlink check makes one; --resume takes its bundle",
            slug="no-ladder",
        )
    if not was_begun_here(directory, text.encode()):
        raise SlowlinkError(
            f"{directory} was not begun here by your slowlink, and what its plan says would be run",
            hint="go on where it was begun, as the same user and in the same place (a bundle that was moved, copied or "
            "unpacked is another); or begin anew: slowlink bundle show shows the command, look at it first",
            slug="bundle-not-begun-here",
        )
    return replace(found[0], stopped="")


def gone_on_with(directory: Path, plan: LadderPlan, command: Sequence[str]) -> BundleWriter:
    """The bundle, with what is whole in it alone. Raises SlowlinkError."""
    manifest = own_manifest(directory)
    whole = whole_captures(plan, manifest.captures)
    return reopened(directory, lambda capture: is_kept(capture.name, whole), command)


def is_kept(name: str, whole: set[str]) -> bool:
    """The plan, tests that are whole, and what their ranks wrote."""
    debug = name.removeprefix("nccl-debug-")
    return name == LADDER or name in whole or (debug != name and any(_is_of(debug, test) for test in whole))


def _is_of(debug: str, test: str) -> bool:
    return debug == test or debug.startswith(f"{test}/")


def whole_captures(plan: LadderPlan, captures: Sequence[Capture]) -> set[str]:
    """Names of tests that came to an end of their own, and the state of the hosts where all of them were asked."""
    ended = {
        capture.name for capture in captures if capture.ended is not None and capture.ended.reason != "interrupted"
    }
    tests = {test.name + suffix for test in plan.tests for suffix in ("", AGAIN)}
    found = {name for name in ended if name in tests or name.startswith(f"{of.INTERVIEW}/")}
    state = {name for name in ended if name.startswith(f"{STATE}/")}
    return found | (state if len(state) >= len(plan.nodes) else set())
