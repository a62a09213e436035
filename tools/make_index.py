"""Writes what the modules of rules and parsers declare beside them: ``make index`` runs it.

    python tools/make_index.py

Without it everything works, and a module that was changed since is imported at every start: run it before a release,
and whenever ``tests/test_families.py`` asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

from msgspec import json

from slowlink import families, parsers
from slowlink.parsers import declared as of_parsers
from slowlink.parsers.forms.literals import all_texts
from slowlink.rules import rule as of_rules

PACKAGES: Mapping[str, tuple[str, Callable[[ModuleType], object]]] = {
    "slowlink.parsers": (parsers.FOLDER, of_parsers.declared_by),
    "slowlink.rules": (of_rules.FOLDER, of_rules.declared_by),
}


def main() -> None:
    """Write all files that are not as they should be."""
    for path, text in files().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.parent.name}/{path.name}")


def files() -> dict[Path, str]:
    """What each file should hold."""
    found = {Path(folder, families.INDEX): index_of(package) for package, (folder, _) in PACKAGES.items()}
    found[Path(parsers.FOLDER, parsers.LITERALS)] = json.format(json.encode(all_texts())).decode() + "\n"
    return found


def index_of(package: str) -> str:
    """One line a module, by its name, so that two changes seldom meet."""
    folder, declared_by = PACKAGES[package]
    lines = []
    for module in sorted(families.modules(folder)):
        entry = families.Entry(module.size, declared_by(import_module(f"{package}.{module.name}")))
        lines.append(f"{json.encode(module.name).decode()}: {json.encode(entry).decode()}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
