#!/bin/sh
# derive-metric-names.sh - which metric families the sources of each Kubernetes minor report, of those that Sandglass reads.
# usage: ./derive-metric-names.sh > metric-names.tsv     (needs go and unzip; downloads ten versions of k8s.io/kubernetes)
# A family is reported where the kubelet's own table (pkg/kubelet/metrics/metrics.go) or cAdvisor's (metrics/prometheus.go of the version that
# the kubelet's go.mod names) holds its name.
set -eu
export LC_ALL=C GOFLAGS=-mod=mod GOMODCACHE="${GOMODCACHE:-$(mktemp -d)}"
cd "$(mktemp -d)"
zip_of() { go mod download -json "$1" | sed -n 's/^.*"Zip": "\(.*\)",*$/\1/p'; }
printf 'minor\tkubernetes\tcadvisor\tfamily\treported\n'
for version in v1.28.15 v1.29.14 v1.30.14 v1.31.14 v1.32.10 v1.33.6 v1.34.2 v1.35.0 v1.36.2 v1.37.2; do
  minor=$(echo "$version" | cut -d. -f2)
  kubernetes=$(zip_of "k8s.io/kubernetes@$version")
  unzip -p "$kubernetes" "k8s.io/kubernetes@$version/pkg/kubelet/metrics/metrics.go" > kubelet.go
  unzip -p "$kubernetes" "k8s.io/kubernetes@$version/go.mod" > kubernetes.mod
  module=$(awk '$1 ~ /^github.com\/google\/cadvisor(\/lib)?$/ { print $1 "@" $2; exit }' kubernetes.mod)
  unzip -p "$(zip_of "$module")" "$module/metrics/prometheus.go" > cadvisor.go
  for family in kubelet_runtime_operations_duration_seconds kubelet_runtime_operations_errors_total \
    container_cpu_cfs_periods_total container_cpu_cfs_throttled_periods_total container_spec_cpu_quota container_cpu_usage_seconds_total container_memory_working_set_bytes container_memory_max_usage_bytes container_oom_events_total container_start_time_seconds \
    container_pressure_cpu_waiting_seconds_total container_pressure_cpu_stalled_seconds_total container_pressure_memory_waiting_seconds_total container_pressure_memory_stalled_seconds_total container_pressure_io_waiting_seconds_total container_pressure_io_stalled_seconds_total; do
    case "$family" in
      kubelet_*) file=kubelet.go name="\"${family#kubelet_}\"" ;;
      *) file=cadvisor.go name="\"$family\"" ;;
    esac
    if grep -qF "$name" "$file"; then reported=yes; else reported=no; fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$minor" "$version" "${module##*@}" "$family" "$reported"
  done
done
