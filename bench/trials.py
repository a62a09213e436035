"""Do the experiments find on real hosts what was planted there, and nothing where nothing was?

    python bench/trials.py [TRIAL ...] [--times N] [--keep DIR]        as root; needs Linux, Open MPI and mpi4py

Each trial makes hosts (``slowlink lab``), plants a fault, runs the command as a user would, over ssh with Open MPI,
and holds the answer against what was planted. An answer is *right*, *wrong* (it names somebody who is sound, leaves
out what was planted and calls the rest healthy, or finds an effect that is not there), or *not settled* (it says
itself that it does not know). Each answer is told with how busy the machine was: hosts share its processors.

The trials are slow and not even, so they are no tests: run them after a change of what decides.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from slowlink.lab.lab import Lab

SOURCES = Path(__file__).parents[1] / "src"
PROCESSOR_GROUPS = Path("/sys/fs/cgroup/cpu")
PART_US, OF_US = 12_000, 20_000
"""Of one processor, for each host: else a hog on one of them slows all."""
RIGHT, WRONG, OPEN = "right", "wrong", "not settled"
Answer = tuple[str, str]
"""Which of these, and why."""


class Place(Struct, frozen=True):
    """Where a trial runs."""

    lab: Lab
    directory: Path
    """Seen by all hosts; bundles go there."""
    number: int
    """Of the time: the seed."""

    def slowlink(self, *words: str, limit_s: float = 900) -> tuple[int, dict[str, Any]]:
        """Runs it on node1 to its end: exit status, and what ``--format json`` printed."""
        done = self.lab.exec("node1", [sys.executable, "-m", "slowlink", *words], timeout_s=limit_s)
        if not done.stdout:
            raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-400:]}")
        return done.returncode, json.loads(done.stdout)


class Trial(Struct, frozen=True):
    """``hosts`` are made anew for each trial, not for each time."""

    hosts: int
    times: int
    run: Callable[[Place], Answer]


# isolate


def isolate(place: Place, *, hosts: int, slow: Sequence[str] = (), rate: str = "100mbit") -> Answer:
    """``slow``: hosts whose link is limited, or paths (node2+node5)."""
    for each in slow:
        place.lab.slow(each, rate)
    try:
        words = ["--nodes", f"node[1-{hosts}]", "-e", "2M", "--at-once", "2", "--seed", str(place.number)]
        words += ["--bundle", str(place.directory / "isolate"), "--format", "json"]
        status, found = place.slowlink("isolate", *words)
    finally:
        for each in slow:
            place.lab.slow(each, None)
    named = {bad["name"] for bad in found["bad"]} | {"+".join(sorted(path["ends"])) for path in found["paths"]}
    planted = set(slow)
    told = f"{found['tests']} tests, sound groups differ by {100 * found['spread']:.0f} %; named: {sorted(named)}"
    if named - planted or (status == 0 and planted):
        return WRONG, told
    settled = named == planted and (planted or status == 0)
    return RIGHT if settled else OPEN, f"{told}, exit status {status}"


# tune and interfere

LAUNCHES = ("--iters", "12", "--warmup", "1", "--no-preflight", "--format", "json")
USELESS = ("mpi_abort_delay=0", "coll_base_verbose=0", "btl_base_warn_component_unused=0")
"""Parameters that Open MPI reads, and that change nothing of a collective."""


def tune_yield(place: Place) -> Answer:
    """Ranks that spin while they wait, on processors that they share, and one setting that ends it among others."""
    tries = [word for each in ("mpi_yield_when_idle=1", *USELESS) for word in ("--try", f"OMPI_MCA_{each}")]
    words = ["--nodes", "node[1-4]", "--env", "OMPI_MCA_mpi_yield_when_idle=0", "-b", "1K", "-e", "1K", *tries]
    words += ["--bundle", str(place.directory / "tune"), "--seed", str(place.number), "--most-minutes", "6", *LAUNCHES]
    _, found = place.slowlink("tune", *words)
    return _settings(found, {"OMPI_MCA_mpi_yield_when_idle"})


def tune_nothing(place: Place) -> Answer:
    """One setting that does nothing, each time the next of them."""
    tries = ("--try", f"OMPI_MCA_{USELESS[place.number % len(USELESS)]}")
    words = ["--nodes", "node[1-2]", "-b", "64K", "-e", "64K", "--most-pairs", "8", *tries]
    words += ["--bundle", str(place.directory / "tune"), "--seed", str(place.number), *LAUNCHES]
    _, found = place.slowlink("tune", *words)
    return _settings(found, set())


def _settings(found: Mapping[str, Any], matter: set[str]) -> Answer:
    standing = {effect["change"]["name"]: effect["standing"] for effect in found["effects"]}
    told = f"{found['launches']} launches, {found['headline']}"
    effects = {name for name, each in standing.items() if each in {"helps", "harms", "fails"}}
    if effects - matter:
        return WRONG, told
    if matter <= effects:
        return RIGHT, told
    return OPEN if matter or "open" in standing.values() else RIGHT, told


@contextmanager
def own_processors(lab: Lab) -> Iterator[None]:
    """A part of a processor for each host, by control groups (version 1)."""
    made: list[Path] = []
    try:
        for host in lab.state.hosts:
            group = PROCESSOR_GROUPS / f"slowlink-trial-{os.getpid()}-{host.name}"
            group.mkdir()
            made.append(group)
            (group / "cpu.cfs_period_us").write_text(str(OF_US))
            (group / "cpu.cfs_quota_us").write_text(str(PART_US))
            (group / "cgroup.procs").write_text(str(host.init.pid if host.init else 0))
        yield
    finally:
        for group in made:
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(OSError):
                    (PROCESSOR_GROUPS / "cgroup.procs").write_text(pid)
            group.rmdir()


def interfere(place: Place, *, hog: bool) -> Answer:
    """Four hosts; with ``hog`` four loops on node3, else commands that do nothing are switched on and off."""
    factor = ("--load", "cpu:4", "--load-on", "node3") if hog else ("--switch-on", "true", "--switch-off", "true")
    words = ["--nodes", "node[1-4]", *factor, "-b", "16K", "-e", "16K", "--seed", str(place.number)]
    words += ["--most-pairs", "12" if hog else "8", "--bundle", str(place.directory / "interfere"), *LAUNCHES]
    with own_processors(place.lab):
        _, found = place.slowlink("interfere", *words)
    mean = next((each for each in found["quantities"] if each["name"] == "mean"), None)
    hosts = {each["host"] for each in found["slowest"]}
    shift = mean["shift"] if mean else {}
    told = f"{found['standing']}, {found['pairs']} pairs, mean {shift}, ranks on {sorted(hosts)}"
    if hosts - ({"node3"} if hog else set()) or found["standing"] == ("helps" if hog else "harms"):
        return WRONG, told
    if hog:
        return RIGHT if found["standing"] == "harms" and hosts else OPEN, told
    return WRONG if found["standing"] == "helps" else RIGHT if found["standing"] == "does-not-matter" else OPEN, told


# check

CLIMB = ("check", "--nodes", "node[1-4]", "--at-once", "1", "-e", "1M", "--timeout", "60", "--format", "json")


class Fault(Struct, frozen=True):
    """Something that one layer shows."""

    plant: Callable[[Lab], None]
    mend: Callable[[Lab], None]
    layer: str
    named: frozenset[str]
    """Nodes, or a path, in what the layer or the first diagnosis says."""
    causes: frozenset[str]
    """One of these is among the diagnoses."""
    words: tuple[str, ...] = ()
    """More options, and a command."""


def check(place: Place, *, fault: Fault | None) -> Answer:
    """One fault in one layer, or none."""
    if fault is not None:
        fault.plant(place.lab)
    try:
        words = [*CLIMB[1:], "--bundle", str(place.directory / "check"), *(fault.words if fault else ())]
        status, report = place.slowlink("check", *words)
    finally:
        if fault is not None:
            fault.mend(place.lab)
    return judged_ladder(status, report, fault)


def judged_ladder(status: int, report: Mapping[str, Any], fault: Fault | None) -> Answer:
    """The layer, who is named in it, and the causes, beside what was planted."""
    ladder, causes = report["ladder"], {each["cause"] for each in report["diagnoses"] if each["severity"] != "info"}
    rung = next((each for each in ladder["rungs"] if each["layer"] == ladder["lost_at"]), None)
    named = {part["name"] for part in rung["blamed"]} if rung else set()
    suspects = {each["name"] for found in report["diagnoses"][:1] for each in found["suspects"]} if causes else set()
    told = f"exit status {status}, {report['verdict']}, at {ladder['lost_at'] or 'no layer'}: {sorted(named)}, "
    told += f"{sorted(suspects)}; {sorted(causes)}; {ladder['headline']}"
    if fault is None:
        return WRONG if ladder["lost_at"] or named or causes else OPEN if status else RIGHT, told
    if named - fault.named or (ladder["lost_at"] not in ("", fault.layer)) or not status:
        return WRONG, told
    where = fault.named <= named | suspects or all(name in json.dumps(rung) for name in fault.named)
    return RIGHT if ladder["lost_at"] == fault.layer and where and causes & fault.causes else OPEN, told


def in_shm(lab: Lab, size: str) -> None:
    lab.exec("node4", ["mount", "-o", f"remount,size={size}", "/dev/shm"])


FAULTS: dict[str, Fault] = {
    "host": Fault(lambda lab: lab.cut("node3"), lambda lab: lab.join("node3"), "host", frozenset({"node3"}),
                  frozenset({"nodes-unanswered", "ssh-failed"})),
    "pairs, a host": Fault(lambda lab: lab.slow("node3", "100mbit"), lambda lab: lab.slow("node3", None), "pairs-host",
                  frozenset({"node3"}), frozenset({"straggler-node"})),
    "pairs, a path": Fault(lambda lab: lab.slow("node2+node3", "100mbit"), lambda lab: lab.slow("node2+node3", None),
                  "pairs-host", frozenset({"node2 - node3"}), frozenset({"slow-path"})),
    "inside": Fault(lambda lab: in_shm(lab, "64k"), lambda lab: in_shm(lab, "50%"), "node", frozenset({"node4"}),
                  frozenset({"shm-too-small", "disk-full"})),
    "one rank": Fault(lambda lab: lab.slow("node1+node3", "100kbit"), lambda lab: lab.slow("node1+node3", None),
                  "one-rank", frozenset(), frozenset({"rank-stuck", "time-limit"}), ("--timeout", "30")),
    "command": Fault(lambda _: None, lambda _: None, "command", frozenset(), frozenset({"application-error"}),
                  ("--quick", "--layers", "pairs-host,command", "--", "sh", "-c", "echo no such file >&2; exit 3")),
}  # fmt: skip


def resume(place: Place, *, number: signal.Signals) -> Answer:
    """A slow host; interrupted while its 1st, 2nd, 3rd ... test runs, and gone on with: beside a run to the end."""
    fault, bundle = FAULTS["pairs, a host"], place.directory / "check"
    words = [*CLIMB, "--layers", "host,pairs-host,one-rank", "--bundle", str(bundle)]
    fault.plant(place.lab)
    try:
        run = place.lab.popen("node1", [sys.executable, "-m", "slowlink", *words])
        deadline = time.monotonic() + 120
        while len(done := outputs(bundle)) < 4 + 2 * place.number and run.poll() is None:
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        if run.poll() is None:
            os.kill(place.lab.pid_of(run), number)
        run.communicate(timeout=60)
        left = place.lab.left(patience_s=30)
        status, report = place.slowlink("check", "--resume", str(bundle), "--format", "json")
    finally:
        fault.mend(place.lab)
    answer, told = judged_ladder(status, report, fault)
    told = f"ended with {run.returncode} after {sorted(done)[-1:]}; {told}"
    again = outputs(bundle)
    changed = [name for name, text in done.items() if again.get(name) != text]
    as_asked = run.returncode == (130 if number == signal.SIGINT else -number)
    if left or len(changed) > 1 or not as_asked:  # the test that was under way is run anew
        return WRONG, f"{told}; left {left}; changed {changed}"
    return answer, told


def outputs(bundle: Path) -> dict[str, bytes]:
    """What each test has printed so far."""
    found = {}
    for path in sorted((bundle / "captures").rglob("stdout")):
        if text := path.read_bytes():
            found[str(path.relative_to(bundle))] = text
    return found


TRIALS: dict[str, Trial] = {
    **{
        f"isolate {hosts} hosts, {what}": Trial(hosts, 3, partial(isolate, hosts=hosts, slow=slow))
        for hosts in (8, 16)
        for what, slow in (
            ("nothing slow", ()),
            ("one host", ("node5",)),
            ("two hosts", ("node2", "node7")),
            ("one path", ("node3+node6",)),
        )
    },
    "tune, one setting matters": Trial(4, 3, tune_yield),
    "tune, none does anything": Trial(2, 20, tune_nothing),
    "interfere, a hog on node3": Trial(4, 3, partial(interfere, hog=True)),
    "interfere, no hog": Trial(4, 20, partial(interfere, hog=False)),
    "check, no fault": Trial(4, 3, partial(check, fault=None)),
    **{f"check, {name}": Trial(4, 1, partial(check, fault=fault)) for name, fault in FAULTS.items()},
    "check, resumed after Ctrl-C": Trial(4, 4, partial(resume, number=signal.SIGINT)),
    "check, resumed after SIGKILL": Trial(4, 4, partial(resume, number=signal.SIGKILL)),
}


def run(name: str, times: int, parent: Path) -> Counter[str]:
    """All times of one trial, each told as it ends."""
    trial, counts = TRIALS[name], Counter[str]()
    with Lab(nodes=trial.hosts, share=[parent, SOURCES]) as lab:
        for number in range(1, times + 1):
            began = time.monotonic()
            directory = Path(tempfile.mkdtemp(prefix=f"{name.replace(' ', '-').replace(',', '')}-", dir=parent))
            try:
                answer, why = trial.run(Place(lab, directory, number))
            except (RuntimeError, ValueError, OSError) as error:
                answer, why = WRONG, f"no answer: {error}"
            left = lab.left()
            if left:
                answer, why = WRONG, f"{why}; left behind: {left}"
            counts[answer] += 1
            took, load = time.monotonic() - began, os.getloadavg()[0]
            print(f"{name} {number}: {answer} ({took:.0f} s, load {load:.1f}) {why} [{directory.name}]", flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help="those whose name begins so; default: all")
    parser.add_argument("--times", type=int, help="how often each; default: 3, where nothing is planted 20")
    parser.add_argument("--keep", type=Path, help="where bundles stay; default: nowhere")
    given = parser.parse_args()
    chosen = [name for name in TRIALS if not given.trials or name.startswith(tuple(given.trials))]
    if not chosen:
        parser.error(f"no trial begins so; there are: {'; '.join(TRIALS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # A shell's background job ignores it, and so would everything that it starts: no trial of Ctrl-C then.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    table = []
    with tempfile.TemporaryDirectory(prefix="slowlink-trials-") as scratch:
        parent = (given.keep or Path(scratch)).resolve()
        parent.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            counts = run(name, given.times or TRIALS[name].times, parent)
            table.append((name, counts))
    print(f"\n{'trial':<34}{'ran':>5}{'right':>7}{'wrong':>7}{'not settled':>13}")
    for name, counts in table:
        print(f"{name:<34}{counts.total():>5}{counts[RIGHT]:>7}{counts[WRONG]:>7}{counts[OPEN]:>13}")


if __name__ == "__main__":
    main()
