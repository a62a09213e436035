"""Write the snapshot of a fleet: ``python bench/fleet.py FOLDER NODES [twice]``, some 120 KB a node, 190 asked twice.

Each kind of node is asked once by the real collectors, over a simulated root and tools that print what a simulated
node's would. Each node's answer is that of its kind, with all that differs from node to node in life: names, serial
numbers, GUIDs, LIDs, temperatures, power, counters, clocks. One node of 50 is sick.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from slowlink.bundle import BundleWriter
from slowlink.collectors.catalogue import all_collectors
from slowlink.collectors.script import compose
from slowlink.model.plan import Ended
from slowlink.simulate.node_state.description import Busy, SimulatedNode
from slowlink.simulate.node_state.tools import write_answers, write_programs, write_root

MARK = "fleet0bench"
KINDS = (
    SimulatedNode("template", 0xABCD, gpus=8, cpus=112),
    SimulatedNode("template", 0xABCD, gpus=8, cpus=112, governor="powersave"),
    SimulatedNode("template", 0xABCD, gpus=8, cpus=112, acs=True, peermem=False),
    SimulatedNode("template", 0xABCD, gpus=8, cpus=112, slow_port=3, symbol_errors=(0, 0, 0, 9000)),
    SimulatedNode("template", 0xABCD, gpus=8, cpus=112, numa_balancing=True, busy=Busy(gpu=5)),
)
"""A sound node, and the sick ones."""
EVERY = 50
Vary = Callable[[random.Random], object]
_VARIED: tuple[tuple[str, Vary], ...] = (
    (r"(GPU Current Temp +: )\d+", lambda chance: chance.randint(28, 37)),
    (r"(Average Power Draw +: )[\d.]+", lambda chance: f"{chance.uniform(66, 79):.2f}"),
    (r"((?:_data|packets|_bytes):)\d+", lambda chance: chance.randrange(1 << 40)),
    (r"(/proc/uptime:)\d+", lambda chance: chance.randint(800_000, 900_000)),
)


def answer_of(kind: SimulatedNode, folder: Path, twice: bool) -> str:
    """What the real collectors print on such a node."""
    write_root(kind, folder / "root")
    write_answers(kind, folder / "answers")
    write_programs(folder / "bin", str(folder / "answers"))
    chosen = [each for each in all_collectors() if each.when in ("always", "sampled")]
    script = compose(chosen, MARK, limit_s=300, twice=twice, sample_s=0, root=str(folder / "root"))
    env = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-s"], input=script, env=env, text=True, stdout=subprocess.PIPE, check=True)
    return done.stdout.replace(str(folder / "root"), "")


def templates(twice: bool) -> list[str]:
    """The answers of all kinds of nodes."""
    found = []
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            found.append(answer_of(kind, Path(folder), twice))
    return found


def of_node(template: str, name: str, number: int) -> str:
    """The answer of one node, from that of its kind."""
    chance = random.Random(number)
    guid = SimulatedNode(name, number).guid(0)
    old = SimulatedNode("template", 0xABCD).guid(0)
    text = re.sub(r"(?<=transcript 1 fleet0bench host )\S+", name, template).replace("template", name)
    mark = f"{number:08x}"
    text = (
        text.replace(MARK, mark)
        .replace("GPU-0000abcd", f"GPU-{mark}")
        .replace("16529" + str(0xABCD), f"16529{number:05}")
    )
    for sign in (":", ""):
        was, now = f"{old:016x}"[:13], f"{guid:016x}"[:13]
        if sign:
            was, now = (f"{each[:4]}:{each[4:8]}:{each[8:12]}:{each[12:]}" for each in (was, now))
        text = text.replace(was, now)
    lid = 16 * 0xABCD
    text = re.sub(r"\b7038[0-9]{2}\b", lambda found: str(int(found[0]) - lid + 16 * number % 48000), text)
    for pattern, vary in _VARIED:
        text = _varied(text, pattern, vary, chance)
    text = _with_own_hex(text, mark, f"{guid:016x}"[:13], chance)
    later = number * 0.01
    return re.sub(r"(?<= at )(\d{10}\.\d+)", lambda found: f"{float(found[0]) + later:.6f}", text)


def _with_own_hex(text: str, mark: str, guid: str, chance: random.Random) -> str:
    """With UUIDs and GUIDs as they are in life, of any hexadecimal digits; which part has which stays as it is."""
    known: dict[str, str] = {}

    def own(found: re.Match[str]) -> str:
        digits = found[0].replace("-", "").replace(":", "")
        new = known.setdefault(digits, f"{chance.randrange(1 << 4 * len(digits)):0{len(digits)}x}")
        left = iter(new)
        return "".join(sign if sign in "-:" else next(left) for sign in found[0])

    text = re.sub(rf"(?<=GPU-){mark}-[0-9a-f-]{{27}}", own, text)
    last = "[0-9a-f]{3}"
    text = re.sub(rf"(?<={guid[:7]}){guid[7:]}{last}", own, text)
    spelt = f"{guid[:4]}:{guid[4:8]}:{guid[8:12]}:{guid[12:]}"
    return re.sub(rf"(?<={spelt[:8]}){spelt[8:]}{last}", own, text)


def _varied(text: str, pattern: str, vary: Vary, chance: random.Random) -> str:
    return re.sub(pattern, lambda found: f"{found[1]}{vary(chance)}", text)


def write(folder: Path, count: int, twice: bool = False, sick: int = EVERY) -> None:
    """The bundle of ``count`` nodes."""
    kinds = templates(twice)
    names = [f"gpu{number:05d}" for number in range(1, count + 1)]
    bundle = BundleWriter(folder, command=["slowlink", "snapshot"])
    bundle.set_nodes(names)
    with bundle.many():
        for number, name in enumerate(names, start=1):
            kind = kinds[number // sick % (len(kinds) - 1) + 1] if number % sick == 7 else kinds[0]
            with bundle.capture(f"state/{name}", "state", ["ssh", name, "sh", "-s"], node=name) as capture:
                capture.write_stdout(of_node(kind, name, number))
                capture.end(Ended(status=0, signal=None, reason="exited", started_at=1.0, seconds=1.0))
    bundle.finish()


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), "twice" in sys.argv[3:])
