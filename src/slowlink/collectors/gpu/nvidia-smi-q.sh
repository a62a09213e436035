# title: everything that nvidia-smi tells of each GPU
# needs: nvidia-smi
# timeout: 60
# when: sampled
# Sampled, because clocks and PCIe speed are low while a GPU idles, and error counters say something by growth only.
# Names of processes are cut off behind the program: arguments may hold secrets.
answer=$(nvidia-smi -q 2>&1)
status=$?
printf '%s\n' "$answer" | sed 's/^\( *Name  *: *[^ ]*\) .*$/\1/'
exit $status
