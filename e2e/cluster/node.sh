# node.sh - the part of `up --node` that makes the node: its namespaces, containerd and kubelet.
# Sourced by up, never run.
#
# The node sees ordinary paths (/opt/cni/bin, /etc/cni/net.d, /run, /var/lib, /var/log), but each
# is a private directory under DIR/node, bind-mounted in the node's own mount namespace. From
# outside, edit DIR/node/opt/cni/bin and DIR/node/etc/cni/net.d to break or mend its network.

REPLACED='@(/run|/var/lib|/var/log|/opt|/etc)/*'   # what node-init mounts over

node_namespaces() {
  local line controllers path mount group id=sandglass-$$
  [ "$EUID" = 0 ] || die "--node needs root"
  need runc runc; need busybox busybox-static
  if [ "${SANDGLASS_CLUSTER_CONTAINERD:-}" = 2 ]; then
    [ -x "$BIN/containerd-2/containerd" ] || die "containerd 2 is not built: run build containerd"
    export PATH=$BIN/containerd-2:$PATH
  else
    need containerd containerd
  fi
  need ip iproute2; need nsenter util-linux
  for p in kubelet pause cni/bridge; do [ -x "$BIN/$p" ] || die "$p is not built: run build node"; done
  [ -d /sys/fs/cgroup/memory ] || die "--node supports cgroup v1 only so far"
  shopt -s extglob
  # shellcheck disable=SC2254  # a pattern on purpose
  case $DIR in $REPLACED) die "SANDGLASS_CLUSTER_DIR must not be under a path the node replaces" ;; esac

  # One cgroup per hierarchy, below the caller's own: it becomes the node's root cgroup.
  : > "$DIR/cgroups"
  while IFS=: read -r _ controllers path; do
    [ -n "$controllers" ] || continue
    mount=/sys/fs/cgroup/${controllers#name=}
    [ -d "$mount" ] || continue
    group=${mount}${path%/}/$id
    echo "$group" >> "$DIR/cgroups"   # before it exists: down must find it whatever happens
    mkdir "$group"
    if [ "$controllers" = cpuset ]; then
      cat "$mount$path/cpuset.cpus" > "$group/cpuset.cpus"
      cat "$mount$path/cpuset.mems" > "$group/cpuset.mems"
    fi
  done < /proc/self/cgroup

  node_files
  launch namespaces bash "$HERE/node-init" outside "$DIR"
  wait_for 60 "node namespaces" test -e "$DIR/node/ready"
  inside() { local name=$2; shift 2; launch "$name" nsenter "--net=$DIR/node/net" -- "$@"; }
}

# node_files: everything the node finds on its disk.
node_files() {
  local n=$DIR/node f
  # Where the checkout or the programs lie under a path that the node replaces, they are put back there.
  for f in "$(cd "$HERE/../.." && pwd)" "$CACHE"; do
    case $f in $REPLACED) printf '%s\n' "$f" ;; esac
  done > "$DIR/kept"
  mkdir -p "$n"/{etc/cni/net.d,etc/containerd,etc/kubernetes,opt/cni/bin,run,varlib/kubelet,varlog/pods,sysctl}
  for f in alternatives ld.so.cache localtime nsswitch.conf; do
    [ ! -e "/etc/$f" ] || cp -a "/etc/$f" "$n/etc/"
  done
  printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n' > "$n/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' > "$n/etc/group"
  printf '127.0.0.1 localhost\n%s %s\n' "$NODE_IP" "$NODE_NAME" > "$n/etc/hosts"
  : > "$n/etc/resolv.conf"
  printf 'PRETTY_NAME="Sandglass test node"\nID=sandglass-test\n' > "$n/etc/os-release"
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n' > "$n/etc/machine-id"
  # The kubelet wants these values and would set them for the whole machine: show it copies.
  printf 1 > "$n/sysctl/vm.overcommit_memory"; printf 0 > "$n/sysctl/vm.panic_on_oom"
  printf 10 > "$n/sysctl/kernel.panic"; printf 1 > "$n/sysctl/kernel.panic_on_oops"
  printf 1000000 > "$n/sysctl/kernel.keys.root_maxkeys"; printf 25000000 > "$n/sysctl/kernel.keys.root_maxbytes"

  cp "$BIN"/cni/* "$n/opt/cni/bin/"; rm -f "$n"/opt/cni/bin/*.key
  cat > "$n/etc/cni/net.d/10-test.conflist" <<CNI
{
  "cniVersion": "1.0.0", "name": "test",
  "plugins": [{
    "type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
    "ipam": { "type": "host-local", "ranges": [[{ "subnet": "10.244.0.0/24" }]], "routes": [{ "dst": "0.0.0.0/0" }] }
  }]
}
CNI
  if [ "${SANDGLASS_CLUSTER_CONTAINERD:-}" = 2 ]; then
    cat > "$n/etc/containerd/config.toml" <<CONTAINERD
version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "/run/containerd/containerd.sock"
[metrics]
  address = "127.0.0.1:1338"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "localhost/pause:1"
[plugins."io.containerd.cri.v1.runtime"]
  disable_apparmor = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/opt/cni/bin"]
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        SystemdCgroup = false
CONTAINERD
  else
    cat > "$n/etc/containerd/config.toml" <<CONTAINERD
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "/run/containerd/containerd.sock"
[metrics]
  address = "127.0.0.1:1338"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  disable_apparmor = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
CONTAINERD
  fi
  cat > "$n/etc/kubernetes/kubelet.yaml" <<KUBELET
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
failSwapOn: false
clusterDNS: ["10.96.0.10"]
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: "$DIR/pki/ca.crt"}}
authorization: {mode: Webhook}
tlsCertFile: "$DIR/pki/kubelet-serving.crt"
tlsPrivateKeyFile: "$DIR/pki/kubelet-serving.key"
makeIPTablesUtilChains: false
imageGCHighThresholdPercent: 100
evictionHard: {nodefs.available: "0%", imagefs.available: "0%", nodefs.inodesFree: "0%", memory.available: 1Mi}
nodeStatusUpdateFrequency: 5s
readOnlyPort: 10255
runtimeRequestTimeout: ${SANDGLASS_CLUSTER_RUNTIME_TIMEOUT:-2m}
eventRecordQPS: 0
KUBELET
}

# image NAME DIRECTORY COMMAND...: pack and import an image the cluster can run.
image() {
  local tar=$DIR/image.tar; node "$HERE/make-image.mjs" "$1" "$tar" "${@:2}"
  "$HERE/enter" ctr -n k8s.io images import "$tar" >/dev/null
  rm -f "$tar"
}

node_up() {
  local kubectl=("$BIN/kubectl" --kubeconfig "$DIR/conf/admin.kubeconfig") root=$DIR/rootfs
  launch containerd "$HERE/enter" containerd --config /etc/containerd/config.toml
  wait_for 60 containerd "$HERE/enter" ctr version
  mkdir -p "$root"/{pause,busybox/bin,busybox/tmp}
  cp "$BIN/pause" "$root/pause/pause"
  cp "$(command -v busybox)" "$root/busybox/bin/busybox"
  for applet in $(busybox --list); do [ "$applet" = busybox ] || ln -sf busybox "$root/busybox/bin/$applet"; done
  image localhost/pause:1 "$root/pause" /pause
  image localhost/busybox:1 "$root/busybox" /bin/sh
  launch kubelet "$HERE/enter" "$BIN/kubelet" --config=/etc/kubernetes/kubelet.yaml \
    --kubeconfig="$DIR/conf/kubelet.kubeconfig" --hostname-override="$NODE_NAME" --node-ip="$NODE_IP"
  wait_for 120 "node $NODE_NAME" "${kubectl[@]}" wait --for=condition=Ready --timeout=1s "node/$NODE_NAME"
}
