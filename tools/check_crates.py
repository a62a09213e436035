"""Compares the crates that cargo chose with ``native/crates.txt``: name, version and checksum of each.

    python tools/check_crates.py [--write]

Cargo's own lock file names the registry, so it is not kept here; this list has all that matters of it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[1] / "native"
LOCK, LIST = NATIVE / "Cargo.lock", NATIVE / "crates.txt"
_PACKAGE = re.compile(
    r'\[\[package\]\]\nname = "(?P<name>[^"]+)"\nversion = "(?P<version>[^"]+)"\nsource = "[^"]+"\n'
    r'checksum = "(?P<checksum>[0-9a-f]{64})"'
)


def crates(lock: str) -> str:
    """One line a crate, as the list has it."""
    return "".join(f"{found['name']} {found['version']} {found['checksum']}\n" for found in _PACKAGE.finditer(lock))


def main() -> None:
    """Ends with an error where something else was chosen than the list says."""
    chosen = crates(LOCK.read_text(encoding="utf-8"))
    if "--write" in sys.argv[1:]:
        LIST.write_text(chosen, encoding="utf-8")
    known = LIST.read_text(encoding="utf-8").splitlines()
    others = [line for line in chosen.splitlines() if line not in known]
    if others or not chosen:
        sys.exit("These crates are not in native/crates.txt:\n" + "\n".join(others or ["(none were chosen)"]))


if __name__ == "__main__":
    main()
