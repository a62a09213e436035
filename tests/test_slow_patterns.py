"""``tools/slow_patterns.py``, with which ``make fuzz`` begins: it reaches every pattern of ours."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_module_of_ours_can_be_asked_for_its_patterns() -> None:
    asked = "import slow_patterns; homes = set(slow_patterns.made().values()); print(len(homes), *sorted(homes))"
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT / "tools", capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    count, *homes = done.stdout.split()
    assert int(count) > 100
    assert {"slowlink.parsers.host.setting_tables", "slowlink.redact.names"} <= set(homes)
