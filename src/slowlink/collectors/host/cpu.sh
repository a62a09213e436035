# title: CPUs: governors, frequency limits, idle states, layout
# needs: awk
# timeout: 30
# when: always
# A node has hundreds of CPUs that mostly agree: the most frequent governor is counted, and the CPUs that differ are
# named. Of other settings CPU 0 stands for all.
cpus="$ROOT"/sys/devices/system/cpu
governors=$(grep -Hs . "$cpus"/cpu[0-9]*/cpufreq/scaling_governor)
if [ -n "$governors" ]; then
  echo "# cat $cpus/cpu*/cpufreq/scaling_governor | sort | uniq -c"
  printf '%s\n' "$governors" | awk -F: '
    { value[NR] = $NF; line[NR] = $0; count[$NF]++ }
    END {
      for (each in count) if (count[each] > most) { most = count[each]; usual = each }
      printf "%7d %s\n", most, usual
      for (i = 1; i <= NR && shown < 64; i++) if (value[i] != usual) { print line[i]; shown++ }
    }'
fi
for file in scaling_driver scaling_max_freq cpuinfo_max_freq energy_performance_preference; do
  grep -Hs . "$cpus/cpu0/cpufreq/$file"
done
grep -Hs . "$cpus/cpufreq/boost" "$cpus/intel_pstate/no_turbo" "$cpus/cpuidle/current_driver" "$cpus/smt/active"
grep -Hs . "$cpus"/cpu0/cpuidle/state*/name "$cpus"/cpu0/cpuidle/state*/latency "$cpus"/cpu0/cpuidle/state*/disable
grep -Hs . "$cpus/online" "$ROOT"/sys/devices/system/node/online
command -v lscpu >/dev/null 2>&1 && [ -z "$ROOT" ] &&
  LC_ALL=C lscpu 2>/dev/null | grep -E '^ *(Model name|Socket\(s\)|Thread\(s\) per core):'
exit 0
