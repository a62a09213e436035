"""One shell script from many collectors. What it prints is a *transcript*: each collector's output between two frames.

    #slowlink-transcript 1 MARK host node01 at 1767225600.25
    #slowlink-frame MARK begin lscpu at 1767225600.26
    ...
    #slowlink-frame MARK end lscpu ran at 1767225600.31 status 0: what it said on stderr
    #slowlink-frame MARK skipped nvidia-smi-q at 1767225600.31: no nvidia-smi here
    #slowlink-frame MARK has ibnetdiscover at 1767225600.32
    #slowlink-transcript 1 MARK done at 1767225602.33

MARK is random, new for every run, and known to no collector: nothing that is printed can pass for a frame.
``parsers.collector_frames`` reads it. The script writes no file, and runs as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from slowlink.collectors.catalogue import Collector

MOST_BYTES = 4 << 20
"""Of one collector's output; what comes after them is dropped, and that is said."""
_PROGRAM = Path(__file__).with_name("frames.txt")


def compose(
    collectors: Sequence[Collector],
    mark: str,
    *,
    limit_s: float,
    sample_s: float = 2.0,
    root: str = "",
    offered: Sequence[Collector] = (),
    twice: bool = True,
) -> str:
    """The script for a node.

    ``mark``: letters and digits. ``limit_s``: what has not begun by then is skipped. ``sample_s``: between the two runs
    of what is sampled. ``root``: where the host's file system lies. ``offered`` are not run: ``has`` frames say whether
    the node has what they need. Not ``twice``: what is sampled runs once, for somebody who asks again later.
    """
    if not mark.isalnum():
        raise ValueError("a mark is letters and digits")
    once = [each for each in collectors if each.when != "sampled"]
    sampled = [each for each in collectors if each.when == "sampled"]
    steps = [_step("slowlink_has", each, "") for each in offered]
    # What is sampled begins first: the others run meanwhile, and the time between the samples costs nothing.
    steps += [_run(each) for each in sampled]
    steps += ["slowlink_sampled=$(slowlink_clock)"] if sampled else []
    steps += [_run(each) for each in once]
    if sampled and twice:
        steps += [f"slowlink_wait {max(0, round(sample_s))}", *(_run(each) for each in sampled)]
    program = _PROGRAM.read_text(encoding="utf-8")
    given = {"MARK": mark, "LIMIT": str(max(1, round(limit_s))), "MOST": str(MOST_BYTES), "ROOT": quote(root)}
    for name, value in given.items():
        program = program.replace(f"@{name}@", value)
    return program.replace("@STEPS@", "\n".join(steps))


def _run(collector: Collector) -> str:
    return _step("slowlink_run", collector, f" {quote(collector.text)}")


def _step(function: str, collector: Collector, rest: str) -> str:
    return f"{function} {collector.name} {collector.timeout_s} {quote(' '.join(collector.needs))}{rest}"
