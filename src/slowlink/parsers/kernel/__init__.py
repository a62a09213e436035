"""The kernel log, its drivers, and files of /sys and /proc."""
