# title: GPUs of AMD: versions, load, memory errors, processes, and how they are joined
# needs: amd-smi|rocm-smi
# about: amd-gpu
# timeout: 100
# when: sampled
# amd-smi where it is there, because rocm-smi is no longer kept up. Names of processes only: neither prints arguments.
if command -v amd-smi >/dev/null 2>&1; then
  amd-smi version 2>/dev/null
  answer=$(amd-smi static 2>&1)
  status=$?
  printf '%s\n' "$answer"
  if [ "$status" -ne 0 ]; then
    printf '%s\n' "$answer" | tail -n 1 >&2
    exit "$status"
  fi
  for part in metric topology process; do
    printf '# amd-smi %s\n' "$part"
    amd-smi "$part" 2>/dev/null
  done
  printf '# amd-smi xgmi --link-status\n'
  amd-smi xgmi --link-status 2>/dev/null
  exit 0
fi
answer=$(rocm-smi 2>&1)
status=$?
printf '%s\n' "$answer"
if [ "$status" -ne 0 ]; then
  printf '%s\n' "$answer" | tail -n 1 >&2
  exit "$status"
fi
rocm-smi --showdriverversion --showproductname --showbus --showmeminfo vram --showperflevel 2>/dev/null
rocm-smi --showxgmierr 2>/dev/null
rocm-smi --showtopo 2>/dev/null
rocm-smi --showpids 2>/dev/null
exit 0
