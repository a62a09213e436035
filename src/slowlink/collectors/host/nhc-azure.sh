# title: Azure's Node Health Checks (azurehpc-health-checks): they load GPUs and HCAs for some minutes
# timeout: 1200
# when: asked
# root: needed
# Only when asked for. Its own script finds the checks for the virtual machine that this is; it writes health.log beside
# itself, as whenever it is run. Its status tells failing checks, which is an answer.
place=
for directory in /opt/azurehpc/test/azurehpc-health-checks /opt/azurehpc-health-checks "$HOME/azurehpc-health-checks"; do
    [ -x "$ROOT$directory/run-health-checks.sh" ] && place=$ROOT$directory && break
done
[ -n "$place" ] || exit 77
cd "$place" || exit 1
answer=$(./run-health-checks.sh </dev/null 2>&1)
status=$?
[ -s health.log ] && [ -n "$(find health.log -mmin -20 2>/dev/null)" ] && answer=$(printf '%s\n' "$answer"; cat health.log)
printf '%s\n' "$answer" | grep -iE 'health check|^(ERROR|SUCCESS|WARNING)'
found=$?
[ "$found" -eq 0 ] && exit 0
printf '%s\n' "$answer" | tail -n 1 >&2
[ "$status" -eq 0 ] && echo "Node Health Check completed successfully" && exit 0
exit "$status"
