"""AMD GPUs count errors of their xGMI links.

``rocm-smi --showxgmierr`` and ``--showrasinfo`` say whether the links between GPUs had errors since the count was
reset last: none, one, or more.

Why it matters: after an error the link sends again, which costs bandwidth; a bad link fails in the end.
How to confirm: ``rocm-smi --resetxgmierr``, run the collective again, then ``rocm-smi --showxgmierr``.
What to do: if they come again under load, drain the node and give the board to the vendor.
When it is wrong: the errors may be from long ago, since nothing resets the count by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from slowlink.facts.readings import latest_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import gpu_suspects, gpus_at
from slowlink.rules.evidence.node_readings import reading_evidence

CAUSES = ("nvlink-down",)


def check(errors: Annotated[Readings, Of("xgmi-errors")]) -> Iterator[Finding]:
    """A warning only, because the time of the errors is not known."""
    found = [r for r in latest_of(errors.all) if isinstance(r.value, int) and r.value > 0]
    if found:
        yield finding(
            "nvlink-down",
            f"{gpus_at(found)}: errors of xGMI links since they were read last",
            severity="warning",
            confidence="possible",
            evidence=reading_evidence(found, expected="0"),
            suspects=gpu_suspects(found),
            remedy=[
                (
                    "Reset the count, run the collective, and look again.",
                    "rocm-smi --resetxgmierr; rocm-smi --showxgmierr",
                )
            ],
        )
