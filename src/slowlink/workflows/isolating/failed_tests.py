"""Tests of pairs that failed although they printed whole tables: wrong results, a GPU that was lost, an abort behind.

What the rules call broken for the lines of one test is no measurement of it. Each test is asked for alone: the tests
of a survey are many jobs, and what one of them says must neither be hidden by the others nor laid to their charge.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from typing import Any

from slowlink.facts.jobs.cut import line_of, parted_log
from slowlink.facts.jobs.model import entries
from slowlink.model.benchmark import CollectiveRun
from slowlink.model.isolation import Failure
from slowlink.model.nccl import NcclLog
from slowlink.model.records import Records
from slowlink.model.report import Evidence, Report, Sweep
from slowlink.model.source import SourceStats
from slowlink.parsers.context.bundle_manifest import RUN_ENDED
from slowlink.workflows.analyze import report_of
from slowlink.workflows.isolating.log_names import test_of, test_that_ended

Test = tuple[str, int]
"""The file, or in a bundle the folder, and which of the tables in it; -1 for what stands elsewhere in that folder."""
_SAY_NOTHING = ("runs", "logs", "env", "commands", "origins", "collected")
_WORST = "critical"


class FailedTests:
    """Which of the tests failed, and what else the logs tell of failures."""

    def __init__(self, records: Records, report: Report, sweeps: Sequence[Sweep]) -> None:
        """``report``: of all records. ``sweeps``: the tables of it that are tests of pairs."""
        self._tables: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for sweep in sorted(sweeps, key=lambda sweep: sweep.line):
            self._tables[test_of(sweep.source)][sweep.source].append(sweep.line)
        self._unended = {test_of(sweep.source) for sweep in sweeps if not sweep.complete}
        self._ended_badly = {
            test_that_ended(event) for event in records.events if event.kind == RUN_ENDED and "capture" in event.groups
        }
        self._worst = [finding for finding in report.findings if finding.severity == _WORST]
        suspected = self._suspected(records)
        self._why = dict(self._broken(records, suspected)) if suspected else {}

    def failed(self, sweep: Sweep) -> bool:
        """Is this table no measurement, though it is whole?"""
        of_test = self._test(sweep.source, sweep.line) in self._why
        return of_test or test_of(sweep.source) in self._ended_badly

    def told(self, records: Records, known: Container[str]) -> Iterator[Failure]:
        """What failed, and what is told of failures elsewhere. ``known``: paths of logs whose tests are known to have
        failed; how the parts of a bundle ended is known from the bundle itself."""
        for path, why in self._why.values():
            yield Failure(path, why)
        bundles = {stats.path for stats in records.sources if "bundle" in stats.kinds}
        broken = {unit for unit, _ in self._why} | self._unended
        for finding in self._worst:
            paths = [each.source for each in finding.evidence if each.source not in bundles]
            if paths and not any(path in known or test_of(path) in broken for path in paths):
                yield Failure(paths[0], finding.message)

    def _test(self, source: str, line: int) -> Test | None:
        """Whose a line is: of the table above it, as what ended a test stands behind its table; the only one's
        of a file or folder. None where no pair was tested there."""
        unit = test_of(source)
        tables = self._tables.get(unit)
        if tables is None:
            return None
        if sum(map(len, tables.values())) == 1:
            return unit, 0
        return unit, max(bisect_right(tables[source], line) - 1, 0) if source in tables else -1

    def _suspected(self, records: Records) -> set[Test]:
        """Tests whose lines hold more than a sound table and NCCL's own start-up."""
        found = {self._test(run.source, run.header.line) for run in records.runs if not _is_sound(run)}
        found |= {self._test(log.source, warning.ref.line) for log in records.logs for warning in log.warnings}
        found |= {self._test(each.source, each.line) for finding in self._worst for each in finding.evidence}
        for entry in entries(records):
            if entry.name not in _SAY_NOTHING:
                found.add(self._test(entry.source, line_of(entry.record)))
        return {test for test in found if test is not None}

    def _broken(self, records: Records, suspected: set[Test]) -> Iterator[tuple[Test, tuple[str, str]]]:
        """Each suspected test that is broken by its own lines: the file, and the headline."""
        parts: dict[Test, dict[str, list[Any]]] = {test: defaultdict(list) for test in suspected}
        for entry in entries(records):
            for test, record in self._parted(entry.record, entry.source):
                if test in parts:
                    parts[test][entry.name].append(record)
        sources: dict[str, list[SourceStats]] = defaultdict(list)
        for stats in records.sources:
            sources[test_of(stats.path)].append(stats)
        for test, found in sorted(parts.items()):
            mine = Records(**{name: tuple(each) for name, each in found.items()}, sources=tuple(sources[test[0]]))
            alone = report_of(mine)
            if alone.verdict == "broken":
                lines: tuple[Evidence, ...] = alone.diagnoses[0].evidence if alone.diagnoses else ()
                yield test, (lines[0].source if lines else test[0], alone.headline)

    def _parted(self, record: Any, source: str) -> Iterator[tuple[Test | None, Any]]:
        if isinstance(record, NcclLog):
            yield from parted_log(record, lambda _, line: self._test(source, line)).items()
        else:
            yield self._test(source, line_of(record)), record


def _is_sound(run: CollectiveRun) -> bool:
    wrong = any(point.wrong for point in run.points)
    return run.concluded and not (wrong or run.out_of_bounds_failed or run.average_failed or run.errors)
