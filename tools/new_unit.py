"""Writes a rule or a parser and its test to begin with: ``make new-rule`` and ``make new-parser`` run it.

    python tools/new_unit.py rule NAME FAMILY [CAUSE]
    python tools/new_unit.py parser NAME FAMILY

What is to be written by hand is marked with ``WRITE:``. Nothing that exists is changed.
"""

from __future__ import annotations

import ast
import keyword
import re
import sys
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = Path(__file__).with_name("templates")
SHARED = {"rule": {"evidence"}, "parser": {"forms", "reading"}}
"""Folders beside the families that hold what several of them use."""
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LONGEST_NAME = 36
MOST_LOOSE_FILES = 30
MEANS_ANYTHING = {"util", "utils", "helper", "helpers", "common", "base", "manager", "handler"}
"""Last words of names that tests/test_architecture.py refuses."""


class NotWrittenError(Exception):
    """Why nothing was written."""


def main(argv: list[str]) -> int:
    """Writes the two files and says what comes next. Returns the exit status."""
    kind, name, family, cause = (*argv, "", "", "", "")[:4]
    try:
        if kind not in SHARED:
            raise NotWrittenError(__doc__ or "")
        written = write(kind, name.replace("_", "-"), family, cause)
    except NotWrittenError as reason:
        print(f"new {kind}: {reason}", file=sys.stderr)
        return 2
    for path in written:
        print(f"written: {path.relative_to(ROOT)}")
    print("next: replace every WRITE: in them, and run the test")
    if kind == "rule":
        print("      (its first test fails until then, on purpose)")
        _say_what_the_cause_needs(cause or name.replace("_", "-"))
    else:
        print("next: name the kind in a rule, or set harmless=True with the reason")
    return 0


def write(kind: str, name: str, family: str, cause: str = "") -> list[Path]:
    """The unit and its test, written. Raises NotWrittenError for a bad or taken name or an unknown family."""
    _check_name(name)
    if cause:
        _check_name(cause)
    folder = ROOT / "src" / "slowlink" / f"{kind}s"
    known = families(folder, SHARED[kind])
    if family not in known:
        listed = "\n".join(f"    {each:12} {line}" for each, line in known.items())
        asked = f"no family is called {family!r}" if family else "say which family it belongs to"
        raise NotWrittenError(f"{asked}, FAMILY= one of:\n{listed}")
    module = name.replace("-", "_")
    tests = ROOT / "tests" / f"{kind}s"
    # pytest knows test files by their own names, whatever their folder.
    for taken in (*folder.rglob(f"{module}.py"), *folder.rglob(module), *tests.parent.rglob(f"test_{module}.py")):
        raise NotWrittenError(f"{name} exists: {taken.relative_to(ROOT)}")
    words = {
        "name": name,
        "module": module,
        "family": family,
        "cause": cause or name,
        "class_name": "".join(word.capitalize() for word in name.split("-")),
    }
    paths = {kind: _home(folder / family, module), f"{kind}_test": tests / family / f"test_{module}.py"}
    for template, path in paths.items():
        path.parent.mkdir(exist_ok=True, parents=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(Template((TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")).substitute(words))
    return list(paths.values())


def _home(family: Path, module: str) -> Path:
    """A file of the family; a folder of its own there, which is as well found, where the family has as many files as a
    folder may have (tests/test_architecture.py): whoever adds one has not filled it."""
    loose = sum(entry.is_file() for entry in family.iterdir())
    return family / f"{module}.py" if loose < MOST_LOOSE_FILES else family / module / "__init__.py"


def families(folder: Path, shared: set[str]) -> dict[str, str]:
    """Each family below ``folder`` with the first line of its docstring."""
    found = {}
    for init in sorted(folder.glob("*/__init__.py")):
        if init.parent.name not in shared:
            page = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
            found[init.parent.name] = page.partition("\n")[0]
    return found


def _check_name(name: str) -> None:
    if not name:
        raise NotWrittenError("say what it is called, NAME=some-name")
    if NAME.fullmatch(name) is None or len(name) > LONGEST_NAME:
        raise NotWrittenError(f"{name!r} is no name: small letters, digits and single hyphens, {LONGEST_NAME} at most")
    if keyword.iskeyword(name) or name.rpartition("-")[2] in MEANS_ANYTHING:
        raise NotWrittenError(f"{name!r} does not say what it is")


def _say_what_the_cause_needs(cause: str) -> None:
    causes = ROOT / "src" / "slowlink" / "catalog" / "causes.toml"
    if f"[{cause}]" not in causes.read_text(encoding="utf-8").splitlines():
        print(f"next: no cause is called {cause} yet: describe it in {causes.relative_to(ROOT)},")
        print("      or name in CAUSES the one that the rule yields (CAUSE=some-cause writes it there)")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
