# title: error counters of every port of the InfiniBand fabric, for the second time
# needs: ibqueryerrors
# timeout: 120
# when: fabric
# root: needed
# As fabric-errors, some seconds later: what grew meanwhile is a fault, what stands may be years old. The status is 1
# when there are errors, and 0 when nobody answered: what was checked stands in the summary.
sleep 5
answer=$(ibqueryerrors --threshold-file /dev/null -s PortXmitWait,PortRcvSwitchRelayErrors 2>&1)
printf '%s\n' "$answer"
case $answer in
*"## Summary"*) exit 0 ;;
*"ermission denied"* | *"ailed to open"* | *"can't open"*) why=77 ;;
*) why=1 ;;
esac
printf '%s\n' "$answer" | tail -n 1 >&2
exit "$why"
