"""Modules of families: found by being there, known from the index as long as it tells the truth."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec import Struct

from slowlink import parsers
from slowlink.families import declared, modules
from slowlink.parsers import declared as of_parsers
from slowlink.rules import rule as of_rules

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [
    ("slowlink.parsers", parsers.FOLDER, of_parsers.Declared, of_parsers.declared_by),
    ("slowlink.rules", of_rules.FOLDER, of_rules.Declared, of_rules.declared_by),
]


@pytest.mark.parametrize(("package", "folder", "kind", "declared_by"), PACKAGES)
def test_every_line_of_the_index_that_counts_is_true(
    package: str, folder: str, kind: type, declared_by: Callable[[ModuleType], object]
) -> None:
    known = {name: says for name, says in declared(folder, kind) if says is not None}
    wrong = [name for name, says in known.items() if declared_by(import_module(f"{package}.{name}")) != says]
    assert wrong == [], "make index writes it anew"


@pytest.mark.parametrize(("package", "folder", "kind", "declared_by"), PACKAGES)
def test_the_index_is_of_use(package: str, folder: str, kind: type, declared_by: object) -> None:
    says = [says for _, says in declared(folder, kind)]
    assert says.count(None) < len(says) // 10, "too many were changed: make index"


@pytest.mark.parametrize("unit", parsers.line_parsers(), ids=lambda unit: unit.kind)
def test_what_stands_for_a_parser_answers_as_the_parser_itself(unit: Any) -> None:
    assert isinstance(unit, of_parsers.Later)
    real = getattr(import_module(unit.__module__), "PARSER")  # noqa: B009  (a module's, found by its name)
    literals = getattr(real, "literals", None)
    assert (unit.__name__, unit.kind) == (real.__name__, real.kind)
    assert (unit.literals and {*unit.literals.texts}) == (literals and {*literals.texts})
    assert hasattr(unit, "hears") is hasattr(real, "hears")
    assert unit.last_resort == getattr(real, "last_resort", 0)
    assert unit.reads_beside is getattr(real, "reads_beside", False)
    assert isinstance(unit(), real)


class Colour(Struct, frozen=True):
    name: str


def family(place: Path, index: str | None = None) -> str:
    for path in ("warm/__init__.py", "warm/red.py", "cold/__init__.py", "cold/blue/__init__.py", "cold/blue/sky.py"):
        place.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        place.joinpath(path).write_text("# 9 bytes")
    place.joinpath("cold/notes.txt").write_text("no module")
    place.joinpath("beside").mkdir()
    place.joinpath("beside/no_family.py").touch()
    if index is not None:
        place.joinpath("index.json").write_text(index)
    return str(place)


def test_modules_and_packages_of_families_are_found_with_their_sizes(tmp_path: Path) -> None:
    assert sorted(modules(family(tmp_path))) == [("cold.blue", 18), ("warm.red", 9)]


def test_without_an_index_every_module_is_to_be_asked(tmp_path: Path) -> None:
    assert sorted(declared(family(tmp_path), Colour)) == [("cold.blue", None), ("warm.red", None)]


def test_a_line_of_the_index_counts_while_the_module_has_its_size(tmp_path: Path) -> None:
    folder = family(
        tmp_path,
        '{"warm.red": {"size": 9, "declares": {"name": "red"}}, "warm.gone": {"size": 1, "declares": {"name": ""}},'
        ' "cold.blue": {"size": 17, "declares": {"name": "blue"}}}',
    )
    assert dict(declared(folder, Colour)) == {"warm.red": Colour("red"), "cold.blue": None}


def test_a_parser_is_imported_when_a_line_first_asks_for_it() -> None:
    unit = of_parsers.Later(
        "slowlink.parsers.no_such", "PARSER", of_parsers.Lines("NoSuch", "no-such", literals=("x",))
    )
    assert (unit.kind, unit.__name__, unit.literals.texts) == ("no-such", "NoSuch", ("x",))
    assert not hasattr(unit, "hears")
    with pytest.raises(ModuleNotFoundError):
        unit.wants("x")


def loaded_by(*arguments: str) -> set[str]:
    """Modules that a run of the command line imports."""
    program = (
        "import sys\nfrom slowlink.__main__ import main\nsys.argv[0] = 'slowlink'\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    return set(done.stderr.split())


def test_the_version_is_told_without_any_library() -> None:
    loaded = loaded_by("--version")
    assert "slowlink.cli.pipes" in loaded
    assert loaded & {"click", "msgspec", "rich", "pathlib", "typing_extensions", "slowlink.cli.main"} == set()


def test_a_small_log_is_analyzed_without_most_rules_and_parsers(tmp_path: Path) -> None:
    log = tmp_path / "nccl.log"
    log.write_text(
        "node01:4000:4100 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n"
        "node01:4000:4100 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
        "node01:4000:4100 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA\n"
    )
    loaded = loaded_by("analyze", str(log))
    heavy = {"numpy", "jinja2", "pandas", "diptest", "multiprocessing", "asyncio", "tomllib", "ssl"}
    assert "slowlink.rules.engine" in loaded
    assert loaded & heavy == set()
    assert {name for name in loaded if name.startswith(("slowlink.parsers.fabric.", "slowlink.parsers.gpu."))} == set()
    assert {name for name in loaded if name.startswith("slowlink.rules.fabric.")} == set()


def test_the_search_knows_all_literals_before_their_parsers_are_imported() -> None:
    program = (
        "from importlib import import_module; from slowlink import parsers; parsers.line_parsers();"
        "from slowlink.parsers.forms.literals import all_texts; known = all_texts();"
        "[import_module(name) for name in parsers.unit_names()];"
        "print({*all_texts().as_written} - {*known.as_written}, {*all_texts().folded} - {*known.folded})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set() set()\n", "make index"
