"""What the shell fragments of all settings stand on. POSIX sh; it is read from standard input, so only defines."""

from __future__ import annotations

from slowlink.bounded import limit_line

PREFIX = "slowlink-prepare"
"""First word of every line that is meant for us: login scripts print, too."""

PRELUDE = r"""
LC_ALL=C; export LC_ALL
umask 022
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
@LIMIT@
stopped=
say() { printf 'slowlink-prepare %s\n' "$*"; }
item() { say item "$@"; }
none() { say none "$@"; }
has() { command -v "$1" >/dev/null 2>&1; }
is_root() { [ "$(id -u)" = 0 ]; }
# A program that hangs (a dead GPU) costs its time only; it does not inherit the lock.
bounded() { $limit "$@" </dev/null 9<&-; }
first_line() { printf '%s' "$1" | tr -d '\r' | sed -n '1{s/^\(.\{0,160\}\).*/\1/;p;}'; }
# Nothing is written through a symbolic link below ROOT: it may lead out of it.
below_root() {
  path=$ROOT rest=${1#"$ROOT"/}
  while [ -n "$rest" ]; do
    path=$path/${rest%%/*}
    [ ! -L "$path" ] || { echo "$path is a symbolic link, not written" >&2; return 1; }
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
  done
}
put() { below_root "$1" && printf '%s\n' "$2" >"$1"; }
content() { value=; [ -r "$1" ] && read -r value <"$1"; printf '%s' "$value"; }
# One line for each GPU: its PCI address and the fields asked for, with the setting's name before it.
gpu_fields() {
  name=$1 fields=$2
  has nvidia-smi || { none "$name" no nvidia-smi here; return 1; }
  lines=$(bounded nvidia-smi ${3:+-i "$3"} "--query-gpu=pci.bus_id,$fields" --format=csv,noheader,nounits 2>&1) || {
    none "$name" "nvidia-smi: $(first_line "$lines")"; return 1
  }
  case $lines in *:*:*) ;; *) none "$name" "nvidia-smi: $(first_line "$lines")"; return 1 ;; esac
}
""".replace("@LIMIT@", limit_line(30))
