# title: does the clock of the node follow a server, and how far is it off
# needs: chronyc|timedatectl|ntpstat
# timeout: 5
# when: always
# Logs of nodes whose clocks differ tell another order of events; certificates and Kerberos fail.
if command -v chronyc >/dev/null 2>&1 && chronyc -n tracking 2>/dev/null; then exit 0; fi
if command -v timedatectl >/dev/null 2>&1 && LC_ALL=C timedatectl 2>/dev/null; then exit 0; fi
if command -v ntpstat >/dev/null 2>&1 && said=$(ntpstat 2>/dev/null); [ -n "${said:-}" ]; then
  printf '%s\n' "$said"
  exit 0
fi
echo "no service of the clock answers here" >&2
exit 77
