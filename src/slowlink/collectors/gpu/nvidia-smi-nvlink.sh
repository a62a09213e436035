# title: state and error counters of NVLinks
# needs: nvidia-smi
# about: nvidia-gpu
# timeout: 20
# when: sampled
# Sampled, because only the growth of error counters says something, and links come up some seconds after boot.
for option in -s -e; do
  answer=$(nvidia-smi nvlink $option 2>&1)
  status=$?
  printf '%s\n' "$answer"
  [ "$status" -eq 0 ] && continue
  printf '%s\n' "$answer" | tail -n 1 >&2
  case $status in 2 | 3 | 4) exit 77 ;; esac # this version, these GPUs or this user cannot
  exit "$status"
done
