# title: services that failed
# needs: systemctl
# timeout: 10
# when: always
[ -z "$ROOT" ] || { echo "it would be asked of the container, not of the host" >&2; exit 77; }
found=$(LC_ALL=C systemctl list-units --type=service --state=failed --plain --no-legend --no-pager 2>&1) || {
  printf '%s\n' "$found" | head -n 1 >&2
  exit 77
}
[ -z "$found" ] || printf '%s\n' "$found"
exit 0
