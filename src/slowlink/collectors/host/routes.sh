# title: through which interface everything goes that has no route of its own
# needs: ip
# timeout: 5
# when: always
[ -z "$ROOT" ] || { echo "it would be asked of the container, not of the host" >&2; exit 77; }
ip -4 route show default 2>/dev/null
ip -6 route show default 2>/dev/null
exit 0
