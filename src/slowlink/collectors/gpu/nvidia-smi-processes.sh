# title: processes on GPUs and how busy they keep them
# needs: nvidia-smi
# about: nvidia-gpu
# timeout: 20
# when: sampled
# pmon prints names without arguments. Where it is not supported the list of compute processes is asked for, and what
# stands behind a program's name is cut off: arguments may hold secrets.
nvidia-smi pmon -c 1 -s um 2>/dev/null && exit 0
answer=$(nvidia-smi --query-compute-apps=gpu_bus_id,pid,used_gpu_memory,process_name --format=csv 2>&1)
status=$?
printf '%s\n' "$answer" | sed 's/^\([^,]*, [0-9][^,]*, [^,]*, [^ ]*\) .*$/\1/'
[ "$status" -eq 0 ] || printf '%s\n' "$answer" | tail -n 1 >&2
case $status in 2 | 3 | 4) exit 77 ;; esac # this version, these GPUs or this user cannot
exit "$status"
