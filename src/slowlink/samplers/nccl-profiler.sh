# Switches the profiler of a running job on by NCCL's RAS (2.31 and newer), and off again: when its input ends, after LONGEST
# seconds, or when it is ended itself, whichever comes first.
# Set before: ADDRESSES (of RAS; empty: those that named() finds), ON and OFF (masks), LONGEST (seconds), and named().
exec 3<&0

# Sends one command to an address, from the address that it connects to: where that fails it is another node's. Says what
# was answered, "absent" or "foreign" where nothing was sent, and "no answer" where nobody can know what came of it.
say() {
  python3 -IS - "$1" "$2" 2>/dev/null <<'END' || echo 'no answer'
import signal
import socket
import sys

signal.alarm(12) # whatever comes meanwhile, byte after byte
address, mask = sys.argv[1:]
host, _, port = address.rpartition(":")
try:
    family, kind, protocol, _, place = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[-1]
    asking = socket.socket(family, kind, protocol)
    asking.settimeout(5)
    asking.bind((place[0], 0, *place[2:]))
    asking.connect(place)
    asking.sendall(b"CLIENT PROTOCOL 2\n")
    answer = asking.makefile("r", encoding="ascii", errors="replace")
    if not answer.readline(200).startswith("SERVER PROTOCOL "):
        sys.exit(print("foreign: what listens there does not speak RAS"))
except ConnectionRefusedError:
    sys.exit(print("absent: nothing listens there"))
except (OSError, ValueError):
    sys.exit(print("absent: it is not reached from this node"))
asking.sendall(b"CONTROL PROFILER_MASK %s\n" % mask.encode())
print("".join(each for each in answer.readline(200).strip() if each.isprintable()) or "no answer")
END
}

# Until its input, which is ours, ends. Not by timeout(1), which not every image has.
wait_there() {
  exec python3 -IS -c '
import os, select, sys, time
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until:
    if select.select([3], [], [], max(0, until - time.monotonic()))[0] and not os.read(3, 4096):
        break
' "$LONGEST" >/dev/null 2>&1
}

# Ends what is waited for. A signal that meets it between its fork and its program is lost: once more, a second later.
stop() {
  [ -n "$waits" ] || return 0
  kill "$waits" 2>/dev/null
  { sleep 1 && kill "$waits"; } 3<&- >/dev/null 2>&1 &
}

work() {
  # A signal that comes before the wait would be forgotten by then.
  ended= waits= works=
  trap 'ended=yes; stop' HUP INT TERM
  found=${ADDRESSES:-$(named 2>/dev/null)}
  set -f # an address is anybody's, and no pattern
  found=$(printf '%s\n' $found | grep -xE '[][A-Za-z0-9_.:%-]{1,200}:[0-9]{1,5}' | sort -u | head -n 6)
  for address in $found; do
    echo "slowlink-profiler begins $address mask $ON"
    said=$(say "$address" "$ON")
    # It may be on although no answer came back: then it is switched off below.
    if [ -n "$ended" ] || [ "$said" = 'no answer' ]; then
      return
    fi
    if [ "$said" = OK ]; then
      works=$address
      break
    fi
    echo "slowlink-profiler refused $address $said"
  done
  [ -n "$works" ] || return
  echo "slowlink-profiler ready"
  wait_there &
  waits=$!
  [ -z "$ended" ] || stop
  wait "$waits"
  kill "$waits" 2>/dev/null
  say "$works" "$OFF" >/dev/null
}

# Switches off what the one above began. It outlives that, and no signal that can be ignored ends it.
guard() {
  trap '' HUP INT TERM PIPE
  begun=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
    'slowlink-profiler begins '*)
      begun=${line#slowlink-profiler begins }
      begun=${begun%% *}
      ;;
    'slowlink-profiler refused '*) begun= ;;
    esac
  done
  [ -n "$begun" ] || exit 1
  for try in 1 2 3; do
    said=$(say "$begun" "$OFF")
    [ "$said" = OK ] && break
    sleep 1
  done
  printf 'slowlink-profiler off %s mask %s: %s\n' "$begun" "$OFF" "$said"
  exit 0
}
work | guard
