"""Baselines and what stands beside them, in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import log

from msgspec import to_builtins

from slowlink.model.baseline import (
    OUTCOMES,
    AgainstBaseline,
    Baseline,
    BaselineName,
    JudgedSeries,
    Judgement,
    SaidOfAll,
)
from slowlink.report.escape import cleaned, terminal_safe
from slowlink.report.history.runs import moment
from slowlink.report.history.series import key_in_words
from slowlink.units import format_size

_MOST_VERDICTS = 6


def judgement_in_words(judgement: Judgement) -> str:
    """``plateau -3.0% (-3.6% to -2.4%): 380 -> 368.6 GB/s``: below 0 is worse, also of times."""
    what = format_size(judgement.size_bytes) if judgement.size_bytes is not None else judgement.what
    interval = ""
    if judgement.low is not None and judgement.high is not None:
        interval = f" ({judgement.low - 1:+.1%} to {judgement.high - 1:+.1%})"
    return f"{what} {judgement.gain - 1:+.1%}{interval}: {judgement.old:.4g} -> {judgement.new:.4g} {judgement.unit}"


def against_text(found: AgainstBaseline) -> str:
    """The headline, each question with its plateau and the sizes that changed, what was refused, what else changed."""
    lines = [found.headline, *_verdicts(found.said)]
    for series in found.series:
        lines += ["", key_in_words(series.key)]
        lines += [f"  {each.outcome:6} {judgement_in_words(each)}; {each.basis}" for each in _wholes(series)]
        lines += _sizes(series)
    for refused in found.refused:
        lines += ["", f"not compared: {key_in_words(refused.key)}", f"  {refused.why}"]
    if found.changed:
        lines += ["", "what else is not as it was:", *(f"  {words}" for words in found.changed)]
    return "".join(f"{terminal_safe(line)}\n" for line in lines)


def _verdicts(said: Sequence[SaidOfAll]) -> list[str]:
    """Of new reports that are not healthy."""
    sick = [
        f"  {each.name}: {each.verdict}: {each.headline.removeprefix(f'{each.verdict}: ')}"
        for each in said
        if each.verdict != "healthy"
    ]
    return [
        *sick[:_MOST_VERDICTS],
        *([f"  and {len(sick) - _MOST_VERDICTS} more"] if len(sick) > _MOST_VERDICTS else []),
    ]


def _wholes(series: JudgedSeries) -> list[Judgement]:
    return [each for each in series.judgements if each.what != "size"]


def _sizes(series: JudgedSeries) -> list[str]:
    """One line an outcome: how many sizes, and the one that changed most."""
    lines = []
    for outcome in OUTCOMES:
        sizes = [each for each in series.judgements if each.what == "size" and each.outcome == outcome]
        if sizes:
            most = max(sizes, key=lambda each: abs(log(each.gain)))
            told = "" if outcome == "same" else f", most: {judgement_in_words(most)}"
            lines.append(f"  {outcome:6} {len(sizes)} size{'s' if len(sizes) > 1 else ''}{told}")
    return lines


def against_json(found: AgainstBaseline) -> str:
    """``slowlink.baseline/1``, in pure ASCII."""
    return json.dumps(to_builtins(cleaned(found), str_keys=True), indent=2, ensure_ascii=True) + "\n"


def names_text(names: Sequence[tuple[BaselineName, int]]) -> str:
    """One line a version."""
    lines = [
        f"{about.name}@{about.version:<4} {moment(about.created_at)}  {runs} run{'s' if runs != 1 else ''}"
        f"{'  pinned' if about.pinned else ''}{f'  {about.note}' if about.note else ''}"
        for about, runs in names
    ]
    return "".join(f"{terminal_safe(line)}\n" for line in lines)


def baseline_text(baseline: Baseline) -> str:
    """What one version holds."""
    about = baseline.about
    lines = [
        f"{about.name}@{about.version}, saved {moment(about.created_at)} UTC{', pinned' if about.pinned else ''}",
        f"runs {', '.join(map(str, baseline.runs))}",
        *([about.note] if about.note else []),
    ]
    for series in baseline.series:
        values = sorted(each.plateau_busbw_gbs for each in series.launches if each.plateau_busbw_gbs is not None)
        span = f"{values[0]:.4g} to {values[-1]:.4g} GB/s" if values else "no plateau"
        lines.append(f"{key_in_words(series.key)}: {len(series.launches)} launches, {span}")
    return "".join(f"{terminal_safe(line)}\n" for line in lines)
