# title: GPUs of Moore Threads: versions, load, processes, PCIe links
# needs: mthreads-gmi
# about: mthreads-gpu
# timeout: 30
# when: sampled
# Sampled, because load and clocks say something only together with what else runs.
mthreads-gmi 2>&1
status=$?
mthreads-gmi -q -j 2>/dev/null
exit "$status"
