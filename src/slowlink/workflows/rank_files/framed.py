"""The files of a directory on a node, through the standard output of its shell: compressed, in base64, each in a frame
of its own, so that a connection that breaks costs what comes behind and no more::

    #slowlink-file 5e2f... 48211 nccl-debug/node01.4711.log
    H4sIAAAAAAAAA...
    #slowlink-end 5e2f...
    #slowlink-done 5e2f...

What a node sends is believed in nothing: names are checked, and sizes are bounded.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.quoting import quote
from slowlink.workflows.rank_files.interface import DEBUG_DIRECTORY, inflated

MOST_BYTES = 12 << 20
"""Of one file. Of a longer one its begin and its end are sent: how the job began, and how it ended."""
LAST_BYTES = 4 << 20
_NAME = re.compile(rf"(?:{DEBUG_DIRECTORY}/)?[A-Za-z0-9_][A-Za-z0-9._+%-]{{0,200}}")


class Received(Struct, frozen=True):
    """One file as it came."""

    name: str
    size_bytes: int
    """On the node."""
    data: bytes
    is_whole: bool


def gap(left_bytes: int) -> bytes:
    """What stands in the place of the middle of a file."""
    return b"\n[... %d bytes are left out here ...]\n" % left_bytes


def make_script(directory: str) -> str:
    """Makes ``directory``, for us alone. What somebody else has put there in our place is refused."""
    place, debug = quote([directory]), quote([f"{directory}/{DEBUG_DIRECTORY}"])
    return (
        f"umask 077\nmkdir {place} 2>/dev/null\n"
        f"[ -d {place} ] && [ ! -L {place} ] && [ -O {place} ] && mkdir -p {debug} && exit 0\n"
        f"mkdir {place}\nexit 1\n"
    )


def remove_script(directory: str) -> str:
    """Removes what ``make_script`` made."""
    return f"rm -rf -- {quote([directory])}\n"


def remove_left_script(directory: str) -> str:
    """As ``remove_script``, while ranks that are about to end may still write into it."""
    place = quote([directory])
    return (
        f"n=0\nwhile [ -e {place} ] && [ $n -lt 20 ]; do\n"
        f"rm -rf -- {place} 2>/dev/null && exit 0\nn=$((n + 1))\nsleep 1\ndone\n"
    )


def send_script(directory: str, outputs: Sequence[str], mark: str) -> str:
    """Prints the files of NCCL's logs and ``outputs``, and removes the directory. ``mark``: of this run, random."""
    first = MOST_BYTES - LAST_BYTES
    names = " ".join(quote([name]) for name in outputs)
    return f"""\
cd {quote([directory])} || exit 1
for f in {names} {DEBUG_DIRECTORY}/*; do
  [ -f "$f" ] && [ ! -L "$f" ] && [ ! -L {DEBUG_DIRECTORY} ] || continue
  s=$(wc -c <"$f") || continue
  s=$((s))
  echo "#slowlink-file {mark} $s $f"
  if [ $s -le {MOST_BYTES} ]; then cat "$f"
  else
    head -c {first} "$f"
    printf '\\n[... %s bytes are left out here ...]\\n' $((s - {MOST_BYTES}))
    tail -c {LAST_BYTES} "$f"
  fi | gzip -c | base64
  echo "#slowlink-end {mark}"
done
echo "#slowlink-done {mark}"
cd / && {remove_script(directory)}"""


def send_bounded_script(directory: str, outputs: Sequence[str], mark: str, most_sent: int) -> str:
    """As ``send_script``, into a job's own output: at most ``most_sent`` bytes as they are sent, whole files only, so
    that neither the log of a pod is rotated away nor a file system filled. Files beyond are named."""
    first = MOST_BYTES - LAST_BYTES
    names = " ".join(quote([name]) for name in outputs)
    return f"""\
cd {quote([directory])} || exit 1
left={most_sent}
for f in {names} {DEBUG_DIRECTORY}/*; do
  [ -f "$f" ] && [ ! -L "$f" ] && [ ! -L {DEBUG_DIRECTORY} ] || continue
  s=$(wc -c <"$f") || continue
  s=$((s))
  if [ $s -le {MOST_BYTES} ]; then cat "$f"
  else
    head -c {first} "$f"
    printf '\\n[... %s bytes are left out here ...]\\n' $((s - {MOST_BYTES}))
    tail -c {LAST_BYTES} "$f"
  fi | gzip -c | base64 >.frame
  n=$(wc -c <.frame)
  if [ $((n)) -gt $left ]; then echo "#slowlink-left {mark} $s $f"; continue; fi
  left=$((left - n))
  echo "#slowlink-file {mark} $s $f"
  cat .frame
  echo "#slowlink-end {mark}"
done
echo "#slowlink-done {mark}"
cd / && {remove_script(directory)}"""


def left_out(text: str, mark: str) -> list[str]:
    """Names of files that were too large to be sent."""
    found = re.findall(rf"^#slowlink-left {mark} [0-9]+ (.*)$", text, flags=re.MULTILINE)
    return [name for name in found if _NAME.fullmatch(name)]


def received(text: str, mark: str) -> tuple[list[Received], bool]:
    """The files in what a node printed, and whether these are all. Any text is accepted."""
    return list(_files(text, mark)), f"\n#slowlink-done {mark}\n" in f"\n{text}"


def _files(text: str, mark: str) -> Iterator[Received]:
    for piece in re.split(rf"^#slowlink-file {mark} ", text, flags=re.MULTILINE)[1:]:
        head, _, rest = piece.partition("\n")
        size, _, name = head.partition(" ")
        if not (size.isdecimal() and len(size) < 19 and _NAME.fullmatch(name)):
            continue
        body, ended, _ = rest.partition(f"#slowlink-end {mark}\n")
        data = inflated(_decoded(body), 2 * MOST_BYTES)
        yield Received(name, int(size), data, bool(ended) and len(data) == int(size))


def _decoded(text: str) -> bytes:
    """base64 as far as it goes: the last line may be cut."""
    letters = "".join(text.split())
    try:
        return base64.b64decode(letters[: len(letters) // 4 * 4], validate=True)
    except (binascii.Error, ValueError):
        return b""
