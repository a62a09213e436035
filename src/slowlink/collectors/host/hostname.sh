# title: name, boot and clock of the node
# timeout: 5
# when: always
# The name that the node itself uses, which boot this is, and for how long it has been up.
grep -Hs . "$ROOT"/proc/sys/kernel/hostname "$ROOT"/proc/sys/kernel/random/boot_id "$ROOT"/proc/uptime
exit 0
