# title: what the kernel does with memory on its own
# timeout: 5
# when: always
grep -Hs . "$ROOT"/proc/sys/kernel/numa_balancing "$ROOT"/proc/sys/vm/zone_reclaim_mode \
  "$ROOT"/sys/kernel/mm/transparent_hugepage/enabled
exit 0
