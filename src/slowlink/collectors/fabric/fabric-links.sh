# title: every port of the InfiniBand fabric and the link it has
# needs: iblinkinfo
# timeout: 120
# when: fabric
# root: needed
# One sweep of the fabric; switches and adapters, linked or not, with what both ends support.
answer=$(iblinkinfo 2>&1)
status=$?
case $answer in
*"==("*) printf '%s\n' "$answer" && exit 0 ;;
esac
printf '%s\n' "$answer" >&2
case $answer in
*"ermission denied"* | *"ailed to open"* | *"can't open"*) exit 77 ;;
esac
[ "$status" -eq 0 ] && status=1
exit "$status"
