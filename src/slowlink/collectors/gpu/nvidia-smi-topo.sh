# title: how GPUs, network adapters and CPUs are joined, and which GPUs may read each other's memory
# needs: nvidia-smi
# about: nvidia-gpu
# timeout: 20
# when: always
# The kinds of peer-to-peer: read, write, NVLink, atomics, PCIe. Old drivers know fewer; what they refuse is left out.
answer=$(nvidia-smi topo -m 2>&1)
status=$?
printf '%s\n' "$answer"
if [ "$status" -ne 0 ]; then
  printf '%s\n' "$answer" | tail -n 1 >&2
  case $status in 2 | 3 | 4) exit 77 ;; esac # this version, these GPUs or this user cannot
  exit "$status"
fi
for kind in r w n a p; do
  answer=$(nvidia-smi topo -p2p "$kind" 2>/dev/null) || continue
  printf '# nvidia-smi topo -p2p %s\n%s\n' "$kind" "$answer"
done
exit 0
