# title: GPUs of AMD: versions, load, memory errors, processes, and how they are joined
# needs: amd-smi|rocm-smi
# timeout: 120
# when: sampled
# amd-smi where it is there, because rocm-smi is no longer kept up. Names of processes only: neither prints arguments.
if command -v amd-smi >/dev/null 2>&1; then
  amd-smi version 2>/dev/null
  amd-smi static 2>&1
  status=$?
  [ "$status" -eq 0 ] || exit "$status"
  for part in metric topology process; do
    printf '# amd-smi %s\n' "$part"
    amd-smi "$part" 2>/dev/null
  done
  printf '# amd-smi xgmi --link-status\n'
  amd-smi xgmi --link-status 2>/dev/null
  exit 0
fi
rocm-smi 2>&1
status=$?
[ "$status" -eq 0 ] || exit "$status"
rocm-smi --showdriverversion --showproductname --showbus --showmeminfo vram --showperflevel 2>/dev/null
rocm-smi --showxgmierr 2>/dev/null
rocm-smi --showtopo 2>/dev/null
rocm-smi --showpids 2>/dev/null
exit 0
