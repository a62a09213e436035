"""What ARCHITECTURE.md promises, measured on the tree itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import pytest

from slowlink.catalog.causes import all_causes
from slowlink.cli.main import cli
from slowlink.parsers import unit_names
from slowlink.rules.engine import Rule, discover

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "slowlink"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 400, 60
BANNED = re.compile(r"(^|_)(utils?|helpers?|common|base|manager|handler)$")


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


in_one_process = pytest.mark.xdist_group("sources")
"""All modules are parsed once, for all tests that look at their parts."""


class Outline:
    """What the tests of the sources ask of one module; not its tree, which is large."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        self.at_top = [module for node in tree.body for module in imported(node)]
        defined = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        self.defined = [node.name for node in defined]
        self.lengths = [(node.name, lines_of(node)) for node in defined if isinstance(node, ast.FunctionDef)]
        self.taken = [
            alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("slowlink")
            for alias in node.names
        ]


@cache
def outlines() -> dict[Path, Outline]:
    return {path: Outline(path) for path in MODULES}


@in_one_process
def test_modules_and_functions_are_short() -> None:
    long: dict[str, int] = {}
    for path, outline in outlines().items():
        if (lines := path.read_text(encoding="utf-8").count("\n")) > LONGEST_MODULE:
            long[name(path)] = lines
        long |= {f"{name(path)}: {each}": n for each, n in outline.lengths if n > LONGEST_FUNCTION}
    assert long == {}


def test_what_is_taken_for_a_number_is_one() -> None:
    """``isdigit`` is true for superscripts and the like, which ``int`` and ``float`` refuse; ``isdecimal`` is not. Bytes
    know ASCII alone."""
    asking = [name(path) for path in MODULES if ".isdigit(" in path.read_text(encoding="utf-8")]
    assert asking == ["inputs/tar.py"]


def lines_of(node: ast.FunctionDef) -> int:
    """Of a function; a command's options are its parameters, so only the body counts, without docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return ((body[-1].end_lineno or 0) - body[0].lineno + 1) if body else 0


@in_one_process
def test_no_name_that_means_anything() -> None:
    paths = [part for path in MODULES for part in path.relative_to(SOURCE).with_suffix("").parts]
    defined = [each for outline in outlines().values() for each in outline.defined]
    words = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).lower() for word in (*paths, *defined)]
    ids_of_rules = {"fabric_subnet_manager"}  # the subnet manager of InfiniBand; a module of a rule has the rule's name
    assert [word for word in words if BANNED.search(word) and word not in ids_of_rules] == []


@in_one_process
def test_what_is_private_stays_in_its_module() -> None:
    taken = [
        f"{name(path)}: {each}"
        for path, outline in outlines().items()
        for each in outline.taken
        if each.startswith("_") and not each.startswith("__")
    ]
    assert taken == []


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "SECURITY.md"])
def test_documents_name_files_that_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.])((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|sh|toml))?)", text)
    roots = (ROOT, SOURCE, SOURCE / "parsers")
    assert len(named) > 10
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []


def test_the_picture_of_the_layers_is_the_contract() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    contract = re.search(r'name = "layers:.*?layers = \[(.*?)\n\]', (ROOT / "pyproject.toml").read_text(), re.DOTALL)
    assert contract is not None
    floors = [set(floor.split(" | ")) for floor in re.findall(r'"([^"]+)"', contract[1])]
    drawn = re.findall(
        r"^    ([a-z][a-z ]*?)(?:   {3,}|$)", text.partition("## Layers")[2].partition("| `rules/`")[0], re.MULTILINE
    )
    assert [set(floor.split()) for floor in drawn] == [floor for floor in floors if floor != {"__main__"}]


def test_imports_go_downwards_only() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@in_one_process
def test_only_the_standard_library_is_loaded_before_it_is_needed() -> None:
    """Heavy libraries are imported inside functions: the command line starts fast. The probe is the program of the
    ranks, not of the command line, and works on arrays throughout; the store is imported when one is opened."""
    heavy = {"numpy", "scipy", "rich", "jinja2", "diptest", "pandas", "polars", "sqlalchemy", "alembic"}
    at_top = {
        (name(path), module.partition(".")[0]) for path, outline in outlines().items() for module in outline.at_top
    }
    assert {entry for entry in at_top if entry[1] in heavy and not entry[0].startswith(("probe/", "store/"))} == set()


def test_a_run_starts_without_what_only_its_end_needs() -> None:
    """Parsers, reports and archives would delay the ranks; they are loaded while the ranks start, or afterwards."""
    program = (
        "import sys, slowlink.cli.run, slowlink.launch.surroundings, slowlink.workflows.plan_run;"
        "import slowlink.workflows.run, slowlink.workflows.live_view, slowlink.report.escape;"
        "from slowlink.bundle import BundleWriter; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    late = {"slowlink.parsers", "slowlink.model.report", "slowlink.bundle.archive", "slowlink.rules", "logging"}
    assert "slowlink.workflows.run" in loaded
    assert late.isdisjoint(loaded)


def imported(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


@pytest.mark.parametrize("rule", discover(), ids=lambda rule: rule.id)
def test_every_rule_has_a_test_of_its_own(rule: Rule) -> None:
    family, name = rule.check.__module__.split(".")[-2:]
    assert (ROOT / "tests" / "rules" / family / f"test_{name}.py").is_file()


def test_every_parser_has_a_test_of_its_own() -> None:
    """In its family: ``tests/parsers/gpu/test_imex.py``, or a file of that name in a folder of the parser's."""
    modules = [
        name for name in unit_names() if {"PARSER", "DOCUMENT", "BINARY", "TAKER"} & vars(import_module(name)).keys()
    ]
    assert len(modules) > 100
    families = [(name.split(".")[2], name.split(".")[3]) for name in modules]
    tests = ROOT / "tests" / "parsers"
    assert [name for family, name in families if not any((tests / family).rglob(f"test_{name}.py"))] == []


def test_no_folder_is_an_alphabet() -> None:
    """More than 30 loose files are a list to read through: they want families."""
    folders = {path.parent for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    loose = {name(folder): sum(entry.is_file() for entry in folder.iterdir()) for folder in folders}
    assert {folder: count for folder, count in loose.items() if count > 30} == {}


def test_findings_name_causes_of_the_catalogue() -> None:
    called = re.compile(r"finding\(\s*\"([a-z0-9-]+)\"")
    named = {cause for path in (SOURCE / "rules").rglob("*.py") for cause in called.findall(path.read_text())}
    assert len(named) > 20
    assert named - set(all_causes()) == set()


def test_documents_name_rules_and_causes_that_exist() -> None:
    known = {rule.id for rule in discover()} | set(all_causes())
    explained = re.compile(r"rules explain ([a-z0-9-]+)|\[rules\.([a-z0-9-]+)\]")
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = {one or two for path in documents for one, two in explained.findall(path.read_text(encoding="utf-8"))}
    assert named - known == set()


def test_each_command_is_there_for_the_help() -> None:
    """One module beside the commands that is none, and not known as such, breaks ``slowlink --help``."""
    context = click.Context(cli)
    assert all(cli.get_command(context, each) is not None for each in cli.list_commands(context))
