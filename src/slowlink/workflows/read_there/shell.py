"""The script that goes to a node's shell: slowlink where it is there, in the same build; else the files' bytes.

No name and no pattern is ever the shell's text: what a path stands for is found by slowlink, or by find(1), which hands
names on as arguments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from slowlink import __version__
from slowlink.parsers.reading.sent import shape
from slowlink.quoting import quote
from slowlink.workflows.read_there.frames import LAST_BYTES, MOST_FILE_BYTES
from slowlink.workflows.read_there.paths import has_wildcard

COMMAND = "read-here"
_NOT_USABLE = "1|2|126|127"
"""How a shell and an older slowlink end where this one is not there: what fails otherwise has begun."""

_ONE = """\
for f do
  n=$(printf %s "$f" | base64 | tr -d '\\n')
  if [ ! -r "$f" ]; then echo "#slowlink-denied $slowlink_mark $n"; continue; fi
  s=$(wc -c <"$f") || continue
  s=$((s)) l=0
  if [ $s -gt $slowlink_most ]; then l=$(($(wc -l <"$f"))); fi
  echo "#slowlink-file $slowlink_mark $s $l $n"
  if [ $s -le $slowlink_most ]; then cat "$f"; else head -c $slowlink_first "$f"; tail -c $slowlink_last "$f"; fi |
    gzip -c | base64
  echo "#slowlink-end $slowlink_mark"
done"""
_EACH = 'for m do find -H "$m" -type f -exec sh -c "$slowlink_one" sh {} +; done'


def build() -> str:
    """What two sides must have in common: the version, and the form of its records."""
    return f"{__version__}/{shape()}"


def script_for(paths: Sequence[str], mark: str, programs: Sequence[Sequence[str]], *, limit_s: float, room: int) -> str:
    """What runs on every node. ``mark``: of this run, random. ``programs``: how slowlink may be started there; the
    first that can reads. ``limit_s``: when it gives what it has. ``room``: bytes that it may
    print."""
    if not mark.isalnum():
        raise ValueError("a mark is letters and digits")
    options = ("--mark", mark, "--build", build(), "--seconds", f"{limit_s:g}", "--room", str(room), "--", *paths)
    readers = "\n".join(f"slowlink_try {quote([*program, COMMAND, *options])}" for program in programs)
    variables = {
        "mark": mark,
        "most": str(MOST_FILE_BYTES),
        "first": str(MOST_FILE_BYTES - LAST_BYTES),
        "last": str(LAST_BYTES),
        "one": _ONE,
        "each": _EACH,
    }
    given = "\n".join(f"slowlink_{name}={quote([value])}; export slowlink_{name}" for name, value in variables.items())
    steps = "\n".join(
        f'  echo "#slowlink-path $slowlink_mark {number}"\n{_brings(path)}' for number, path in enumerate(paths)
    )
    return f"""\
set -f
PATH=${{PATH:-/usr/bin:/bin}}:/usr/local/bin
LC_ALL=C.UTF-8
export PATH LC_ALL
{given}
slowlink_try() {{
  nice -n 10 "$@" </dev/null
  slowlink_status=$?
  case $slowlink_status in
  0) exit 0 ;;
  {_NOT_USABLE}) ;;
  *) echo "#slowlink-ended {mark} $slowlink_status"; exit 0 ;;
  esac
}}
{readers}
for slowlink_tool in find gzip base64 head tail; do
  command -v $slowlink_tool >/dev/null || {{ echo "no $slowlink_tool, and no slowlink, is there" >&2; exit 1; }}
done
LC_ALL=C
echo "#slowlink-brings {mark}"
{{
{steps}
}} </dev/null | head -c {room}
echo
echo "#slowlink-done {mark}"
exit 0
"""


def _from_here(path: str) -> str:
    """A relative path, which begins at the login's own folder there, as one that never looks like an option."""
    return path if path.startswith(("/", "./")) else f"./{path}"


def _brings(path: str) -> str:
    """Prints every file that a path stands for."""
    path = _from_here(path)
    literal = f'find -H {quote([path])} -type f -exec sh -c "$slowlink_one" sh {{}} +'
    if not has_wildcard(path):
        return f"  {literal}"
    return f"""\
  if [ -e {quote([path])} ]; then {literal}
  else {_expanded(path)}
  fi"""


def _expanded(path: str) -> str:
    """find(1) for a pattern: of so many folders below what is plain, so that ``*`` ends at the folder's end."""
    parts = path.split("/")
    plain = next(number for number, part in enumerate(parts) if has_wildcard(part))
    rest = [part for part in parts[plain:] if part]
    top = "/".join(parts[:plain])
    shown = re.sub(r"([*?\[\\])", r"\\\1", top)
    hidden = []
    for number, part in enumerate(rest):
        if part[0] in "*?[":  # stands for no hidden name
            at_its_place = ["*"] * number + [".*"] + ["*"] * (len(rest) - number - 1)
            hidden += ["!", "-path", "/".join([shown, *at_its_place])]
    words = ["find", "-H", top or "/", "-mindepth", str(len(rest)), "-maxdepth", str(len(rest))]
    words += ["-path", "/".join([shown, *rest]), *hidden]
    # find takes {} once: the second one is in a variable.
    return f"{quote(words)} -exec sh -c 'eval \"$slowlink_each\"' sh {{}} +"
