# lib.sh - settings and small helpers shared by build, up, down, env, fault and reverse.
# Sourced, never run.
#
# Settings (environment):
#   SANDGLASS_CLUSTER_CACHE  built programs           (default ~/.cache/sandglass-cluster)
#   SANDGLASS_CLUSTER_DIR    one running cluster      (default ${TMPDIR:-/tmp}/sandglass-cluster)
#   SANDGLASS_CLUSTER_PORT   API server port on loopback (default: a free one)

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${SANDGLASS_CLUSTER_CACHE:-$HOME/.cache/sandglass-cluster}
DIR=${SANDGLASS_CLUSTER_DIR:-${TMPDIR:-/tmp}/sandglass-cluster}
BIN=$CACHE/bin

KUBE_VERSION=$(sed -n 's/^require k8s.io\/kubernetes \(v[^ ]*\).*/\1/p' "$HERE/modules/k8s/go.mod")

say() { printf '%s\n' "cluster: $*" >&2; }
die() { printf '%s\n' "cluster: $*" >&2; exit 1; }
# quote WORD: as a shell would have to read it.
quote() { printf '%q' "$1"; }
need() { command -v "$1" >/dev/null 2>&1 || die "$1 is missing (Debian package: $2)"; }

# free_ports N: prints N free loopback TCP ports, one a line.
free_ports() {
  node -e '
    const net = require("node:net"), n = +process.argv[1];
    const open = Array.from({ length: n }, () => new Promise((ok, no) => {
      const s = net.createServer().on("error", no).listen(0, "127.0.0.1", () => ok(s));
    }));
    Promise.all(open).then((all) => { for (const s of all) { process.stdout.write(`${s.address().port}\n`); s.close(); } });
  ' "$1"
}

# start_time PID: the process's start time in ticks; with the pid it names one process for good.
start_time() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# running NAME: true while the recorded process is the one we started and has not ended.
running() {
  local pid ticks
  [ -f "$DIR/pids/$1" ] || return 1
  read -r pid ticks < "$DIR/pids/$1" || return 1
  [ -n "$ticks" ] && [ "$(start_time "$pid")" = "$ticks" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null
}

# stop NAME [SIGNAL]: end one recorded process, by force after ten seconds. It may end by itself between
# the look and the signal: that is no failure (callers run under `set -e`). One whose launch was
# interrupted has a name before it has a pid: it is about to write it.
stop() {
  local pid
  [ ! -e "$DIR/pids/$1" ] || wait_for 10 "$1" test -s "$DIR/pids/$1" || true
  if running "$1"; then
    read -r pid _ < "$DIR/pids/$1"
    kill "-${2:-TERM}" "$pid" 2>/dev/null || true
    for _ in $(seq 100); do running "$1" || break; sleep 0.1; done
    ! running "$1" || kill -KILL "$pid" 2>/dev/null || true
  fi
  rm -f "$DIR/pids/$1"
}

# launch NAME COMMAND...: run in the background, log to DIR/log/NAME.log. The process writes its own
# pid and start time before it becomes the command, so that whatever happens to us, down finds it
# and ends that one and no other. Its name is there before it is.
launch() {
  local name=$1; shift
  : > "$DIR/pids/$name"
  setsid bash -c '. "$1"; file=$2 pid=$$; shift 2
    printf "%s %s\n" "$pid" "$(start_time "$pid")" > "$file"
    exec "$@"' launch "$HERE/lib.sh" "$DIR/pids/$name" "$@" >>"$DIR/log/$name.log" 2>&1 </dev/null &
  disown $! 2>/dev/null || true
  wait_for 30 "$name" test -s "$DIR/pids/$name"
}

# wait_for SECONDS WHAT COMMAND...: poll until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || { say "$what did not come up; see $DIR/log/"; return 1; }
    sleep 0.1
  done
}
