"""What ``slowlink node-check`` tells Prometheus of its node. Who reads the file adds the node's name."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from slowlink import exits
from slowlink.model.metrics import CauseCount, MetricFamily
from slowlink.model.report import Report, Verdict
from slowlink.report.metrics.families import family
from slowlink.report.metrics.labels import by_cause, by_severity, one_of

_STATES = {exits.HEALTHY: "ok", exits.FINDINGS: "not_ok", exits.INCONCLUSIVE: "unknown"}


def node_check_families(report: Report, status: int, *, at: float, took_s: float) -> tuple[MetricFamily, ...]:
    """``status``: the exit status of the check. ``at``: seconds since the epoch, when the node was asked."""
    causes = [
        CauseCount(*each, count) for each, count in Counter((d.cause, d.severity) for d in report.diagnoses).items()
    ]
    name = "slowlink_node_check"
    return (
        family(f"{name}_info", "The slowlink that checked the node.", ("version",), [((report.slowlink,), 1.0)]),
        family(
            f"{name}_state",
            "1 for what the check of the node came to: ok, not_ok (no job should start on it), or unknown.",
            ("state",),
            (((state,), number) for state, number in one_of(_STATES.values(), _STATES[status])),
        ),
        family(
            f"{name}_verdict",
            "1 for the verdict of the report on the node.",
            ("verdict",),
            (((verdict,), number) for verdict, number in one_of(get_args(Verdict), report.verdict)),
        ),
        family(
            f"{name}_findings",
            "Root causes that were found on the node, by severity.",
            ("severity",),
            (((severity,), float(count)) for severity, count in by_severity(causes).items()),
        ),
        family(
            f"{name}_cause_findings",
            "Root causes that were found on the node, by cause.",
            ("cause", "severity"),
            ((each, float(count)) for each, count in by_cause(causes).items()),
        ),
        family(f"{name}_timestamp_seconds", "When the node was asked, Unix time.", (), [((), at)], "seconds"),
        family(f"{name}_duration_seconds", "How long the check took.", (), [((), took_s)], "seconds"),
    )
