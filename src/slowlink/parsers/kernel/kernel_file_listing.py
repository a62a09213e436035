"""Kernel files as people paste them without ``grep -H``, read with the tables of ``parsers/kernel/sysfs``.

A path above its content, and a path beside it::

    ==> /sys/class/infiniband/mlx5_0/ports/1/rate <==
    400 Gb/sec (4X NDR)

    mlx5_0/ports/1/state:4: ACTIVE

``tail -n +1 /sys/...`` puts ``==> path <==`` above a content, ``cat path`` after a prompt and loops with ``echo``
put the path itself there; others write ``path -> content``, or take the front of the path off. Device paths
(``.../0000:12:00.0/infiniband/mlx5_0/...``) are the same files. What ``cat`` says when it fails is no content.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS
from slowlink.parsers.forms.rdma_values import RDMA_NAME
from slowlink.parsers.kernel.sysfs import file_readings
from slowlink.patterns import regex

_HEADINGS = (
    (regex(r"==> (?P<path>[\w./:-]{5,300}) <=="), "==> "),
    (regex(r".{0,160}(?:[#$]|--|\bssh [\w.@-]{1,80}) (?:sudo )?cat (?P<path>[\w./:-]{5,300})\s{0,8}"), "cat "),
    (regex(r"(?:#{1,4} |-{1,4} |\+ (?:cat )?)?(?P<path>[\w./-][\w./:-]{3,300}/[\w.-]{1,80}):?"), "/"),
)
_TOGETHER = regex(
    r"\s{0,20}(?P<path>[\w./-](?:[\w./-]|:(?=[0-9a-f]{2}[:.])){4,300})(?::| {1,8}(?:->|=>|=|:)| {1,8}(?=\d)) {0,8}"
    r"(?P<content>.{1,400})"
)
_CLASS = regex(r"(?:^|/)(?P<class>infiniband|net)/(?P<name>[\w.-]{1,40})/(?P<rest>.{1,120})")
_RELATIVE = regex(
    rf"(?:^|/)(?P<name>{RDMA_NAME})/(?P<rest>ports/\d{{1,3}}/[\w./]{{2,80}}|fw_ver|hca_type|hw_rev|board_id|node_guid"
    r"|sys_image_guid|device/numa_node)$"
)
_ERROR = regex(r"(?:cat|tail|head|grep|ls): |.{0,200}(?:No such file|Permission denied|Invalid argument)")


def kernel_path(path: str) -> str | None:
    """``path`` as the tables know it (``sys/class/infiniband/...``); None when it is no kernel file."""
    rooted = f"/{path}"
    for root in ("/proc/", "/sys/"):
        if root in rooted:
            below = rooted[rooted.index(root) + 1 :]
            found = _CLASS.search(below) if root == "/sys/" else None
            return f"sys/class/{found['class']}/{found['name']}/{found['rest']}" if found else below
    relative = _RELATIVE.search(path)
    return f"sys/class/infiniband/{relative['name']}/{relative['rest']}" if relative else None


class KernelFileListing:
    """Readings of kernel files whose path is above or beside their content."""

    kind: ClassVar[str] = "sysfs"
    literals: ClassVar[Literals] = Literals(
        (
            *("proc/", "sys/", "/ports/", "/fw_ver", "/hca_type", "/hw_rev", "/board_id", "/node_guid"),
            *("/sys_image_guid", "/device/numa_node"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._path: str | None = None
        """The file whose content comes next."""

    @staticmethod
    def wants(text: str) -> bool:
        return "/" in text and (_together(text) is not None or _heading(text) is not None)

    @property
    def greedy(self) -> bool:
        return self._path is not None

    def feed(self, line: Line) -> Use:
        path, self._path = self._path, None
        together = _together(line.text)
        if together is not None:
            return self._take(together[0], together[1], line) or Use.IGNORED
        heading = _heading(line.text)
        if heading is not None:
            self._path = heading
            return Use.IGNORED
        if path is None:
            return Use.NOT_MINE
        if not line.text.strip():
            self._path = path
            return Use.IGNORED
        return self._take(path, line.text, line) or Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _take(self, path: str, content: str, line: Line) -> Use | None:
        """Read one content: USED where some table knows the file, None where none does or where it is an error."""
        if _ERROR.match(content):
            return None
        said = list(file_readings(path, content, line))
        if MAX_READINGS.has_room(len(self._found)):
            self._found.extend(said)
        return Use.USED if said else None


def _together(text: str) -> tuple[str, str] | None:
    """(path, content) of a line that holds both, in a form that is not grep's own."""
    match = _TOGETHER.fullmatch(text)
    if match is None or (("/sys/" in text or "/proc/" in text) and text[match.end("path")] == ":"):
        return None
    path = kernel_path(match["path"])
    return (path, match["content"]) if path is not None else None


def _heading(text: str) -> str | None:
    for pattern, mark in _HEADINGS:
        match = pattern.fullmatch(text.strip()) if mark in text else None
        path = kernel_path(match["path"]) if match is not None else None
        if path is not None:
            return path
    return None


PARSER = KernelFileListing
