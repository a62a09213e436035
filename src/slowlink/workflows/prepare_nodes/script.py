"""The text that a node's shell is given. Only our own words and checked values are ever put into it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from slowlink.model.prepared import Change
from slowlink.quoting import quote
from slowlink.settings.find import settings
from slowlink.settings.interface import Setting
from slowlink.settings.prelude import PREFIX, PRELUDE

_BOOT = re.compile(r"[0-9a-f-]{1,64}")

# The lock keeps a script whose connection was cut and the rollback that follows it apart. It is taken on a directory
# that is there, so nothing is made for it. ``until``: later than this, nobody waits for us any more.
_CHANGING = r"""
uptime_s() { read -r up _ </proc/uptime && printf '%s' "${up%%.*}"; }
hello() { say clock "$(content /proc/sys/kernel/random/boot_id)" "$(uptime_s)" "$(id -u)"; }
refuse() { say refused "$@"; exit 0; }
lock() {
  has flock && [ -r "$ROOT/sys" ] || return 0
  exec 9<"$ROOT/sys"
  until flock -n 9; do
    [ "$(uptime_s)" -le "$1" ] && [ -z "$stopped" ] || refuse another slowlink prepare is at work there
    sleep 1
  done
}
settle() { while [ "$(uptime_s)" -le "$1" ] && [ -z "$stopped" ]; do sleep 1; done; }
begin() {
  is_root || refuse needs root there
  lock "$1"
  [ "$(uptime_s)" -le "$1" ] || refuse not begun in time
}
value_of() {
  "${1}_read" "$3" | {
    found=
    while read -r _ kind name part value _; do
      [ "$kind $name $part" = "item $2 $3" ] && found=$value
    done
    printf '%s' "$found"
  }
}
# change FUNCTION SETTING WANTED EXPECTED|EXPECTED PART...
change() {
  function=$1 setting=$2 wanted=$3 expected=$4
  shift 4
  for part do
    [ -z "$stopped" ] || return 0
    now=$(value_of "$function" "$setting" "$part")
    if [ "$now" != '?' ]; then
      [ "$now" != "$wanted" ] || { say done "$setting" "$part" same "$now"; continue; }
      case "|$expected|" in *"|$now|"*) ;; *) say done "$setting" "$part" other "$now"; continue ;; esac
    fi
    words=$("${function}_write" "$part" "$wanted" 2>&1); status=$?
    after=$(value_of "$function" "$setting" "$part")
    if [ "$after" = "$wanted" ] || { [ "$now" = '?' ] && [ "$status" = 0 ]; }; then
      say done "$setting" "$part" set "$after"
    else
      say done "$setting" "$part" failed "${after:-unreadable}" "status $status: $(first_line "$words")"
    fi
  done
}
"""


def read_script(wanted: Iterable[str], root: str, *, sudo: bool) -> str:
    """Prints the clock, every value of these settings, and ``end``. Changes nothing."""
    chosen = [setting for setting in settings().values() if setting.name in set(wanted)]
    there = [f'[ -d "$ROOT/" ] || refuse {quote([f"there is no {root} there"])}'] if root else []
    body = [*there, "hello", *(f"{setting.function}_read" for setting in chosen), "say end"]
    return _script(chosen, root, body, sudo=sudo)


def change_script(
    changes: Sequence[Change],
    until: Mapping[str, int],
    root: str,
    *,
    sudo: bool,
    settle: Mapping[str, int] | None = None,
) -> str:
    """Sets values in the order given, each only where an expected one is found, and tells of each.

    ``until``: identity of a boot to the uptime at which the script must have begun; on any other boot it refuses.
    ``settle``: the same for an earlier script that may still be on its way; it is waited for.
    """
    for change in changes:
        _check(change)
    known = settings()
    chosen = [setting for setting in known.values() if any(change.setting == setting.name for change in changes)]
    body = ["until=", _by_boot(until, "until"), '[ -n "$until" ] || refuse rebooted since it was asked']
    if settle:
        body += ["earlier=", _by_boot(settle, "earlier"), 'settle "${earlier:-0}"']
    body.append('begin "$until"')
    for (name, value, expected), parts in groupby(changes, lambda each: (each.setting, each.wanted, each.expected)):
        words = (known[name].function, name, value, "|".join(expected), *(each.part for each in parts))
        body.append(quote(["change", *words]))
    return _script(chosen, root, [*body, "say end"], sudo=sudo)


def _check(change: Change) -> None:
    """The last look before values become a shell's words: defects of ours end here."""
    setting = settings()[change.setting]
    values = (change.wanted, *change.expected)
    if not re.fullmatch(setting.parts, change.part) or not all(re.fullmatch(setting.values, each) for each in values):
        raise ValueError(f"not a value of {setting.name}: {change!r}")


def _by_boot(times: Mapping[str, int], name: str) -> str:
    cases = " ".join(f"{boot}) {name}={time:d} ;;" for boot, time in sorted(times.items()) if _BOOT.fullmatch(boot))
    return f'case "$(content /proc/sys/kernel/random/boot_id)" in {cases} none) ;; esac'


def _script(chosen: Sequence[Setting], root: str, body: Sequence[str], *, sudo: bool) -> str:
    # All that acts is in a function that the last line calls: of a script that comes in part, nothing runs.
    parts = [
        f"ROOT={quote([root])}" if root else "ROOT=",
        PRELUDE.strip(),
        _CHANGING.strip(),
        *(setting.script.strip() for setting in chosen),
        "main() {",
        "trap 'stopped=1' HUP INT TERM",
        *body,
        "}",
        "main </dev/null",
    ]
    text = "\n".join(parts) + "\n"
    if not sudo:
        return text
    words = f"{PREFIX} refused sudo asks for a password, or is not there"
    asked = f"sudo -n sh -c : </dev/null 2>/dev/null || {{ echo {quote([words])}; exit 0; }}"
    return f"{asked}\nexec {quote(['sudo', '-n', 'sh', '-c', text])}\n"
