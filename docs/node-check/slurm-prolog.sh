#!/bin/sh
# Prolog of slurm.conf: a job starts on a node only when slowlink finds nothing wrong with it. A node that fails is
# drained with the reason, and Slurm queues the job again.
slowlink=/opt/slowlink/bin/slowlink
policy=/etc/slowlink/policy.toml

said=$("$slowlink" node-check --policy "$policy" 2>/dev/null)
# Only what was found keeps a job away: a check that cannot tell, or cannot start, must not empty a cluster.
case $?:$said in
1:*" not ok: "*) ;;
*) exit 0 ;;
esac
scontrol update nodename="$SLURMD_NODENAME" state=drain reason="slowlink: $said"
exit 1
