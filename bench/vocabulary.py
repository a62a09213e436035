"""The share of a program's own warnings and errors to which slowlink gives a meaning.

    python bench/vocabulary.py DIR [--program NAME] [--ref REVISION ...] [--rest] [--markdown] [--show TEXT]

``DIR`` is a checkout of the program's source, or a git directory; ``--ref`` takes revisions of it instead of the work
tree. The table of programs is ``vocabulary_programs.toml``. Each message is rendered in the program's own form of line
and read by slowlink as a log of one line. ``--rest`` lists what has no meaning yet; ``--show TEXT`` lists what each
message with ``TEXT`` in it became (``--show ""`` all of them).
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct
from vocabulary_formats import Format, formats
from vocabulary_judge import CLASSES, NONSENSE, Judged, judge, nonsense_kinds
from vocabulary_render import rendered
from vocabulary_source import Program, described, programs, source_files


class Score(Struct, frozen=True):
    """All messages of one program in one version."""

    program: Program
    version: str
    messages: tuple[tuple[Format, str, Judged], ...]
    """Each with its line."""

    @property
    def known(self) -> int:
        return sum(bool(judged.sort) for _, _, judged in self.messages)

    @property
    def share(self) -> float:
        return self.known / len(self.messages) if self.messages else 0.0

    def by_class(self) -> dict[str, int]:
        """Messages of each class."""
        counts = Counter(judged.sort for _, _, judged in self.messages)
        return {name: counts[name] for name in CLASSES}


def main(arguments: Sequence[str] | None = None) -> int:
    """Score and print."""
    options = _options(arguments)
    table = programs()
    chosen = [table[options.program]] if options.program else _guessed(options.place, table)
    scores = [scored(options.place, program, ref) for program in chosen for ref in options.ref or [""]]
    if options.markdown:
        print("\n".join(markdown(scores)))
    else:
        _print(scores)
    for score in scores:
        for found, line, judged in score.messages:
            if options.rest and not judged.sort:
                print(f"{found.file}:{found.number}: {line}")
            elif options.show is not None and options.show in line:
                print(f"{judged.sort or '-':<9}{judged.said:<32}{line}")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score slowlink's vocabulary on a program's source.")
    parser.add_argument("place", type=Path, metavar="DIR", help="checkout or git directory of the program")
    parser.add_argument("--program", default="", help="its id in vocabulary_programs.toml (default: by DIR's name)")
    parser.add_argument("--ref", action="append", help="a revision instead of the work tree; may be repeated")
    parser.add_argument("--rest", action="store_true", help="list messages without a meaning")
    parser.add_argument("--show", help="list messages with this text, and what they became")
    parser.add_argument("--markdown", action="store_true", help="print rows for docs/coverage.md")
    return parser.parse_args(arguments)


def _guessed(place: Path, table: dict[str, Program]) -> list[Program]:
    """The programs whose id is a part of the directory's path, the longest first."""
    parts = re.split(r"[/+]", str(place.resolve()).lower())
    found = [program for name, program in table.items() if name in parts]
    if not found:
        raise SystemExit(f"vocabulary: which program is {place}? Give --program, one of {', '.join(table)}")
    return found


def scored(place: Path, program: Program, ref: str = "") -> Score:
    """Every message of the program in ``place``, each text once."""
    found: dict[str, Format] = {}
    for file in source_files(place, program, ref):
        for one in formats(file, program):
            if not program.skip or re.search(program.skip, one.text) is None:
                found.setdefault(one.text, one)
    lines = [(one, rendered(one, program)) for one in found.values()]
    usual = Counter(one.call for one, _ in lines).most_common(1)[0][0] if lines else ""

    @cache
    def nothing(call: str) -> frozenset[str]:
        return nonsense_kinds(rendered(Format(NONSENSE, call, (), "src/quux.cc", 12), program))

    messages = tuple((one, line, judge(line, nothing(one.call if program.raised else usual))) for one, line in lines)
    return Score(program, described(place, ref), messages)


def _print(scores: Iterable[Score]) -> None:
    print(
        f"{'program':<26}{'version':<16}{'formats':>8}{'meaning':>9}" + "".join(f"{n:>10}" for n in CLASSES) + "  share"
    )
    for score in scores:
        counts = "".join(f"{count:>10}" for count in score.by_class().values())
        row = f"{score.program.name:<26}{score.version:<16}{len(score.messages):>8}{score.known:>9}"
        print(f"{row}{counts}{score.share:>7.1%}")


def markdown(scores: Iterable[Score]) -> list[str]:
    """Rows of the table in docs/coverage.md."""
    rows = [
        "| program | version | messages | cause | symptom | fact | harmless | with a meaning |",
        "|---|---|" + "---:|" * 6,
    ]
    for score in scores:
        counts = " | ".join(map(str, score.by_class().values()))
        rows.append(
            f"| {score.program.name} | {score.version} | {len(score.messages)} | {counts} | {score.share:.1%} |"
        )
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
