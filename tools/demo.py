"""What `make demo` does: analyze the two job logs in demo/logs, print the diagnoses, write the HTML report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "demo" / "out"
JOBS = (
    ("degraded-2nodes.log.gz", "one node without GPUDirect RDMA", ()),
    ("healthy-2nodes.log.gz", "its healthy twin", ("--quiet",)),
)


def main() -> int:
    """Each job by the same command that a user types; a finding (exit 1) is what the first one is there for."""
    OUT.mkdir(parents=True, exist_ok=True)
    worst = 0
    for name, what, more in JOBS:
        page = OUT / name.replace(".log.gz", ".html")
        command = ["analyze", f"demo/logs/{name}", "--nics", "2x200", "--output", str(page.relative_to(ROOT)), *more]
        print(f"\n$ slowlink {' '.join(command)}    # {what}\n", flush=True)
        status = subprocess.run([sys.executable, "-m", "slowlink", *command], cwd=ROOT, check=False).returncode  # noqa: S603
        print(f"\nexit status {status}; the report: {page.relative_to(ROOT)}", flush=True)
        worst = max(worst, status if status > 1 else 0)
    return worst


if __name__ == "__main__":
    sys.exit(main())
