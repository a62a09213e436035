# title: memory: errors that its controller counted, huge pages, and its modules
# timeout: 20
# when: always
# root: better
grep -Hs . "$ROOT"/proc/sys/vm/nr_hugepages "$ROOT"/sys/devices/system/edac/mc/mc*/ce_count \
  "$ROOT"/sys/devices/system/edac/mc/mc*/ue_count
PATH="$PATH:/sbin:/usr/sbin"
if [ "$(id -u)" = 0 ] && command -v dmidecode >/dev/null 2>&1; then
  LC_ALL=C dmidecode -t 17 2>/dev/null | grep -vE 'Serial Number|Asset Tag'
fi
exit 0
