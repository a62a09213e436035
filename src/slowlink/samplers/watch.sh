# Samples a node while a benchmark runs: who else uses its CPUs and GPUs, and the counters of its ports.
# Set before: INTERVAL (seconds), COUNTERS_EVERY (samples), RUN (SLOWLINK_RUN of our ranks), ROOT, LONGEST (seconds), OURS (names),
# STARTED_ON and STARTED_BY (host and pid of who started the run).
# One awk does all, so that a sample costs a few forks. It ends when nobody reads any more: the next write kills it.
# Names of processes only: their arguments and environments stay where they are.
export SLOWLINK_RUN="$RUN" LC_ALL=C
started=$(date +%s.%N 2>/dev/null)
case $started in '' | *[!0-9.]*) started=$(date +%s) ;; esac
gpus=
command -v nvidia-smi >/dev/null 2>&1 && gpus=nvidia-smi
[ "$(uname -n)" = "$STARTED_ON" ] && OURS="$OURS $STARTED_BY"
limit=
command -v timeout >/dev/null 2>&1 && limit='timeout 10 '
exec awk -v interval="$INTERVAL" -v every="$COUNTERS_EVERY" -v run="$RUN" -v root="$ROOT" -v longest="$LONGEST" \
    -v started="$started" -v hz="$(getconf CLK_TCK 2>/dev/null || echo 100)" -v gpus="$gpus" -v limit="$limit" \
    -v names="$OURS" '
# Seconds since the machine started: a file, where date would be one more process.
function uptime(    line, parts) {
    getline line < "/proc/uptime"
    close("/proc/uptime")
    split(line, parts, " ")
    return parts[1] + 0
}
function first_line(file,    line) {
    line = ""
    getline line < file
    close(file)
    return line
}
# Is this process one of the run, or of this script? Asked once for each process.
function is_ours(pid, born,    key) {
    key = pid " " born
    if (!(key in ours)) {
        ours[key] = system("grep -qsa SLOWLINK_RUN=" run " " root "/proc/" pid "/environ") == 0
    }
    return ours[key]
}
function cpus(    line, parts, count, total, i) {
    line = first_line(root "/proc/stat")
    count = split(line, parts, " ")
    total = 0
    for (i = 2; i <= count && i <= 9; i++) total += parts[i]
    cpu_all = total
    cpu_idle = parts[5] + parts[6]
}
# Processor time of every process since the sample before.
function processes(seconds, told,    pid, line, open, shut, name, parts, used, born, key, share, list) {
    list = "ls " root "/proc"
    while ((list | getline pid) > 0) {
        # Threads of the kernel are most of what a large node has, and no work of anybody; asked again now and then.
        if (pid !~ /^[0-9]+$/ || ((pid in kernel) && n % 60)) continue
        line = first_line(root "/proc/" pid "/stat")
        open = index(line, "(")
        if (!open) continue
        shut = open
        while (match(substr(line, shut + 1), /\)/)) shut += RSTART
        name = substr(line, open + 1, shut - open - 1)
        split(substr(line, shut + 2), parts, " ")
        delete kernel[pid]
        # PF_KTHREAD of the flags (include/linux/sched.h).
        if (int(parts[7] / 2097152) % 2) {
            kernel[pid]
            continue
        }
        used = parts[12] + parts[13]
        born = parts[20]
        key = pid " " born
        # A process that was not there before has begun since: all of its time is of this sample.
        if (seconds > 0) {
            share = 100 * (used - before[key]) / hz / seconds
            if (share >= 5) {
                if (name in named || pid in named || is_ours(pid, born)) own += share
                else if (told) {
                    gsub(/[^A-Za-z0-9_.:+\/-]/, "_", name)
                    printf "process %s %s %.1f %% cpu\n", pid, name, share
                }
            }
        }
        before[key] = used
    }
    close(list)
}
function counters(    file, list) {
    list = "ls -d " root "/sys/class/infiniband/*/ports/*/counters/* " root "/sys/class/infiniband/*/ports/*/hw_counters/* " \
        root "/sys/class/net/*/statistics/[rt]x_bytes " root "/sys/class/net/*/statistics/[rt]x_errors " \
        root "/sys/class/net/*/statistics/[rt]x_dropped " root "/sys/class/net/*/carrier_changes 2>/dev/null"
    while ((list | getline file) > 0) print file ":" first_line(file)
    close(list)
}
function graphics(    command, line, parts, head, pid) {
    command = limit "nvidia-smi --format=csv --query-gpu=index,utilization.gpu,clocks.sm,power.draw,temperature.gpu," \
        "clocks_throttle_reasons.hw_slowdown,clocks_throttle_reasons.hw_thermal_slowdown 2>/dev/null"
    while ((command | getline line) > 0) print line
    close(command)
    command = limit "nvidia-smi --format=csv --query-compute-apps=gpu_uuid,pid,process_name,used_memory 2>/dev/null"
    head = ""
    while ((command | getline line) > 0) {
        if (head == "") {
            head = line
            continue
        }
        split(line, parts, ", ")
        pid = parts[2]
        if (pid ~ /^[0-9]+$/ && !is_ours(pid, "gpu")) {
            if (head != "told") print head
            head = "told"
            # Some drivers put the arguments behind the name, and secrets stand in arguments.
            sub(/ .*/, "", parts[3])
            print parts[1] ", " pid ", " parts[3] ", " parts[4]
        }
    }
    close(command)
}
BEGIN {
    "nproc" | getline cores
    close("nproc")
    count = split(names, list, " ")
    for (n = 1; n <= count; n++) named[list[n]]
    zero = last = uptime()
    cpus()
    all_before = cpu_all
    idle_before = cpu_idle
    processes(0, 0)
    for (n = 0; ; n++) {
        now = uptime()
        printf "slowlink-sample %.2f every %s s\n", started + now - zero, interval
        own = 0
        if (n) {
            processes(now - last, 1)
            cpus()
            if (cpu_all > all_before) {
                busy = 100 * (1 - (cpu_idle - idle_before) / (cpu_all - all_before))
                printf "cpu %.1f %% of %d cores busy, %.1f %% of one core by this run\n", busy, cores, own
            }
            all_before = cpu_all
            idle_before = cpu_idle
        }
        if (n % every == 0) counters()
        if (gpus) graphics()
        fflush()
        last = now
        if (now - zero > longest) exit
        if (system("sleep " interval)) exit
    }
}'
