# title: links of this node's HCAs in depth: bit errors, cables, advice
# needs: mlxlink
# about: hca
# timeout: 120
# when: asked
# root: needed
# One call takes seconds, so it runs only when it is asked for. The output does not name the device; the line before does.
for device in "$ROOT"/sys/class/infiniband/*; do
  [ -d "$device" ] || continue
  name=${device##*/}
  echo "mlxlink -d $name -c -m"
  mlxlink -d "$name" -c -m 2>&1
done
exit 0
