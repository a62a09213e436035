#!/bin/sh
# HealthCheckProgram of slurm.conf: drains a node that slowlink finds something wrong with, and resumes it when that is
# over. A node that somebody drained for another reason, or slowlink act by a report, stays as it is.
slowlink=/opt/slowlink/bin/slowlink
policy=/etc/slowlink/policy.toml

node=${SLURMD_NODENAME:-$(hostname -s)}
said=$("$slowlink" node-check --policy "$policy" 2>/dev/null)
status=$?
reason=$(scontrol --oneliner show node "$node" | sed -n 's/.* Reason=\(.*\) \[.*/\1/p')
# A slowlink that cannot start has found nothing.
case $status:$said in
1:*" not ok: "* | 0:*) ;;
*) exit 0 ;;
esac
case $status:$reason in
1:) scontrol update nodename="$node" state=drain reason="slowlink: $said" ;;
0:"slowlink: "*" not ok: "*) scontrol update nodename="$node" state=resume ;;
esac
