# title: everything that nvidia-smi tells of each GPU
# needs: nvidia-smi
# about: nvidia-gpu
# timeout: 25
# when: sampled
# Sampled, because clocks and PCIe speed are low while a GPU idles, and error counters say something by growth only.
# Names of processes are cut off behind the program: arguments may hold secrets.
answer=$(nvidia-smi -q 2>&1)
status=$?
printf '%s\n' "$answer" | sed 's/^\( *Name  *: *[^ ]*\) .*$/\1/'
[ "$status" -eq 0 ] || printf '%s\n' "$answer" | tail -n 1 >&2
exit "$status"
