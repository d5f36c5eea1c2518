#!/bin/sh
# derive-expected.sh - what the recorded pages hold, read with grep and awk only, so that the parser is not its own judge.
# usage: ./derive-expected.sh > expected.tsv     (in this folder; columns are named in the first line)
set -eu
export LC_ALL=C
cd "$(dirname "$0")/fixtures"
printf 'page\tsamples\trunCalls\trunUpTo10or19\trunErrors\tstopErrors\tlistCalls\tcontainers\tperiods\tthrottled\tworkingSet\tpressure\n'
find . -name '*.txt.gz' | sed 's,^\./,,' | sort | while read -r page; do
  zcat "$page" | awk -v page="$page" '
    function label(line, key,   rest) {           # labels of these pages hold no escaped quotes after the key
      if (match(line, "[{,]" key "=\"[^\"]*\"") == 0) return ""
      rest = substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
      return rest
    }
    function value(line,   rest, part) { rest = line; sub(/^[^{ ]*(\{.*\})? */, "", rest); split(rest, part, " "); return part[1] }
    BEGIN { run = ten = runerr = stoperr = list = "-" }
    /^#/ || /^$/ { next }
    { samples++ }
    /^kubelet_runtime_operations_duration_seconds_bucket\{operation_type="run_podsandbox",le="\+Inf"\}/ { run = $NF }
    /^kubelet_runtime_operations_duration_seconds_bucket\{operation_type="run_podsandbox",le="(10|7\.62[^"]*|19\.07[^"]*)"\}/ { ten = $NF }
    /^kubelet_runtime_operations_duration_seconds_bucket\{operation_type="list_podsandbox",le="\+Inf"\}/ { list = $NF }
    /^kubelet_runtime_operations_errors_total\{operation_type="run_podsandbox"\}/ { runerr = $NF }
    /^kubelet_runtime_operations_errors_total\{operation_type="stop_podsandbox"\}/ { stoperr = $NF }
    /^container_pressure_/ { pressure = 1 }
    /^container_(cpu_cfs_periods_total|cpu_cfs_throttled_periods_total|memory_working_set_bytes|cpu_usage_seconds_total|start_time_seconds|oom_events_total|memory_max_usage_bytes|pressure_cpu_waiting_seconds_total)\{/ {
      c = label($0, "container"); if (c == "") c = label($0, "container_name")
      p = label($0, "pod"); if (p == "") p = label($0, "pod_name")
      n = label($0, "namespace")
      if (c == "" || c == "POD" || p == "" || n == "") next
      if (!((n, p, c, label($0, "id")) in seen)) { seen[n, p, c, label($0, "id")] = 1; containers++ }
      if ($0 ~ /^container_cpu_cfs_periods_total/) periods += value($0)
      if ($0 ~ /^container_cpu_cfs_throttled_periods_total/) throttled += value($0)
      if ($0 ~ /^container_memory_working_set_bytes/) working += value($0)
    }
    END { printf "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%.0f\t%d\n", page, samples, run, ten, runerr, stoperr, list, containers, periods, throttled, working, pressure }'
done
