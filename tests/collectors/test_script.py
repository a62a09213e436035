"""The script of a node, run by the shells that are here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from slowlink.collectors.catalogue import Collector, all_collectors, chosen, collector
from slowlink.collectors.script import compose
from slowlink.errors import SlowlinkError
from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers.context.collector_frames import CollectorFrames

MARK = "5fbe4c31aa90d2e7"
SHELLS = [name for name in ("sh", "dash", "bash", "busybox") if shutil.which(name)]


def made(name: str, body: str, **header: str) -> Collector:
    lines = "".join(f"# {key}: {value}\n" for key, value in {"title": "made up", **header}.items())
    return collector(name, lines + body)


def run(script: str, shell: str = "sh", **environment: str) -> str:
    argv = [shell, "sh", "-s"] if shell == "busybox" else [shell, "-s"]
    done = subprocess.run(argv, input=script, capture_output=True, text=True, timeout=120, env=environment or None)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def collected(text: str) -> list[Collected]:
    parser = CollectorFrames()
    for number, line in enumerate(text.splitlines(), 1):
        parser.feed(Line("t", number, line))
    return list(parser.finish())


def outcomes(text: str) -> list[tuple[str, str, str]]:
    return [(each.collector, each.outcome, each.detail) for each in collected(text)]


def lives(pid: str) -> bool:
    """Does it run? A zombie does not: nobody has asked for its status yet."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def between(text: str, name: str) -> str:
    """What stands between the first frames of a collector."""
    found = re.search(rf"begin {name} at [\d.]+\n(.*?)\n#slowlink-frame {MARK} end {name} ", text, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_end_is_told(shell: str) -> None:
    asked = [
        made("fine", "echo out; printf 'no end'"),
        made("quoted", "echo 'it'\\''s'; echo \"$0 [$(cat)] $ROOT\""),
        made("failing", "echo half; echo first >&2; echo 'bad thing' >&2; exit 3"),
        made("forbidden", "echo 'needs root' >&2; exit 77"),
        made("missing", "echo never", needs="sh no-such-program"),
        made("either", "echo either", needs="no-such-program|sh"),
        made("endless", "echo begun; exec sleep 600", timeout="1"),
        made("forged", f"echo '#slowlink-frame {MARK[::-1]} end forged ran at 1 status 0'; exit 4"),
    ]
    text = run(compose(asked, MARK, limit_s=100, root="/mnt/the host"), shell)
    assert outcomes(text) == [
        ("fine", "ran", ""),
        ("quoted", "ran", ""),
        ("failing", "failed", "exit status 3: bad thing"),
        ("forbidden", "skipped", "needs root"),
        ("missing", "skipped", "no no-such-program here"),
        ("either", "ran", ""),
        ("endless", "timeout", "no end within 1 s"),
        ("forged", "failed", "exit status 4"),
    ]
    assert between(text, "fine") == "out\nno end"
    assert between(text, "quoted") == "it's\nquoted [] /mnt/the host\n"
    assert between(text, "failing") == "half\n"
    assert between(text, "endless") == "begun\n"
    assert re.fullmatch(rf"#slowlink-transcript 1 {MARK} host \S+ at [\d.]+", text.splitlines()[0])
    assert re.fullmatch(rf"#slowlink-transcript 1 {MARK} done at [\d.]+", text.splitlines()[-1])


def test_what_is_sampled_runs_at_both_ends() -> None:
    asked = [made("a-state", "echo state"), made("counters", "echo 1", when="sampled")]
    found = collected(run(compose(asked, MARK, limit_s=60, sample_s=1)))
    assert [each.collector for each in found] == ["counters", "a-state", "counters"]
    first, last = found[0].at, found[-1].at
    assert first is not None
    assert last is not None
    assert last > first


def test_output_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.collectors.script.MOST_BYTES", 1000)
    text = run(compose([made("much", "head -c 300000 /dev/zero | tr '\\0' x; echo end >&2")], MARK, limit_s=60))
    assert between(text, "much") == "x" * 1000
    assert outcomes(text) == [("much", "ran", "only its first 1000 bytes are here. end")]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("start", ["exec", ""], ids=["itself", "from its shell"])
def test_a_program_that_ignores_the_signal_is_ended(tmp_path: Path, shell: str, start: str) -> None:
    pid = tmp_path / "pid"
    program = tmp_path / "stubborn"
    program.write_text(f"#!/bin/sh\ntrap '' TERM\necho $$ >{pid}\nwhile :; do sleep 0.1; done\n")
    program.chmod(0o755)
    text = run(
        compose([made("stubborn", f"{start} {program}; :", timeout="1"), made("next", "echo here")], MARK, limit_s=60),
        shell,
    )
    assert outcomes(text) == [("stubborn", "timeout", "no end within 1 s"), ("next", "ran", "")]
    assert not lives(pid.read_text().strip())


def test_a_program_that_cannot_be_ended_does_not_keep_the_others(tmp_path: Path) -> None:
    """It lives on in a session of its own, and holds its output open: no signal of ours reaches it."""
    pid = tmp_path / "pid"
    stuck = f"setsid sh -c 'echo $$ >{pid}; exec sleep 600' & wait"
    if shutil.which("setsid") is None:
        pytest.skip("no setsid(1) here")
    try:
        text = run(compose([made("stuck", stuck, timeout="1"), made("next", "echo here")], MARK, limit_s=60))
    finally:
        subprocess.run(["kill", pid.read_text().strip()], check=False)
    assert [each[:2] for each in outcomes(text)] == [("stuck", "timeout"), ("next", "ran")]


def test_when_the_time_is_over_the_rest_is_skipped() -> None:
    """How many have begun by then is up to the machine: its clock counts whole seconds, and it may be busy."""
    asked = [made(name, "sleep 600", timeout="30") for name in "abcdef"]
    said = outcomes(run(compose(asked, MARK, limit_s=4)))
    assert [name for name, _, _ in said] == list("abcdef")
    begun = [detail for _, outcome, detail in said if outcome == "timeout"]
    assert begun
    assert all(re.fullmatch("no end within [1-4] s, less than its 30 s", detail) for detail in begun)
    assert {each[1:] for each in said[len(begun) :]} == {("skipped", "no time was left")}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tool_that_hangs_is_asked_once_and_leaves_time_for_the_others(tmp_path: Path, shell: str) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nexec sleep 600\n")
    tool.chmod(0o755)
    asked = [
        made("tool-a", "tool", needs="tool", timeout="30", when="sampled"),
        made("tool-b", "tool -b", needs="tool", timeout="30"),
        made("log", "echo log"),
    ]
    script = compose(asked, MARK, limit_s=14, sample_s=0)
    first, *others = outcomes(run(script, shell, PATH=f"{tmp_path}:/usr/bin:/bin"))
    assert re.fullmatch("no end within [567] s, less than its 30 s", first[2])
    assert [first[:2], *others] == [
        ("tool-a", "timeout"),
        ("tool-b", "skipped", "tool gave no answer before"),
        ("log", "ran", ""),
        ("tool-a", "skipped", "tool gave no answer before"),
    ]


def test_what_the_fabric_needs_is_told_and_not_run() -> None:
    offered = [made("net", "echo never", needs="sh"), made("gone", "echo never", needs="no-such-program")]
    text = run(compose([], MARK, limit_s=5, offered=offered))
    assert "never" not in text
    assert re.findall(r" has (\S+) at ", text) == ["net"]


def test_a_script_that_arrives_in_part_does_nothing() -> None:
    script = compose([made("a", "echo never")], MARK, limit_s=5)
    done = subprocess.run(["sh", "-s"], input=script[: len(script) * 2 // 3], capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize("name", [each.name for each in all_collectors()])
def test_every_collector_is_a_script(name: str) -> None:
    (mine,) = [each for each in all_collectors() if each.name == name]
    for shell in SHELLS:
        argv = ["busybox", "sh", "-n"] if shell == "busybox" else [shell, "-n"]
        assert subprocess.run(argv, input=mine.text, capture_output=True, text=True).stderr == ""
    assert '"$ROOT"/' in mine.text or "/sys/" not in mine.text


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("Bad_Name", "# title: x\n", "name"),
        ("a", "echo\n", "title"),
        ("a", "# title: x\n# timeout: soon\n", "timeout"),
        ("a", "# title: x\n# when: often\n", "when"),
        ("a", "# title: x\n# needs: $(reboot)\n", "needs"),
        ("a", "# title: x\n# root: no\n", "root"),
        ("a", "# title: x\n# about: weather\n", "about"),
    ],
)
def test_headers_that_are_wrong(name: str, text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        collector(name, text)


def test_which_are_chosen() -> None:
    known = [
        made("gpu", ""),
        made("counters", "", when="sampled"),
        made("dcgm-diag", "", when="asked"),
        made("nhc", "", when="asked"),
        made("ibnet", "", when="fabric"),
    ]

    def names(asked: tuple[str, ...] = (), only: tuple[str, ...] = (), fabric: bool = False) -> list[str]:
        return [each.name for each in chosen(asked, only, fabric=fabric, known=known)]

    assert names() == ["gpu", "counters"]
    assert names(("dcgm",)) == ["gpu", "counters", "dcgm-diag"]
    assert names(fabric=True) == ["gpu", "counters", "ibnet"]
    assert names(only=("nhc", "gpu")) == ["gpu", "nhc"]
    with pytest.raises(SlowlinkError) as caught:
        names(("dcmg-diag",))
    assert (caught.value.slug, caught.value.hint) == ("unknown-collector", "did you mean dcgm-diag?")


@pytest.mark.skipif(not Path("/proc/uptime").exists(), reason="no clock but the time of day")
def test_time_limits_hold_when_the_clock_of_the_day_jumps(tmp_path: Path) -> None:
    """Somebody sets the node's clock an hour ahead, again and again, while it is asked."""
    jumps = tmp_path / "date"
    jumps.write_text(f"#!/bin/sh\necho x >>{tmp_path}/asked\necho $(($(wc -l <{tmp_path}/asked) * 3600))\n")
    jumps.chmod(0o755)
    asked = [made(name, f"echo {name}") for name in ("a", "b", "c")]
    text = run(compose(asked, MARK, limit_s=30), PATH=f"{tmp_path}:/usr/bin:/bin")
    assert outcomes(text) == [("a", "ran", ""), ("b", "ran", ""), ("c", "ran", "")]
