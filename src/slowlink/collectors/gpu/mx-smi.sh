# title: GPUs of MetaX: versions, load, processes, and how they are joined
# needs: mx-smi
# timeout: 60
# when: sampled
# Sampled, because load and clocks say something only together with what else runs.
mx-smi 2>&1
status=$?
[ "$status" -eq 0 ] || exit "$status"
printf '# mx-smi topo -n\n'
mx-smi topo -n 2>/dev/null || mx-smi topo -m 2>/dev/null
exit 0
