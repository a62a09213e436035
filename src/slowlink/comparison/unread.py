"""Was everything read that a report is made of?"""

from __future__ import annotations

from slowlink.model.report import NOT_ALL_READ, Report


def what_was_not_read(report: Report) -> str:
    """The first input that was not, with the reason, and how many more; "" where all were read to their end.

    Also of a report that was saved before inputs said it themselves.
    """
    partial = [f"{each.path}: {each.problem}" for each in report.inputs if each.partial]
    if not partial:
        return report.headline.partition(NOT_ALL_READ)[2]
    return partial[0] + (f" and {len(partial) - 1} more" if len(partial) > 1 else "")
