"""The ladder as a report tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import convert

from slowlink.ladder.explain import explained
from slowlink.ladder.hearing import interview_of
from slowlink.ladder.judge import waterfall
from slowlink.ladder.tolerances import Tolerances
from slowlink.model.ladder import Ladder, Waterfall
from slowlink.model.report import Finding


def told_ladder(ladder: Ladder, findings: Sequence[Finding], tolerances: Mapping[str, object]) -> Waterfall:
    """Judged, explained by what the rules found, and with the interview. ``tolerances``: of the rule
    ``layer-loses-bandwidth``. Pure."""
    fall = waterfall(ladder, convert(dict(tolerances), Tolerances))
    return explained(fall, findings, interview_of(ladder, fall))
