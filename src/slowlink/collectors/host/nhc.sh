# title: Node Health Check: the site's own checks, without taking the node out
# needs: nhc
# timeout: 300
# when: asked
# root: better
# Only when asked for: what it does is written in /etc/nhc/nhc.conf, and may load the node. It marks nothing offline and
# writes no log. Its status tells failing checks, which is an answer.
answer=$(nhc -a -v MARK_OFFLINE=0 LOGFILE=- 2>&1)
status=$?
printf '%s\n' "$answer" | grep -iE 'health check'
found=$?
[ "$found" -eq 0 ] && exit 0
printf '%s\n' "$answer" | tail -n 1 >&2
[ "$status" -eq 0 ] && echo "Node Health Check completed successfully" && exit 0
exit "$status"
