"""What the lines of a loop stand for, and how fast they are, in words."""

from __future__ import annotations

from slowlink.model.job import TrainingPace


def line_word(pace: TrainingPace) -> str:
    """What a line that was printed stands for: a step only where the loop's own counter says so."""
    if pace.reports or pace.work == "serving" or pace.spanned >= 2 * pace.count:
        return "report"
    return "step" if pace.spanned else "line"


def speed(seconds: float, pace: TrainingPace) -> str:
    """The time of a step; the work a second where that is what was printed."""
    return f"{1 / seconds:.4g} {pace.unit}/s" if pace.unit else time_of(seconds)


def time_of(seconds: float) -> str:
    """``1.5 s`` or ``20 ms``."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
