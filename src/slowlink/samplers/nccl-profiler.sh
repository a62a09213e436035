# Switches the profiler of a running job on by NCCL's RAS (2.31 and newer), and off again: when its input ends, after LONGEST
# seconds, or when it is ended itself, whichever comes first.
# Set before: HOST, PORT, ON and OFF (masks), LONGEST (seconds).
exec 3<&0
limit=
timeout 5 true 2>/dev/null && limit="timeout $LONGEST"

# Sends one command, from the address that it connects to: where that fails it is another node's.
say() {
  python3 -IS - "$HOST" "$PORT" "$1" 2>/dev/null <<'END' || echo 'no answer'
import signal
import socket
import sys

signal.alarm(12) # whatever comes meanwhile, byte after byte
host, port, mask = sys.argv[1:]
family, kind, protocol, _, place = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[-1]
asking = socket.socket(family, kind, protocol)
asking.settimeout(5)
asking.bind((place[0], 0, *place[2:]))
asking.connect(place)
asking.sendall(b"CLIENT PROTOCOL 2\nCONTROL PROFILER_MASK %s\n" % mask.encode())
answer = asking.makefile("r", encoding="ascii", errors="replace")
said = [answer.readline(200).strip() for _ in range(2)]
print("".join(each for each in said[1] if each.isprintable()) or "no answer")
END
}

# Ends what is waited for. A signal that meets it between its fork and its program is lost: once more, a second later.
stop() {
  [ -n "$waits" ] || return 0
  kill "$waits" 2>/dev/null
  { sleep 1 && kill "$waits"; } 3<&- >/dev/null 2>&1 &
}

work() {
  # A signal that comes before the wait would be forgotten by then.
  ended= waits=
  trap 'ended=yes; stop' HUP INT TERM
  echo "slowlink-profiler begins $HOST:$PORT mask $ON"
  said=$(say "$ON")
  if [ -n "$ended" ]; then
    return # it may be on although no answer came back
  fi
  if [ "$said" != OK ]; then
    echo "slowlink-profiler refused $HOST:$PORT $said"
    return
  fi
  echo "slowlink-profiler ready"
  $limit cat <&3 >/dev/null 2>&1 &
  waits=$!
  [ -z "$ended" ] || stop
  wait "$waits"
  kill "$waits" 2>/dev/null
  say "$OFF" >/dev/null
}

# It outlives the one above, and no signal that can be ignored ends it.
guard() {
  trap '' HUP INT TERM PIPE
  begun=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
    'slowlink-profiler begins '*) begun=yes ;;
    'slowlink-profiler refused '*) begun= ;;
    esac
  done
  [ -n "$begun" ] || exit 1
  for try in 1 2 3; do
    said=$(say "$OFF")
    [ "$said" = OK ] && break
    sleep 1
  done
  printf 'slowlink-profiler off %s:%s mask %s: %s\n' "$HOST" "$PORT" "$OFF" "$said"
  exit 0
}
work | guard
