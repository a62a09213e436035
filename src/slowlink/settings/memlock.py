"""The limit of locked memory for logins: RDMA locks what it registers."""

from __future__ import annotations

from slowlink.settings.interface import Setting

FILE = "/etc/security/limits.d/90-slowlink-memlock.conf"

# The file is ours alone, so its content says who made it. An interrupted write leaves a beginning of it.
_SCRIPT = r"""
memlock_file=$ROOT/etc/security/limits.d/90-slowlink-memlock.conf
memlock_text='# made by slowlink prepare; slowlink prepare --rollback removes it
* soft memlock unlimited
* hard memlock unlimited
root soft memlock unlimited
root hard memlock unlimited'
memlock_elsewhere() {
  for kind in soft hard; do
    cat "$ROOT/etc/security/limits.conf" "$ROOT"/etc/security/limits.d/*.conf 2>/dev/null |
      grep -Eq "^[[:blank:]]*[*][[:blank:]]+($kind|-)[[:blank:]]+memlock[[:blank:]]+(unlimited|infinity|-1)" || return 1
  done
}
memlock_read() {
  [ -d "${memlock_file%/*}" ] || { none memlock no /etc/security/limits.d here; return 0; }
  if [ -e "$memlock_file" ] || [ -L "$memlock_file" ]; then
    text=
    [ -f "$memlock_file" ] && [ ! -L "$memlock_file" ] && text=$(head -c 4096 "$memlock_file" 2>/dev/null)
    if [ "$text" = "$memlock_text" ]; then item memlock - set; return 0; fi
    case $memlock_text in "$text"*) item memlock - unfinished ;; *) item memlock - other ;; esac
  elif memlock_elsewhere; then item memlock - elsewhere
  else item memlock - absent
  fi
}
memlock_write() {
  case $2 in
    set) put "$memlock_file" "$memlock_text" ;;
    absent) below_root "$memlock_file" && rm -f "$memlock_file" ;;
    *) return 2 ;;
  esac
}
"""


def _command(_part: str, value: str) -> str:
    return f"rm {FILE}" if value == "absent" else f"write {FILE}: memlock unlimited, soft and hard, for * and root"


SETTING = Setting(
    name="memlock",
    title="locked memory for logins",
    order=80,
    parts="-",
    values="set|absent|elsewhere|unfinished|other",
    wanted="set",
    commands=_command,
    script=_SCRIPT,
    right=frozenset({"elsewhere"}),
    fixed={
        "unfinished": f"{FILE} was left half written: roll back what wrote it, or remove it",
        "other": f"{FILE} is there and not as we write it",
    },
    torn=frozenset({"unfinished"}),
)
