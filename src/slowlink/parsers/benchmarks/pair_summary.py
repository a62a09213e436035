"""Summaries of pairwise surveys: how many tests passed, and which pairs of nodes failed.

For example::

    Total tests processed:     42
      - PASS:                  40
      - FAIL:                  2
    Unique failed node pairs:  1
      - (gpu-001, gpu-007)

Source: the text that survey scripts print. A pair says nothing of which of its nodes is to blame; that takes all pairs.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.observation_table import Fact, ObservationParser

FACTS = (
    Fact(
        "pair-survey-tests",
        "ests processed",
        r"^\s*Total tests processed:\s{1,20}(?P<value>\d{1,9})\s*$",
        ("Total tests processed:     42",),
        subject="total",
        informative=True,  # how large the survey was; the pairs that failed are judged
    ),
    Fact(
        "pair-survey-tests",
        "- ",
        r"^\s*- (?P<subject>PASS|FAIL|MISSING_DATA):\s{1,30}(?P<value>\d{1,9})\s*$",
        ("  - PASS:                  40", "  - FAIL:                  2"),
        informative=True,  # how large the survey was; the pairs that failed are judged
    ),
    Fact(
        "pair-survey-failed-pairs",
        "node pairs:",
        r"^\s*Unique failed node pairs:\s{1,20}(?P<value>\d{1,9})\s*$",
        ("Unique failed node pairs:  3",),
        subject="pairs",
        informative=True,  # how many pairs failed; the list of them is judged
    ),
    Fact(
        "failed-pair",
        "- (",
        r"^\s*- \((?P<subject>[A-Za-z][\w.-]{0,100}), (?P<value>[A-Za-z][\w.-]{0,100})\)\s*$",
        ("  - (gpu-001, gpu-007)",),
    ),
    Fact(
        "failed-test",
        "_perf (",
        r"^\s*- (?P<value>\S{1,200}): (?P<subject>\w{2,40}_perf) \(N=\d{1,6}, G=\d{1,4}",
        ("  - run_gpu-001_gpu-007.log: alltoall_perf (N=2, G=4, nodes=gpu-[001,007])",),
        informative=True,  # the log of a failed test; the list of pairs is judged
    ),
)


class PairSummary(ObservationParser):
    """Observations of a survey's counts, failed tests and failed pairs of nodes."""

    kind: ClassVar[str] = "pair-summary"
    digits_alike: ClassVar[bool] = True
    facts: ClassVar[tuple[Fact, ...]] = FACTS


PARSER = PairSummary
