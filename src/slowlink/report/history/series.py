"""Series with their changes: for people, scripts and tables."""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec import to_builtins

from slowlink.expect.change_points import FALSE_ALARMS, FEWEST_VALUES
from slowlink.model.history import SeriesKey, ShownSeries, TiedChange
from slowlink.report.escape import cleaned, terminal_safe
from slowlink.report.history.plot import plot
from slowlink.report.history.runs import moment, table_csv
from slowlink.report.wording import count
from slowlink.units import format_size

_HEIGHT = 8
_WORDS = {
    "plateau_busbw_gbs": "busbw of the largest sizes",
    "latency_us": "time of sizes up to 1 KiB",
    "busbw_gbs": "busbw",
    "time_us": "time",
}


def series_text(shown: Sequence[ShownSeries], total: int, *, width: int, plain: bool = False) -> str:
    """A plot for each, and its changes in words."""
    if not shown:
        return "no series is as asked\n"
    blocks = ["\n".join(_block(each, width, plain)) for each in shown]
    if total > len(shown):
        blocks.append(f"{total - len(shown)} other series: --collective, --nodes, --system or --ranks choose")
    return "\n\n".join(blocks) + "\n"


def key_in_words(key: SeriesKey) -> str:
    """``all_reduce on 32 ranks, gpu[01-04], hgx_h100, float sum, up to 8 GiB, nccl-tests``."""
    ranks = f" on {key.nranks} ranks" if key.nranks is not None else ""
    nodes = key.nodes or (f"{key.nnodes} nodes" if key.nnodes is not None else "")
    datatype = " ".join(word for word in (key.datatype, key.redop) if word)
    words = (nodes, key.system or key.gpu, datatype, f"up to {format_size(key.largest_bytes)}", key.engine)
    return ", ".join([f"{key.collective}{ranks}", *(word for word in words if word)])


def series_caption(shown: ShownSeries) -> str:
    """``busbw of the largest sizes, GB/s; 30 runs, 2026-10-01 03:00 to 2026-10-30 03:00 UTC``."""
    size, first, last = shown.size_bytes, shown.values[0], shown.values[-1]
    what = _WORDS[shown.quantity] + (f" at {format_size(size)}" if size is not None else "")
    return f"{what}, {shown.unit}; {count(len(shown.values), 'run')}, {moment(first.at)} to {moment(last.at)} UTC"


def _block(shown: ShownSeries, width: int, plain: bool) -> list[str]:
    values = [each.value for each in shown.values]
    lines = [terminal_safe(key_in_words(shown.key)), series_caption(shown), ""]
    lines += plot(values, [each.change.index for each in shown.changes], width=width, height=_HEIGHT, plain=plain)
    return [*lines, "", *conclusion(shown)]


def conclusion(shown: ShownSeries) -> list[str]:
    """What is to be said of its changes, in lines; deeper ones are indented."""
    if not shown.enough:
        return [f"too few runs to tell a change: {FEWEST_VALUES} are needed"]
    beyond = f" (of the newest {shown.searched:,})" if shown.searched < len(shown.values) else ""
    if not shown.changes:
        return [f"no change of level found{beyond}; of unchanged series {FALSE_ALARMS:.0%} are called changed"]
    return [line for tied in shown.changes for line in _change(tied, shown.unit)]


def _change(tied: TiedChange, unit: str) -> list[str]:
    change, low, high = tied.change, tied.change.low, tied.change.high
    interval = f" ({low - 1:+.1%} to {high - 1:+.1%})" if low is not None and high is not None else ""
    amount = f"{change.ratio - 1:+.1%}{interval}: {change.before:.4g} -> {change.after:.4g} {unit}"
    lines = [f"{tied.outcome} from run {tied.run} on, {moment(tied.at)}: {amount}, chance {change.p:.4f}"]
    for step in tied.steps:
        lines.append(f"  between run {step.before_run} and run {step.after_run}:")
        lines += [f"    {terminal_safe(word)}" for word in step.what]
    if not tied.steps:
        lines.append("  nothing else that was kept changed beside it")
    return lines


def series_json(shown: Sequence[ShownSeries], total: int) -> str:
    """``{"schema": "slowlink.history-series/1", "false_alarms", "total", "series": [...]}``, in pure ASCII."""
    document = {
        "schema": "slowlink.history-series/1",
        "false_alarms": FALSE_ALARMS,
        "total": total,
        "series": to_builtins(cleaned(tuple(shown))),
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def series_csv(shown: Sequence[ShownSeries]) -> str:
    """A row for each value; ``level`` counts from 1 and grows with each change."""
    head = ["collective", "nranks", "nodes", "system", "quantity", "unit", "run", "at", "value", "level"]
    rows = []
    for each in shown:
        starts = [tied.change.index for tied in each.changes]
        for number, value in enumerate(each.values):
            level = 1 + sum(number >= start for start in starts)
            about = [each.key.collective, each.key.nranks, value.nodes, each.key.system, each.quantity, each.unit]
            rows.append([*about, value.run_id, value.at, value.value, level])
    return table_csv(head, rows)
