# title: how GPUs, network adapters and CPUs are joined, and which GPUs may read each other's memory
# needs: nvidia-smi
# timeout: 60
# when: always
# The kinds of peer-to-peer: read, write, NVLink, atomics, PCIe. Old drivers know fewer; what they refuse is left out.
nvidia-smi topo -m 2>&1
status=$?
[ "$status" -eq 0 ] || exit "$status"
for kind in r w n a p; do
  answer=$(nvidia-smi topo -p2p "$kind" 2>/dev/null) || continue
  printf '# nvidia-smi topo -p2p %s\n%s\n' "$kind" "$answer"
done
exit 0
