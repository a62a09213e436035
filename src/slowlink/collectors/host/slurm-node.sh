# title: what Slurm says of this node
# needs: scontrol
# timeout: 12
# when: always
name=${SLURMD_NODENAME:-$(hostname -s 2>/dev/null)}
said=$(LC_ALL=C scontrol show node "$name" 2>&1) || {
  printf '%s\n' "$said" | head -n 1 >&2
  exit 77
}
case $said in *NodeName=*) printf '%s\n' "$said" ;; *) echo "Slurm does not know this node" >&2; exit 77 ;; esac
exit 0
