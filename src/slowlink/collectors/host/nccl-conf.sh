# title: settings of NCCL, RCCL and MCCL that every job on the node gets
# timeout: 5
# when: always
# The files that the libraries read by themselves; one that is not there sets nothing, which is told, too.
for file in "$ROOT/etc/nccl.conf" "$ROOT${HOME:-/root}/.nccl.conf"; do
  grep -HsE '^[[:space:]]*[NRM]CCL_[A-Z0-9_]+=' "$file" || printf '%s:#\n' "$file"
done
exit 0
