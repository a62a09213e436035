"""slowlink finds out why the collectives of a GPU cluster are slow, and proves it when they are not.

    import slowlink

    report = slowlink.analyze("job.log")       # or bytes, an open file, an iterable of lines
    report = slowlink.analyze("job.log", hardware=slowlink.hardware(gpu="h100-sxm", nics="8x400"))
    print(report.verdict, report.headline)
    for diagnosis in report.diagnoses:
        print(diagnosis.cause, diagnosis.evidence[0].line)
    frame = slowlink.points_frame(report)      # pandas or polars, where one is installed
    page = slowlink.render(report, "html")
    slowlink.compare("before.log", "after.log").headline
    slowlink.expected("hgx_h200", nodes=4).busbw_gbs

What this module lists in ``__all__`` is the public API; nothing else is. Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from slowlink.catalog.given import hardware as hardware
    from slowlink.errors import SlowlinkError as SlowlinkError
    from slowlink.expect.expected import Expected as Expected
    from slowlink.expect.expected import expected as expected
    from slowlink.model.comparison import Comparison as Comparison
    from slowlink.model.facts import Hardware as Hardware
    from slowlink.model.report import Diagnosis as Diagnosis
    from slowlink.model.report import Difference as Difference
    from slowlink.model.report import Evidence as Evidence
    from slowlink.model.report import Expectation as Expectation
    from slowlink.model.report import Finding as Finding
    from slowlink.model.report import InputSummary as InputSummary
    from slowlink.model.report import Job as Job
    from slowlink.model.report import Outcome as Outcome
    from slowlink.model.report import Remedy as Remedy
    from slowlink.model.report import Report as Report
    from slowlink.model.report import Suspect as Suspect
    from slowlink.model.report import Sweep as Sweep
    from slowlink.model.report import SweepPoint as SweepPoint
    from slowlink.parsers.reading.engine import Engine as Engine
    from slowlink.report import render as render
    from slowlink.report.dataframe import points_frame as points_frame
    from slowlink.report.json import report_from_json as report_from_json
    from slowlink.workflows.analyze import analyze as analyze
    from slowlink.workflows.compare import compare as compare

_HOMES = {
    "Comparison": "slowlink.model.comparison",
    "Diagnosis": "slowlink.model.report",
    "Difference": "slowlink.model.report",
    "Engine": "slowlink.parsers.reading.engine",
    "Evidence": "slowlink.model.report",
    "Expectation": "slowlink.model.report",
    "Expected": "slowlink.expect.expected",
    "Finding": "slowlink.model.report",
    "Hardware": "slowlink.model.facts",
    "InputSummary": "slowlink.model.report",
    "Job": "slowlink.model.report",
    "Outcome": "slowlink.model.report",
    "Remedy": "slowlink.model.report",
    "Report": "slowlink.model.report",
    "SlowlinkError": "slowlink.errors",
    "Suspect": "slowlink.model.report",
    "Sweep": "slowlink.model.report",
    "SweepPoint": "slowlink.model.report",
    "analyze": "slowlink.workflows.analyze",
    "compare": "slowlink.workflows.compare",
    "expected": "slowlink.expect.expected",
    "hardware": "slowlink.catalog.given",
    "points_frame": "slowlink.report.dataframe",
    "render": "slowlink.report",
    "report_from_json": "slowlink.report.json",
}

__all__ = [
    "Comparison",
    "Diagnosis",
    "Difference",
    "Engine",
    "Evidence",
    "Expectation",
    "Expected",
    "Finding",
    "Hardware",
    "InputSummary",
    "Job",
    "Outcome",
    "Remedy",
    "Report",
    "SlowlinkError",
    "Suspect",
    "Sweep",
    "SweepPoint",
    "analyze",
    "compare",
    "expected",
    "hardware",
    "points_frame",
    "render",
    "report_from_json",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'slowlink' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
