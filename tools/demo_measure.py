"""``make demo``: measures real MPI ranks on this machine, no GPU needed, and writes the report as a page. Then climbs
the layers that this machine has."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

OUT = Path("demo/out/measured")
SWEEP = ("-b", "4K", "-e", "16M", "-f", "8", "--iters", "20")
BAD = (2, 70)
"""Exit statuses of slowlink that mean that nothing was measured. On a busy laptop 1 and 3 are honest answers."""


def main() -> int:
    """0 when ranks ran and the report is there."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    slowlink = Path(sys.executable).with_name("slowlink")
    page = ("--output", str(OUT / "report.html"), "--bundle", str(OUT / "bundle"))
    arguments = ("run", "all_reduce", "--on", "local", "-n", "2", "--benchmark", "probe", *SWEEP, *page, "--quiet")
    status = _ran(slowlink, arguments, "real MPI ranks on this machine")
    print(f"\nexit status {status}; the report: {OUT / 'report.html'}, the evidence: {OUT / 'bundle'}", flush=True)
    climbed = _climb(slowlink)
    bad = next((each for each in (status, climbed) if each in BAD), 0)
    return bad if all((OUT / name).exists() for name in ("report.html", "ladder.html")) else bad or 1


def _climb(slowlink: Path) -> int:
    """Layer after layer; exit status of slowlink."""
    page = ("--output", str(OUT / "ladder.html"), "--bundle", str(OUT / "ladder"))
    arguments = ("check", "--on", "local", "--quick", *page, "--quiet")
    status = _ran(slowlink, arguments, "layer after layer, as far as this machine has them")
    print(f"\nexit status {status}; the report: {OUT / 'ladder.html'}, the evidence: {OUT / 'ladder'}", flush=True)
    return status


def _ran(slowlink: Path, arguments: tuple[str, ...], what: str) -> int:
    """The command is shown as a user would type it."""
    print(f"\n$ slowlink {' '.join(arguments)}    # {what}\n", flush=True)
    return subprocess.run([str(slowlink), *arguments], timeout=300, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
