# writes files of 256 MiB to DISK_DIR (/var/tmp) and to the disk below it: one stream, or as many as you say (disk:2)
WORKERS=${AMOUNT:-1}
DISK_DIR=${DISK_DIR:-/var/tmp}
disk_file() { echo "$DISK_DIR/slowlink-load-$$-$1"; }
load_check() {
    command -v dd >/dev/null || { echo "there is no dd"; return 1; }
    [ -w "$DISK_DIR" ] || { echo "$DISK_DIR cannot be written"; return 1; }
    free=$(df -Pk "$DISK_DIR" 2>/dev/null | awk 'NR == 2 { print $4 }')
    [ "${free:-0}" -gt $((WORKERS * 262144 + 1048576)) ] || { echo "too little space in $DISK_DIR"; return 1; }
}
load_clean() {
    number=0
    while [ "$number" -lt "$WORKERS" ]; do
        number=$((number + 1))
        rm -f "$(disk_file "$number")"
    done
}
load() { exec dd if=/dev/zero of="$(disk_file "$1")" bs=1048576 count=256 conv=fsync 2>/dev/null; }
