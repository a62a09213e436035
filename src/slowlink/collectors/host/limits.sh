# title: limits of locked memory and open files, size of /dev/shm
# timeout: 20
# when: always
# These are the limits of the session that asks; a job's launcher may give others, of which the configuration tells.
grep -HsE '^Max (locked memory|open files)' "$ROOT"/proc/self/limits
grep -hsE '^[^#]*[[:space:]]memlock[[:space:]]' "$ROOT"/etc/security/limits.conf "$ROOT"/etc/security/limits.d/*.conf
if [ -d "$ROOT"/dev/shm ]; then
  LC_ALL=C df -kP "$ROOT"/dev/shm
fi
exit 0
