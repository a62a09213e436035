# title: GPUs of MetaX: versions, load, processes, and how they are joined
# needs: mx-smi
# about: metax-gpu
# timeout: 30
# when: sampled
# Sampled, because load and clocks say something only together with what else runs.
answer=$(mx-smi 2>&1)
status=$?
printf '%s\n' "$answer"
if [ "$status" -ne 0 ]; then
  printf '%s\n' "$answer" | tail -n 1 >&2
  exit "$status"
fi
printf '# mx-smi topo -n\n'
mx-smi topo -n 2>/dev/null || mx-smi topo -m 2>/dev/null
exit 0
