# title: kernel parameters that bear on collectives
# timeout: 5
# when: always
# Only parameters with these names: others may hold what is private.
set -f
[ -r "$ROOT"/proc/cmdline ] || { echo "cannot read /proc/cmdline" >&2; exit 77; }
line=
# shellcheck disable=SC2013
for word in $(cat "$ROOT"/proc/cmdline); do
  case ${word%%=*} in
  iommu | intel_iommu | amd_iommu | iommu.passthrough | iommu.strict | intremap) ;;
  pci | pcie_acs_override | pcie_aspm | pcie_ports | processor.max_cstate | intel_idle.max_cstate | idle) ;;
  intel_pstate | amd_pstate | cpufreq.default_governor | numa_balancing | numa | nohz | nohz_full | isolcpus) ;;
  rcu_nocbs | nosmt | mitigations | transparent_hugepage | default_hugepagesz | hugepagesz | hugepages) ;;
  tsc | clocksource | maxcpus | nmi_watchdog | audit | init_on_alloc | skew_tick) ;;
  *) continue ;;
  esac
  line="$line $word"
done
printf '%s/proc/cmdline:%s\n' "$ROOT" "${line# }"
