"""Is a record of an acceptance, what was written beside it, and the evidence that it rests on, as it was?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from slowlink import __version__
from slowlink.errors import SlowlinkError
from slowlink.model.acceptance import Acceptance, EvidenceFile
from slowlink.report.acceptance.page import page_text
from slowlink.report.acceptance.record import MOST_BYTES, record_from, what_differs
from slowlink.report.acceptance.table import table_text
from slowlink.report.escape import cleaned
from slowlink.workflows.accepting.evidence_files import evidence_files
from slowlink.workflows.accepting.names import FileNames

VIEWS = (".html", ".htm", ".csv")
_MOST_NAMED = 5
Answer = Literal["unchanged", "changed", "open"]


class Looked(Struct, frozen=True):
    """One thing that was looked at, and how it stands."""

    what: str
    answer: Answer
    why: str = ""


def verified(path: str, others: Sequence[str]) -> tuple[Acceptance, list[Looked]]:
    """The record at ``path`` and everything that was looked at. ``others``: pages and tables of it, and evidence.

    Raises SlowlinkError: ``input-not-found``, ``acceptance-unknown``, ``acceptance-newer``, ``acceptance-invalid``.
    """
    data = _bytes(path)
    record = record_from(data)
    differs = what_differs(record, data)
    found = [Looked(f"record {path}", "changed" if differs else "unchanged", differs)]
    views = [each for each in others if Path(each).suffix.lower() in VIEWS and Path(each).is_file()]
    found += [_view(each, record, whole=not differs) for each in views]
    evidence = [each for each in others if each not in views]
    found += list(_evidence(record, evidence))
    return record, found


def _bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise SlowlinkError(
            f"cannot read {path}: {problem.strerror}", hint="check the path", slug="input-not-found"
        ) from problem
    if len(data) > MOST_BYTES:
        raise SlowlinkError(f"{path} is larger than any record", hint="check the path", slug="acceptance-unknown")
    return data


def _view(path: str, record: Acceptance, *, whole: bool) -> Looked:
    """A page or a table shows the record where it is, byte for byte, what the record gives when it is drawn again."""
    suffix = Path(path).suffix.lower()
    what = f"{'table' if suffix == '.csv' else 'page'} {path}"
    if not whole:
        return Looked(what, "open", "the record was changed: nothing can be held against it")
    data = _bytes(path)
    drawn = table_text(record) if suffix == ".csv" else page_text(record)
    if drawn.encode("utf-8") == data:
        return Looked(what, "unchanged")
    if record.seal.encode() not in data:
        return Looked(what, "changed", "it is of another record: it does not have this seal")
    if record.slowlink != __version__:
        words = f"slowlink {record.slowlink} wrote it, and {__version__} writes other pages: check it with that version"
        return Looked(what, "open", words)
    return Looked(what, "changed", "it does not show what the record has")


def _evidence(record: Acceptance, given: Sequence[str]) -> Iterator[Looked]:
    total = len(record.evidence)
    if not given:
        yield Looked(f"evidence of {total} files", "open", "none was given: whether it is as it was is not known")
        return
    yield from _files(_sums(record.evidence), _sums(evidence_files(given, FileNames(given))))


def _sums(files: Sequence[EvidenceFile]) -> Mapping[str, list[str]]:
    """By their names as a record shows them. Two files may have one: whose names differ in what is not shown, and
    ``data`` beside ``/data``."""
    found: dict[str, list[str]] = {}
    for each in files:
        found.setdefault(cleaned(each.path), []).append(each.sha256)
    return {path: sorted(sums) for path, sums in found.items()}


def _files(known: Mapping[str, list[str]], now: Mapping[str, list[str]]) -> Iterator[Looked]:
    """A file that is not given is open; where it lies in a folder that is given, it is missing."""
    tops = {path.partition("/")[0] for path in now}
    same = [path for path in known if path in now and now[path] == known[path]]
    other = [path for path in known if path in now and now[path] != known[path]]
    missing = [path for path in known if path not in now]
    gone = [path for path in missing if path.partition("/")[0] in tops]
    unseen = [path for path in missing if path.partition("/")[0] not in tops]
    added = [path for path in now if path not in known]
    if same:
        yield Looked(f"evidence, {len(same)} of {len(known)} files", "unchanged")
    for paths, why in ((other, "is not as it was"), (gone, "is missing"), (added, "was added")):
        if paths:
            yield Looked(f"evidence {_listed(paths)}", "changed", why if len(paths) == 1 else f"each {why}")
    if unseen:
        yield Looked(f"evidence {_listed(unseen)}", "open", "not given")


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more
